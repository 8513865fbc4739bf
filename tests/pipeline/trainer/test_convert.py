"""The sixteen programs of Convert it, really run; and the shown text as a plain script."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from pipeline import convert
from pipeline.answers import Answers
from pipeline.convert import CELLS, OPTIMIZERS, Programs
from pipeline.launch import FreshProcess
from pipeline.limits import Limits
from pipeline.workers import Workers
from tests.serving import ROOT

THREE_LINES = (ROOT / "pipeline/trainer/three_lines.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recorded() -> Programs:
    answer = Answers(Path("/nowhere"), cast(Any, None)).recorded(convert.TASK, {})
    assert answer is not None
    return Programs.read(answer.result)


@pytest.fixture(scope="module")
def pasted(recorded, tmp_path_factory) -> Iterator[subprocess.Popen[str]]:
    """The program that is shown for D, with the three lines pasted below: a script, started."""
    script = tmp_path_factory.mktemp("pasted") / "script.py"
    script.write_text(recorded.at("adam", "D").code + "\n" + THREE_LINES, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield process
        process.kill()


@pytest.fixture(scope="module")
def here(tmp_path_factory, pasted) -> Programs:
    """All sixteen, run now."""
    folder = tmp_path_factory.mktemp("convert")
    workers = Workers(FreshProcess(), Limits())
    workers.open()
    try:
        answers = Answers(folder, workers)
        answer = answers.wait(answers.ask(convert.TASK, {}).key, 300)
    finally:
        workers.close()
    assert answer is not None
    assert answer.state == "done", answer.error
    assert Programs.so_far(answer.folder).all == Programs.read(answer.result).all
    return Programs.read(answer.result)


def parts_inside(code: str) -> set[str]:
    """What stands below a `with strategy.scope():` in this source, found in its syntax tree."""
    calls = {"Sequential": "build", "compile": "compile", "fit": "fit"}
    return {
        calls[call.func.attr]
        for block in ast.walk(ast.parse(code))
        if isinstance(block, ast.With) and ast.unparse(block.items[0]) == "strategy.scope()"
        for call in ast.walk(block)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr in calls
    }


def test_this_tensorflow_does_with_each_program_what_the_page_has_recorded(here, recorded):
    for optimizer in OPTIMIZERS:
        for letter in CELLS:
            now, shipped = here.at(optimizer, letter), recorded.at(optimizer, letter)
            assert now.code == shipped.code
            assert (now.raised, now.verdict) == (shipped.raised, shipped.verdict)
            assert (now.copies_on, now.rows) == (shipped.copies_on, shipped.rows)
            assert (now.steps, now.counted) == (shipped.steps, shipped.counted)


def test_what_is_inside_the_scope_in_the_shown_source_is_what_its_cell_says(recorded):
    for optimizer in OPTIMIZERS:
        for letter, inside in CELLS.items():
            code = recorded.at(optimizer, letter).code
            assert parts_inside(code) == set(inside)
            assert f'optimizer="{optimizer}"' in code
            assert code.count("with strategy.scope()") == (len(inside) > 0) + (letter == "G")


def test_programs_that_train_take_a_step_for_each_batch_and_every_row_once(here):
    for program in here.all.values():
        if program.verdict != "error":
            assert sum(program.rows) == 64
            assert program.steps == 512 // 64
        else:
            assert (program.steps, program.loss, program.printed) == (0, None, ())


def test_the_three_lines_tell_one_silent_replica_from_two(here):
    for optimizer in OPTIMIZERS:
        for letter in CELLS:
            program = here.at(optimizer, letter)
            if program.verdict == "error":
                continue
            devices, rows, seconds = program.printed
            told = [device.rpartition("device:")[2] for device in ast.literal_eval(devices)]
            assert tuple(told) == program.copies_on
            assert tuple(ast.literal_eval(rows)) == program.rows, "as seen inside `fit`"
            assert float(seconds) > 0


def test_the_shown_program_with_the_three_lines_pasted_below_is_a_plain_script(pasted):
    printed, _ = pasted.communicate(timeout=120)
    assert pasted.returncode == 0
    devices, rows, seconds = printed.splitlines()
    assert [name[-5:] for name in ast.literal_eval(devices)] == ["CPU:0", "CPU:1"]
    assert ast.literal_eval(rows) == [32, 32]
    assert 0 < float(seconds) < 60
