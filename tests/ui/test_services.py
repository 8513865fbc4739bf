"""What stops the app at its start is said in a sentence, with the place and a remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.launch import ROOT


def problem(**environment: str) -> str:
    """What `startup_problem` says in a process of its own: services are made once a process."""
    done = subprocess.run(
        [sys.executable, "-c", "from ui import services; print(services.startup_problem())"],
        cwd=ROOT,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def no_folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    return tmp_path / "file" / "data"


def test_a_data_folder_that_cannot_be_written_is_named_with_the_variable_that_sets_it(
    no_folder: Path,
) -> None:
    said = problem(LOCKSTEP_DATA=str(no_folder))
    assert str(no_folder) in said
    assert "Set LOCKSTEP_DATA" in said
    assert "Traceback" not in said


def test_a_database_that_is_none_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "quiz.db").write_bytes(b"garbage " * 600)
    said = problem(LOCKSTEP_DATA=str(tmp_path))
    assert "quiz.db" in said
    assert "file is not a database" in said
    assert "DATABASE_URL" in said
    assert (tmp_path / "quiz.db").read_bytes() == b"garbage " * 600


def test_a_password_in_the_address_of_a_database_is_not_printed(tmp_path: Path) -> None:
    said = problem(
        LOCKSTEP_DATA=str(tmp_path), DATABASE_URL="sqlite://me:secret@host/no/such/place"
    )
    assert said
    assert "secret" not in said


def test_a_folder_that_is_not_there_yet_is_made_and_no_problem(tmp_path: Path) -> None:
    assert problem(LOCKSTEP_DATA=str(tmp_path / "new" / "data")) == ""
    assert (tmp_path / "new" / "data" / "quiz.db").exists()
