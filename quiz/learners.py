"""Who takes the quiz: known by a cookie, and on another device by a code they type.

No account and nothing personal: a learner is an id, the hashes of their cookies and of one code,
and how they like to take the quiz. Cookies and codes themselves are never kept (see `tokens`).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from quiz import database as tables
from quiz.database import reading, writing
from quiz.problems import shown
from quiz.tokens import hash_code, hash_token, new_code, read_code

Mode = Literal["one", "all"]


@dataclass(frozen=True)
class Learner:
    """Someone who takes the quiz; `mode` is how they want it, one question at a time or all."""

    id: str
    mode: Mode
    has_code: bool


class LearnerStore:
    """The learners of one database. Safe to share between threads and processes."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        make_code: Callable[[], str] = new_code,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._new_id = new_id
        self._make_code = make_code

    def find(self, token: str) -> Learner | None:
        """The learner this cookie belongs to, or None; writes nothing."""
        with reading(self._engine) as db:
            return _learner_of(db, hash_token(token))

    def learner(self, token: str) -> Learner:
        """The learner this cookie belongs to, made if there is none yet."""
        found = self.find(token)
        if found is not None:
            return found
        with writing(self._engine) as db:
            found = _learner_of(db, hash_token(token))
            if found is None:
                made = self._new_id()
                made_at = self._clock().astimezone(UTC).isoformat()
                values = {"id": made, "made_at": made_at, "mode": "one"}
                db.execute(sa.insert(tables.learners).values(values))
                _own(db, hash_token(token), made)
                found = _learner_of(db, hash_token(token))
        assert found is not None
        return found

    def new_code(self, learner_id: str) -> str:
        """A code to go on with on another device. It replaces the one before, and is not kept."""
        code = self._make_code()
        with writing(self._engine) as db:
            db.execute(
                sa.update(tables.learners)
                .where(tables.learners.c.id == learner_id)
                .values(code_hash=hash_code(code))
            )
        return code

    def resume(self, token: str, typed: str) -> Learner | None:
        """Let the device with this cookie go on as the learner whose code was typed.

        None, and no change, when it is nobody's code. What was done on this device before stays
        with the learner it belonged to.
        """
        code = read_code(typed)
        if code is None:
            return None
        hashed = hash_code(code)
        with writing(self._engine) as db:
            query = sa.select(tables.learners.c.id).where(tables.learners.c.code_hash == hashed)
            learner_id = db.scalar(query)
            if learner_id is None:
                return None
            mine = tables.cookies.c.token_hash == hash_token(token)
            db.execute(sa.delete(tables.cookies).where(mine))
            _own(db, hash_token(token), learner_id)
            return _learner_of(db, hash_token(token))

    def set_mode(self, learner_id: str, mode: Mode) -> None:
        """Remember whether this learner wants one question at a time or all on a page."""
        if mode not in get_args(Mode):
            raise ValueError(f"mode is 'one' or 'all', not {shown(mode)}")
        with writing(self._engine) as db:
            table = tables.learners
            db.execute(sa.update(table).where(table.c.id == learner_id).values(mode=mode))


def _learner_of(db: Connection, token_hash: str) -> Learner | None:
    table, cookies = tables.learners, tables.cookies
    query = (
        sa.select(table.c.id, table.c.mode, table.c.code_hash)
        .join(cookies, cookies.c.learner_id == table.c.id)
        .where(cookies.c.token_hash == token_hash)
    )
    row = db.execute(query).first()
    return None if row is None else Learner(row.id, row.mode, row.code_hash is not None)


def _own(db: Connection, token_hash: str, learner_id: str) -> None:
    insert = "INSERT INTO cookies (token_hash, learner_id) VALUES (:token, :learner)"
    db.execute(
        sa.text(f"{insert} ON CONFLICT DO NOTHING"), {"token": token_hash, "learner": learner_id}
    )
