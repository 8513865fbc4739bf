"""The tables of the quiz, how they are made and changed, and how a connection behaves.

Portable SQL: names, TEXT and INTEGER only, and no statement that PostgreSQL lacks. What SQLite
needs to lose nothing (WAL, a full sync at every commit, one writer at a time that queues instead
of failing) is set here and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

BUSY_SECONDS = 10

metadata = sa.MetaData()

learners = sa.Table(
    "learners",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("code_hash", sa.Text, unique=True),
    sa.Column("mode", sa.Text, nullable=False),
)
cookies = sa.Table(
    "cookies",
    metadata,
    sa.Column("token_hash", sa.Text, primary_key=True),
    sa.Column("learner_id", sa.Text, sa.ForeignKey("learners.id"), nullable=False),
)
banks = sa.Table(
    "banks",
    metadata,
    sa.Column("content_hash", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("kept_at", sa.Text, nullable=False),
)
attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("learner_id", sa.Text, sa.ForeignKey("learners.id"), nullable=False),
    sa.Column("bank_hash", sa.Text, sa.ForeignKey("banks.content_hash"), nullable=False),
    sa.Column("set_name", sa.Text, nullable=False),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("orders", sa.Text, nullable=False),
    sa.Column("started_at", sa.Text, nullable=False),
    sa.Column("finished_at", sa.Text),
)
acts = sa.Table(
    "acts",
    metadata,
    sa.Column("attempt_id", sa.Text, sa.ForeignKey("attempts.id"), primary_key=True),
    sa.Column("client_id", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("question_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("choice", sa.Text),
    sa.Column("confidence", sa.Text),
    sa.Column("hint", sa.Integer),
    sa.Column("done_at", sa.Text, nullable=False),
    sa.UniqueConstraint("attempt_id", "number"),
)

# Each entry takes the schema from one version to the next and is never edited afterwards.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE learners (id TEXT PRIMARY KEY, made_at TEXT NOT NULL,"
        " code_hash TEXT UNIQUE, mode TEXT NOT NULL)",
        "CREATE TABLE cookies (token_hash TEXT PRIMARY KEY,"
        " learner_id TEXT NOT NULL REFERENCES learners (id))",
        "CREATE TABLE banks (content_hash TEXT PRIMARY KEY, content TEXT NOT NULL,"
        " kept_at TEXT NOT NULL)",
        "CREATE TABLE attempts (id TEXT PRIMARY KEY,"
        " learner_id TEXT NOT NULL REFERENCES learners (id),"
        " bank_hash TEXT NOT NULL REFERENCES banks (content_hash), set_name TEXT NOT NULL,"
        " seed INTEGER NOT NULL, orders TEXT NOT NULL, started_at TEXT NOT NULL,"
        " finished_at TEXT)",
        "CREATE INDEX attempts_of_learner ON attempts (learner_id, set_name)",
        "CREATE TABLE acts (attempt_id TEXT NOT NULL REFERENCES attempts (id),"
        " client_id TEXT NOT NULL, number INTEGER NOT NULL, question_id TEXT NOT NULL,"
        " kind TEXT NOT NULL, choice TEXT, confidence TEXT, hint INTEGER,"
        " done_at TEXT NOT NULL, PRIMARY KEY (attempt_id, client_id),"
        " UNIQUE (attempt_id, number))",
    ),
)


class DatabaseError(RuntimeError):
    """A database that this version of the lesson cannot use."""


def open_database(url: str, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> Engine:
    """An engine whose schema is up to date. Several processes may start at the same time."""
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = _sqlite(parsed)
    else:
        engine = sa.create_engine(parsed, pool_pre_ping=True)
    with writing(engine) as db:
        _migrate(db, migrations)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that may write; it is on disk when the block ends."""
    with engine.connect().execution_options(lockstep_writes=True) as db, db.begin():
        yield db


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent view; waits for no writer."""
    with engine.connect() as db, db.begin():
        yield db


def _sqlite(url: sa.URL) -> Engine:
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise DatabaseError(
            f"Attempts must outlive the server, so {url} will not do. Use sqlite:///path/to/file."
        )
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS}, pool_timeout=120)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not behind our back
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        _use_wal(connection)

    @sa.event.listens_for(engine, "begin")
    def _begun(db: Connection) -> None:
        writes = db.get_execution_options().get("lockstep_writes")
        # Taking the write lock at once is what makes a writer wait; taking it later can fail.
        db.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _use_wal(connection: Any) -> None:
    """Switch to WAL, once for a file; SQLite does not wait by itself when two try together."""
    for wait in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, None):
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            return
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except connection.OperationalError:
            if wait is None:
                raise
            time.sleep(wait)


def _migrate(db: Connection, migrations: Sequence[Sequence[str]]) -> None:
    db.execute(
        sa.text("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL PRIMARY KEY)")
    )
    version = db.scalar(sa.text("SELECT max(version) FROM schema_version")) or 0
    if version > len(migrations):
        raise DatabaseError(
            f"The database has schema {version}, made by a newer Lockstep; this one knows "
            f"{len(migrations)}. Start the newer one, or point DATABASE_URL to another file."
        )
    for number, statements in enumerate(migrations[version:], start=version + 1):
        for statement in statements:
            db.execute(sa.text(statement))
        db.execute(sa.text("INSERT INTO schema_version VALUES (:v)"), {"v": number})
