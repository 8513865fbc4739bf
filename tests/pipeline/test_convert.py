"""What became of the eight programs, read: made-up outcomes, and the recorded answer."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, cast

import pytest

from pipeline import convert
from pipeline.answers import Answers
from pipeline.convert import CELLS, PARTS, Programs, letter_of
from pipeline.run_log import PROGRESS_NAME


@pytest.fixture(scope="module")
def recorded() -> Programs:
    answer = Answers(Path("/nowhere"), cast(Any, None)).recorded(convert.TASK, {})
    assert answer is not None
    return Programs.read(answer.result)


def outcome(*inside: str, **changed: Any) -> dict[str, Any]:
    """A program that is right: both replicas, every step counted, the loss of one device."""
    return {
        "optimizer": "adam",
        "inside": list(inside),
        "code": "",
        "raised": None,
        "copies_on": ["CPU:0", "CPU:1"],
        "rows": [32, 32],
        "steps": 8,
        "counted": 8,
        "losses": [4.0, 2.0],
        "printed": [],
        "seconds": 0.1,
        **changed,
    }


def verdict(**changed: Any) -> str:
    told = [outcome(rows=[64]), outcome("build", "compile", **changed)]
    return Programs.read({"programs": told, "versions": {}}).at("adam", "D").verdict


def test_every_position_of_three_switches_has_one_letter_and_halves_differ_in_fit_only() -> None:
    assert {frozenset(inside) for inside in CELLS.values()} == {
        frozenset(part) for n in range(4) for part in itertools.combinations(PARTS, n)
    }
    assert all(letter_of(inside[::-1]) == letter for letter, inside in CELLS.items())
    for outside, within in zip("ABCD", "EFGH", strict=True):
        assert {*CELLS[outside], "fit"} == set(CELLS[within])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "right"),
        ({"losses": [9.0, 2.0 * (1 + 1e-7)]}, "right"),
        ({"losses": [4.0, 2.1]}, "differs"),
        ({"losses": [4.0, float("nan")]}, "differs"),
        ({"rows": [64]}, "alone"),
        ({"counted": 16}, "miscounts"),
        ({"raised": "ValueError: no", "losses": [], "rows": []}, "error"),
    ],
)
def test_a_program_is_right_only_when_nothing_observed_speaks_against_it(
    changed: dict[str, Any], expected: str
) -> None:
    assert verdict(**changed) == expected


def test_without_the_program_of_one_device_no_other_is_called_right() -> None:
    alone = Programs.read({"programs": [outcome("build", "compile")], "versions": {}})
    assert alone.at("adam", "D").verdict == "differs"


def test_a_call_is_right_for_marked_right_cells_and_for_wrong_cells_left_out(recorded) -> None:
    right = set(recorded.right("adam"))
    assert recorded.judged("adam", right) == 8
    assert recorded.judged("adam", set(CELLS) - right) == 0
    assert recorded.judged("adam", []) == 8 - len(right)
    assert recorded.judged("adam", right | {"A"}) == 7


def test_the_recorded_programs_with_adam_are_two_right_one_silent_and_five_errors(recorded) -> None:
    by_letter = {letter: recorded.at("adam", letter) for letter in CELLS}
    assert [x for x, one in by_letter.items() if one.verdict == "right"] == ["D", "H"]
    assert [x for x, one in by_letter.items() if one.verdict == "alone"] == ["A"]
    causes = {x: one.cause for x, one in by_letter.items() if one.verdict == "error"}
    assert causes == {"B": "need", "C": "mixing", "E": "mixing", "F": "colocate", "G": "mixing"}
    assert by_letter["D"].rows == by_letter["H"].rows == (32, 32)
    assert by_letter["A"].rows == (64,)


def test_the_recorded_programs_with_sgd_err_without_a_word_or_count_each_step_twice(
    recorded,
) -> None:
    by_letter = {letter: recorded.at("sgd", letter) for letter in CELLS}
    assert [x for x, one in by_letter.items() if one.verdict == "right"] == ["D", "H"]
    assert [x for x, one in by_letter.items() if one.verdict == "miscounts"] == ["C", "G"]
    assert all(by_letter[x].counted == 2 * by_letter[x].steps for x in "CG")
    assert all(by_letter[x].loss_agrees for x in "CG"), "the weights are right all the same"
    assert {by_letter[x].error for x in "BEF"} == {("AssertionError", "(no text)")}
    assert {by_letter[x].cause for x in "BEF"} == {"empty"}


def test_of_a_question_that_is_going_only_whole_lines_count(tmp_path: Path) -> None:
    assert Programs.so_far(tmp_path).all == {}
    lines = [json.dumps(outcome(rows=[64])), json.dumps(outcome("fit"))]
    (tmp_path / PROGRESS_NAME).write_text(f"{lines[0]}\n{lines[1][:40]}")
    assert list(Programs.so_far(tmp_path).all) == [("adam", ())]
    (tmp_path / PROGRESS_NAME).write_text("\n".join(lines) + "\n")
    assert list(Programs.so_far(tmp_path).all) == [("adam", ()), ("adam", ("fit",))]
