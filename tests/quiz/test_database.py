"""The schema, how it changes, and that what was acknowledged is on disk whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from quiz import database
from quiz.attempts import AttemptStore
from quiz.database import MIGRATIONS, DatabaseError, open_database, writing
from quiz.learners import LearnerStore

ROOT = Path(__file__).resolve().parents[2]
BANK = ROOT / "quiz/bank.yaml"


def test_the_migrations_make_the_tables_that_the_code_uses(url: str):
    engine = open_database(url)
    found = sa.inspect(engine)

    for table in database.metadata.sorted_tables:
        columns = found.get_columns(table.name)
        assert [(c["name"], str(c["type"])) for c in columns] == [
            (c.name, str(c.type)) for c in table.columns
        ]
        assert {c["name"] for c in columns if not c["nullable"]} >= {
            c.name for c in table.columns if not c.nullable and not c.primary_key
        }
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [
            c.name for c in table.primary_key
        ]
    engine.dispose()


def test_opening_again_changes_nothing_and_a_later_version_adds_to_it(url: str):
    open_database(url).dispose()
    engine = open_database(url)
    with writing(engine) as db:
        db.execute(sa.text("INSERT INTO banks VALUES ('h', 'c', 'now')"))
    engine.dispose()

    later = (*MIGRATIONS, ("ALTER TABLE banks ADD COLUMN title TEXT",))
    engine = open_database(url, later)

    with engine.connect() as db:
        assert db.execute(sa.text("SELECT * FROM banks")).all() == [("h", "c", "now", None)]
        assert db.execute(sa.text("SELECT version FROM schema_version")).scalars().all() == [1, 2]
    engine.dispose()


def test_a_migration_that_fails_half_way_leaves_no_trace(url: str):
    broken = (*MIGRATIONS, ("CREATE TABLE extra (a TEXT)", "CREATE TABLE extra (a TEXT)"))
    with pytest.raises(sa.exc.OperationalError):
        open_database(url, broken)

    engine = open_database(url)
    assert not sa.inspect(engine).has_table("extra")
    engine.dispose()


def test_a_database_of_a_newer_version_is_refused_with_a_sentence(url: str):
    open_database(url, (*MIGRATIONS, ("CREATE TABLE extra (a TEXT)",))).dispose()

    with pytest.raises(DatabaseError, match="schema 2, made by a newer Lockstep"):
        open_database(url)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_that_would_not_outlive_the_server_is_refused(url: str):
    with pytest.raises(DatabaseError, match="outlive"):
        open_database(url)


def test_sqlite_writes_ahead_and_syncs_at_every_commit(url: str):
    engine = open_database(url)
    with engine.connect() as db:
        pragmas = [
            db.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    engine.dispose()

    assert pragmas == ["wal", 2, 1, 10_000]


def test_the_tables_can_be_made_in_postgresql_as_well():
    """Checked by compiling; a server is not needed for that and none is here."""
    for table in database.metadata.sorted_tables:
        statement = str(sa.schema.CreateTable(table).compile(dialect=postgresql.dialect()))
        kinds = {str(column.type) for column in table.columns}
        assert kinds <= {"TEXT", "INTEGER"}
        assert f"CREATE TABLE {table.name}" in statement


def test_a_reader_does_not_wait_for_a_writer(url: str, bank):
    engine = open_database(url)
    learner = LearnerStore(engine).learner("c")
    attempt = AttemptStore(engine).start(learner.id, bank, "practice")
    with writing(engine) as db:
        db.execute(sa.text("UPDATE learners SET mode = 'all'"))
        began = time.monotonic()
        assert AttemptStore(engine).get(learner.id, attempt.id).id == attempt.id
        assert time.monotonic() - began < 5
    engine.dispose()


def at_once(jobs: list[Callable[[], None]]) -> None:
    barrier = threading.Barrier(len(jobs))
    failures: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            barrier.wait(60)
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []


def test_a_hundred_learners_who_submit_at_once_are_all_counted_once(url: str, bank):
    engine = open_database(url)
    learners, store = LearnerStore(engine), AttemptStore(engine)

    def job(number: int) -> Callable[[], None]:
        def run() -> None:
            learner = learners.learner(f"cookie-{number}")
            attempt = store.start(learner.id, bank, "practice")
            for _ in range(3):  # a triple click
                found = store.answer(
                    learner.id, attempt.id, "scope-error", "ABCD"[number % 4], client_id="press"
                )
            assert found.standing("scope-error").right == (number % 4 == 2)

        return run

    at_once([job(number) for number in range(100)])

    with engine.connect() as db:
        count = "SELECT count(*), count(DISTINCT attempt_id) FROM acts"
        assert db.execute(sa.text(count)).one() == (100, 100)
        right = "SELECT count(*) FROM acts WHERE choice = 'C'"
        assert db.scalar(sa.text(right)) == 25
    engine.dispose()


def test_one_learner_in_twenty_tabs_has_one_attempt_and_every_act_counts_once(url: str, bank):
    engine = open_database(url)
    learners, store = LearnerStore(engine), AttemptStore(engine)

    def job(number: int) -> Callable[[], None]:
        def run() -> None:
            learner = learners.learner("cookie")
            attempt = store.start(learner.id, bank, "practice")
            letter = "ABD"[number % 3]
            store.answer(learner.id, attempt.id, "scope-error", letter, client_id=f"tab {number}")

        return run

    at_once([job(number) for number in range(20)])

    learner = learners.learner("cookie")
    (attempt,) = store.all_of(learner.id)
    assert sorted(attempt.standing("scope-error").tried) == ["A", "B", "D"]
    assert len(attempt.acts) == 3
    engine.dispose()


SUBMITTER = """
import sys, time
from quiz.attempts import AttemptStore
from quiz.database import open_database
from quiz.learners import LearnerStore
from quiz.loading import load
url, bank_file, number, start = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
time.sleep(max(0.0, start - time.time()))
engine = open_database(url)
bank = load(bank_file)
for learner_number in range(number * 5, number * 5 + 5):
    learner = LearnerStore(engine).learner(f"cookie-{learner_number}")
    store = AttemptStore(engine)
    attempt = store.start(learner.id, bank, "practice")
    store.answer(learner.id, attempt.id, "scope-error", "C", client_id="press")
"""


def test_processes_may_make_the_database_and_write_to_it_at_the_same_time(url: str):
    start = time.time() + 1.5
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SUBMITTER, url, str(BANK), str(number), str(start)], cwd=ROOT
        )
        for number in range(4)
    ]

    assert [process.wait(60) for process in processes] == [0] * 4
    engine = open_database(url)
    with engine.connect() as db:
        assert db.scalar(sa.text("SELECT count(*) FROM acts")) == 20
        assert db.scalar(sa.text("SELECT count(*) FROM banks")) == 1
    engine.dispose()


WRITER = """
import itertools, sys
from quiz.attempts import AttemptStore
from quiz.database import open_database
from quiz.learners import LearnerStore
from quiz.loading import load
engine = open_database(sys.argv[1])
bank = load(sys.argv[2])
store, learners = AttemptStore(engine), LearnerStore(engine)
for number in itertools.count():
    learner = learners.learner(f"cookie-{number}")
    attempt = store.start(learner.id, bank, "practice")
    for question in attempt.questions:
        store.answer(learner.id, attempt.id, question.id, "B", client_id=f"p-{question.id}")
        print(number, question.id, flush=True)
"""


@pytest.mark.parametrize("answers", [1, 7, 43])
def test_no_acknowledged_answer_is_lost_when_the_server_is_killed(url: str, bank, answers: int):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, url, str(BANK)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().split() for _ in range(answers)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += [line.split() for line in process.stdout]
    process.stdout.close()
    assert process.wait(30) == -signal.SIGKILL

    engine = open_database(url)
    learners, store = LearnerStore(engine), AttemptStore(engine)
    with engine.connect() as db:
        assert db.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        kept = db.scalar(sa.text("SELECT count(*) FROM acts"))
    assert kept in (len(acknowledged), len(acknowledged) + 1)
    for number, question_id in acknowledged:
        learner = learners.find(f"cookie-{number}")
        assert learner is not None
        attempt = store.unfinished(learner.id, "practice")
        assert attempt is not None
        assert attempt.standing(question_id).tried == ("B",)
    # And the learner goes on where they were.
    learner = learners.learner("cookie-0")
    attempt = store.start(learner.id, bank, "practice")
    found = store.answer(learner.id, attempt.id, "scope-error", "C", client_id="after")
    assert found.standing("scope-error").right
    assert len(found.acts) >= min(answers, 5)
    engine.dispose()
