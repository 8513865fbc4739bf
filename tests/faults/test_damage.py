"""Files changed under a server that runs: a run's log and records, the quiz's database."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import run_log
from tests.faults.session import Session
from tests.pipeline.processes import until
from tests.serving import PATIENCE, WITHOUT_TENSORFLOW, Serve, Server, attempts_in, healthy

PAGES = ("", "train", "aggregate", "training-trace", "prediction-trace", "inspector", "all-reduce")


def of_log(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        log = run / run_log.FILE_NAME
        log.write_bytes(change(log.read_bytes()))

    return damage


def in_the_middle(log: bytes) -> bytes:
    lines = log.splitlines(keepends=True)
    return b"".join([*lines[:5], b"\xff\xfe\x00garbage\n", *lines[5:]])


def cut_records(run: Path) -> None:
    for record in (run / "steps").glob("*.npz"):
        os.truncate(record, 100)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "half a line at the end": (of_log(lambda log: log + b'{"event":"st'), ""),
    "cut": (of_log(lambda log: log[: len(log) // 2]), ""),
    "emptied": (of_log(lambda log: b""), ""),
    "bytes that are no text": (of_log(lambda log: bytes(range(256)) * 40), "line 1: not JSON"),
    "another's line in the middle": (of_log(in_the_middle), "line 6: not JSON"),
    "brackets without end": (of_log(lambda log: b"[" * 2_000_000 + b"\n" + log), "not JSON"),
    "records cut": (cut_records, ""),
    "records gone": (lambda run: shutil.rmtree(run / "steps"), ""),
}
"""How a run is damaged, and what the page then says of it ("" where it can still tell the run)."""


def test_a_damaged_run_is_told_in_a_sentence_and_never_breaks_a_page(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(tmp_path / "data")
    with Session.opened(server.url) as learner:
        run_id = learner.open("train", "epochs=1&data=digits").press("train_button").run_id
    folder = server.data / "runs" / run_id
    until(lambda: run_log.terminal(folder / run_log.FILE_NAME), "the run ends")
    server.stop()
    ids = {name: secrets.token_hex(10) for name in DAMAGE}
    for name, (damage, _) in DAMAGE.items():
        shutil.copytree(folder, folder.with_name(ids[name]))
        damage(folder.with_name(ids[name]))
    again = serve(server.data, **WITHOUT_TENSORFLOW)
    with Session.opened(again.url) as learner:
        for name, (_, said) in DAMAGE.items():
            for page in PAGES:
                learner.open(page, f"data=digits&epochs=1&run={ids[name]}")
                assert not learner.broken(), (name, page)
                assert said in learner.words().replace("\\", ""), (name, page)
            last = stream(again, ids[name]).rstrip().splitlines()[-1]
            assert last.startswith("data: {"), (name, last)
            assert ('"phase":"failed"' in last) == bool(said) or name in ("cut", "emptied")
    assert healthy(again)


def stream(server: Server, run_id: str) -> str:
    address = f"{server.url}/runs/{run_id}/events"
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


@contextlib.contextmanager
def locked(database: Path):
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def answer(learner: Session) -> None:
    learner.choose("quiz_choice_*_strategy-purpose", 1)
    learner.press("quiz_check_strategy-purpose")


def test_a_database_that_was_overwritten_is_named_and_the_lesson_goes_on(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(tmp_path / "data", **WITHOUT_TENSORFLOW)
    database = server.data / "quiz.db"
    with Session.opened(server.url) as learner, Session.opened(server.url) as other:
        learner.open("quiz").press("quiz_start")
        other.open("quiz")
        with contextlib.closing(sqlite3.connect(database)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = database.stat().st_size
        with database.open("r+b") as file:
            file.write(os.urandom(size))
        answer(learner)
        other.press("quiz_start")
        for session in (learner, other):
            assert not session.broken()
            assert "cannot be read just now" in session.words()
            assert str(tmp_path) not in session.words()
            assert not session.open("load").broken()
    assert healthy(server)


@pytest.mark.soak
def test_an_answer_to_a_locked_database_counts_once_it_is_free(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(tmp_path / "data", **WITHOUT_TENSORFLOW)
    with Session.opened(server.url) as learner, Session.opened(server.url) as reader:
        learner.open("quiz").press("quiz_start")
        with locked(server.data / "quiz.db"):
            answer(learner)
            assert "could not be kept, so it does not count yet" in learner.words()
            assert not reader.open("load").broken()
            assert not reader.open("quiz").broken()
            assert healthy(server)
        answer(learner)
        assert "You chose" in learner.words()
    (attempt,) = attempts_in(server)
    assert len(attempt.acts) == 1
