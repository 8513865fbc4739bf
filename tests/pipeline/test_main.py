"""The command line: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from pipeline.__main__ import main
from pipeline.config import SETTINGS
from pipeline.events import from_line
from tests.pipeline.processes import ROOT, alive, command, descendants, until
from tests.pipeline.real_runs import CASES, GOOD

REFUSED = [
    ("missing_values.csv", "--leave-out rows"),
    ("text_column.csv", "--leave-out columns"),
    ("one_class.csv", None),
    ("infinite.csv", "--leave-out rows"),
    ("header_only.csv", None),
    ("duplicate_columns.csv", None),
    ("ragged.csv", None),
    ("binary.csv", None),
]
BAD = [
    (["--replicas", "0"], "--replicas"),
    (["--replicas", "9"], "from 1 to 8; got '9'"),
    (["--replicas", "two"], "'two'"),
    (["--global-batch", "-5"], "--global-batch"),
    (["--epochs", "0"], "--epochs"),
    (["--learning-rate", "nan"], "--learning-rate"),
    (["--optimizer", "adamw"], "one of adam, sgd; got 'adamw'"),
    (["--seed", "1.5"], "--seed"),
    (["--order", "sorted"], "--order"),
    (["--combine", "later"], "--combine"),
    (["--leave-out", "everything"], "--leave-out"),
    (["--data", "x" * 301], "--data"),
    (["--data", "no such file.csv"], "no such file.csv: No such file"),
    (["--data", ""], "give one of synthetic"),
    (["--data", str(CASES)], "Is a directory"),
    (["--data", GOOD, "--label", "lable"], "no column called lable"),
    (["--data", GOOD, "--order", "one-class-each", "--replicas", "x"], "--replicas"),
    (["--data", str(CASES / "three_rows.csv"), "--order", "one-class-each", "--replicas", "8"],
     "use fewer replicas"),
    (["--replica-count", "2"], "unrecognized arguments: --replica-count"),
    (["--replicas"], "expected one argument"),
    (["extra"], "unrecognized arguments: extra"),
    (["--keep", GOOD], "--keep"),
    (["--keep", f"{GOOD}/below"], "--keep"),
]  # fmt: skip


def refused(capsys, *arguments):
    """Run in this process (no TensorFlow is needed to say no); returns the lines on stderr."""
    status: Any
    try:
        status = main(["run", "--json", *arguments])
    except SystemExit as exit:
        status = exit.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert "Traceback" not in err
    return err.splitlines()


@pytest.mark.parametrize("arguments, words", BAD)
def test_a_bad_argument_is_one_plain_line_and_exit_2(capsys, arguments, words):
    (line,) = refused(capsys, *arguments)
    assert line.startswith("python -m pipeline run: ") or "unrecognized" in line
    assert words in line


@pytest.mark.parametrize("name, remedy", REFUSED)
def test_a_refused_csv_is_a_plain_line_and_exit_2(capsys, name, remedy):
    first, *more = refused(capsys, "--data", str(CASES / name))
    assert first.startswith(f"python -m pipeline run: {name}: ")
    assert more == ([f"Try: {remedy}"] if remedy else [])


@pytest.mark.parametrize("name, remedy", [case for case in REFUSED if case[1]])
def test_the_remedy_that_is_offered_is_a_flag_that_exists(name, remedy):
    flag, value = remedy.split()
    (setting,) = (setting for setting in SETTINGS.values() if setting.flag == flag)
    assert value in setting.choices


def test_several_bad_arguments_are_told_at_once(capsys):
    (line,) = refused(capsys, "--replicas", "0", "--epochs", "0")
    assert "--replicas" in line
    assert "--epochs" in line


def test_without_a_command_it_says_what_is_missing(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help_names_every_setting_with_its_default(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["run", "--help"])
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for setting in SETTINGS.values():
        assert setting.flag in text
    assert "(default 256)" in text


def test_from_a_shell_a_refusal_is_the_same_plain_line():
    done = command("run", "--data", str(CASES / "ragged.csv"), "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Row 7 has 3 values" in done.stderr


# A run for people ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown(spaced_csv):
    return command("run", "--data", str(spaced_csv), "--epochs", "2", "--replicas", "3")


def test_without_json_a_run_ends_with_0_and_nothing_on_stderr(shown):
    assert shown.returncode == 0
    assert shown.stderr == ""


def test_without_json_the_stages_are_shown_with_shapes_and_a_sample(shown):
    for stage in ("1 Load", "2 Normalise", "3 Distribute"):
        assert stage in shown.stdout
    assert "64 x 4" in shown.stdout
    assert "first step (17 x 4) + (17 x 4) + (17 x 4)" in shown.stdout
    assert "row 0: [" in shown.stdout


def test_without_json_the_epochs_are_a_table_with_observations(shown):
    heading, first, second = shown.stdout.partition("\nepoch ")[2].splitlines()[:3]
    assert heading.split()[0] == "loss"
    assert [first.split()[0], second.split()[0]] == ["1", "2"]
    assert "Starting point" in shown.stdout


def test_without_json_the_three_checks_are_told(shown):
    assert shown.stdout.count("\nok  ") == 3
    assert "NO " not in shown.stdout


def test_without_keep_nothing_is_left_behind(shown, tmp_path):
    assert not [path for path in os.listdir(ROOT) if path.startswith("lockstep-")]


# Runs that end early -------------------------------------------------------------------------


def begin(*arguments) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


class Going:
    """The command line with a long run, in a process group of its own, up to its first step."""

    LONG = ("--data", "digits", "--epochs", "1000", "--global-batch", "64")

    def __init__(self, *arguments):
        self.process = begin("run", *self.LONG, *arguments)
        self.read = ""
        while '"event":"step"' not in self.read:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.read += line
        self.children = descendants(self.process.pid)

    def end(self):
        lines = (self.read + self.process.stdout.read()).splitlines()
        err = self.process.stderr.read()
        self.process.wait(60)
        until(lambda: not any(map(alive, self.children)), "no process is left")
        return self.process.returncode, [from_line(line) for line in lines], err


@pytest.fixture
def go():
    """`Going` for a test; however the test ends, no process and no open file is left of it."""
    begun: list[Going] = []

    def begin_one(*arguments) -> Going:
        begun.append(Going(*arguments))
        return begun[-1]

    yield begin_one
    for going in begun:
        going.process.kill()
        going.process.wait()
        going.process.stdout.close()
        going.process.stderr.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_ends_with_run_stopped_and_130_and_leaves_no_process(go):
    going = go("--json")
    assert len(going.children) == 1
    os.killpg(going.process.pid, signal.SIGINT)
    status, events, err = going.end()
    assert status == 130
    assert [e.event for e in events if e.event.startswith("run_")] == ["run_started", "run_stopped"]
    assert events[-1].event == "run_stopped"
    assert err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_run_whose_process_is_killed_ends_with_run_failed_and_1(go, tmp_path):
    going = go("--json", "--keep", str(tmp_path / "kept here"))
    os.kill(going.children[0], signal.SIGKILL)
    status, events, err = going.end()
    assert status == 1
    assert events[-1].event == "run_failed"
    assert err == f"python -m pipeline run: {events[-1].error}\n"
    (log,) = (tmp_path / "kept here").glob("*/events.jsonl")
    assert [from_line(line) for line in log.read_text().splitlines()] == events


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_reader_that_goes_away_ends_the_run_without_a_traceback(go):
    going = go("--json")
    going.process.stdout.close()
    err = going.process.stderr.read()
    assert going.process.wait(60) == 1
    assert "Traceback" not in err
    until(lambda: not any(map(alive, going.children)), "no process is left")


def test_json_is_all_there_is_on_standard_output(printed):
    for run in printed.values():
        assert run.printed.endswith("}\n")
        assert all(json.loads(line)["event"] for line in run.printed.splitlines())
