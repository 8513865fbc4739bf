"""A running app keeps the last good bank, and tells the teacher what is wrong with the new one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quiz.keeper import BankKeeper
from quiz.problems import BankError


@pytest.fixture
def path(tmp_path: Path, valid: str) -> Path:
    made = tmp_path / "bank.yaml"
    made.write_text(valid, encoding="utf-8")
    return made


def test_a_good_change_is_taken_up(path: Path, valid: str):
    keeper = BankKeeper(path)
    before = keeper.current()
    path.write_text(valid.replace("Count before", "Count twice before"), encoding="utf-8")

    assert keeper.current().content_hash != before.content_hash
    assert keeper.problems == ()


def test_a_file_that_did_not_change_is_not_read_again(path: Path):
    keeper = BankKeeper(path)

    assert keeper.current() is keeper.current()


@pytest.mark.parametrize("damage", [b"", b"\xff", b"questions: [", None])
def test_a_bad_change_keeps_the_last_good_bank_and_says_what_is_wrong(path: Path, damage):
    keeper = BankKeeper(path)
    good = keeper.current()
    if damage is None:
        os.unlink(path)
    else:
        path.write_bytes(damage)

    assert keeper.current() is good
    assert len(keeper.problems) >= 1
    assert keeper.problems[0].startswith(f"{path}:1:")


def test_mending_the_file_ends_the_problems(path: Path, valid: str):
    keeper = BankKeeper(path)
    keeper.current()
    path.write_text("", encoding="utf-8")
    assert keeper.problems
    path.write_text(valid + "# mended\n", encoding="utf-8")

    assert keeper.problems == ()
    assert keeper.current().title == "Replica basics"


def test_without_any_good_bank_there_is_an_error_with_every_reason(tmp_path: Path):
    keeper = BankKeeper(tmp_path / "none.yaml")

    with pytest.raises(BankError, match="cannot be read"):
        keeper.current()


def test_warnings_of_a_good_bank_are_there_for_the_teacher(path: Path, valid: str):
    long = "a text that is clearly far longer than whatever else stands here"
    path.write_text(valid.replace('"4"', long), encoding="utf-8")

    (warning,) = BankKeeper(path).warnings

    assert "far longer than the others" in warning
