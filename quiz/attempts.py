"""Attempts in a database: every acknowledged answer is on disk, and counts once.

    engine = open_database("sqlite:///data/quiz.db")
    learner = LearnerStore(engine).learner(cookie)
    store = AttemptStore(engine)
    attempt = store.start(learner.id, bank, "practice")
    attempt = store.answer(learner.id, attempt.id, "scope-error", "C", client_id=press)

Each write carries an id made by the browser's session when its button was drawn: the same press
arriving three times is one act. The order in which acts reach the database is the order in which
they count, so two tabs never add up to more than one learner. Clock, ids and seeds are passed in.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from quiz import database as tables
from quiz.attempt import Attempt, RecordedAct
from quiz.database import reading, writing
from quiz.grading import CONFIDENCES, Act, AnswerError, Confidence
from quiz.model import Bank
from quiz.problems import shown
from quiz.shuffling import draw_orders


class BlankAnswer(AnswerError):
    """Nothing was chosen. Not wrong, and nothing is recorded."""


class AttemptClosed(AnswerError):
    """The attempt is finished, so nothing more can be added to it."""


class NoSuchAttempt(LookupError):
    """There is no such attempt, or it is another learner's: the two look the same."""


class AttemptStore:
    """What learners did, in one database. Safe to share between threads and processes."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        new_seed: Callable[[], int] = lambda: secrets.randbelow(2**31),
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._new_id = new_id
        self._new_seed = new_seed
        self._banks: dict[str, Bank] = {}

    def start(
        self, learner_id: str, bank: Bank, set_name: str, only: Collection[str] | None = None
    ) -> Attempt:
        """Begin an attempt at a set, or go on with the one that is not finished.

        `only` leaves out all other questions (to retake what was missed).
        """
        seed = self._new_seed()
        orders = draw_orders(bank, set_name, seed)
        if only is not None:
            orders = {name: order for name, order in orders.items() if name in only}
        if not orders:
            raise AnswerError(f"There are no such questions in the set {shown(set_name)}.")
        content, content_hash = bank.to_json(), bank.content_hash
        with writing(self._engine) as db:
            learner = sa.select(tables.learners.c.id).where(tables.learners.c.id == learner_id)
            if db.scalar(learner.with_for_update()) is None:
                raise AnswerError(f"There is no learner {shown(learner_id)}.")
            going_on = self._read(db, _unfinished(learner_id, set_name))
            if going_on:
                return going_on[-1]
            db.execute(
                sa.text(
                    "INSERT INTO banks (content_hash, content, kept_at)"
                    " VALUES (:hash, :content, :now) ON CONFLICT DO NOTHING"
                ),
                {"hash": content_hash, "content": content, "now": self._now()},
            )
            made = self._new_id()
            values = {
                "id": made,
                "learner_id": learner_id,
                "bank_hash": content_hash,
                "set_name": set_name,
                "seed": seed,
                "orders": json.dumps({name: "".join(order) for name, order in orders.items()}),
                "started_at": self._after(db, learner_id),
            }
            db.execute(sa.insert(tables.attempts).values(values))
            return self._one(db, learner_id, made)

    def unfinished(self, learner_id: str, set_name: str) -> Attempt | None:
        """The attempt a learner can go on with, or None."""
        with reading(self._engine) as db:
            found = self._read(db, _unfinished(learner_id, set_name))
            return found[-1] if found else None

    def get(self, learner_id: str, attempt_id: str) -> Attempt:
        """An attempt of this learner; NoSuchAttempt when there is none."""
        with reading(self._engine) as db:
            return self._one(db, learner_id, attempt_id)

    def all_of(self, learner_id: str, set_name: str | None = None) -> tuple[Attempt, ...]:
        """All attempts of a learner, the oldest first; of one set or of all."""
        condition = tables.attempts.c.learner_id == learner_id
        if set_name is not None:
            condition &= tables.attempts.c.set_name == set_name
        with reading(self._engine) as db:
            return tuple(self._read(db, condition))

    def answer(
        self,
        learner_id: str,
        attempt_id: str,
        question_id: str,
        letter: str | None,
        *,
        confidence: str | None = None,
        client_id: str,
    ) -> Attempt:
        """Record the option that was shown under `letter`, and return the attempt as it now is.

        Recorded only if it can matter: an answer to a closed question, or a wrong option chosen
        again, changes nothing. BlankAnswer when nothing was chosen.
        """
        if not letter:
            raise BlankAnswer("Choose an option first.")
        if confidence is not None and confidence not in CONFIDENCES:
            raise AnswerError(f"How sure is one of {', '.join(CONFIDENCES)}, not {confidence!r}.")

        def act(attempt: Attempt) -> Act | None:
            stable = attempt.stable_letter(question_id, letter)
            now = attempt.standing(question_id)
            if now.closed or stable in now.tried:
                return None
            return Act("answer", option=stable, confidence=_confidence(confidence))

        return self._act(learner_id, attempt_id, question_id, client_id, act)

    def open_hint(
        self, learner_id: str, attempt_id: str, question_id: str, number: int, *, client_id: str
    ) -> Attempt:
        """Open a hint (numbered from 1, in order). It is charged once, and not after the end."""

        def act(attempt: Attempt) -> Act | None:
            count = len(attempt.question(question_id).hints)
            opened = attempt.standing(question_id).hints
            if number in opened:
                return None
            if not 1 <= number <= count or number > len(opened) + 1:
                raise AnswerError(
                    f"There are {count} hints, {len(opened)} of them open; {number} is not next."
                )
            return Act("hint", hint=number)

        return self._act(learner_id, attempt_id, question_id, client_id, act)

    def reveal(
        self, learner_id: str, attempt_id: str, question_id: str, *, client_id: str
    ) -> Attempt:
        """Show the solution. A question that was not answered rightly before keeps 0 points.

        The one thing that is possible after the end too: by then nothing can be gained with it.
        """

        def act(attempt: Attempt) -> Act | None:
            return None if attempt.standing(question_id).closed else Act("reveal")

        return self._act(learner_id, attempt_id, question_id, client_id, act)

    def finish(self, learner_id: str, attempt_id: str) -> Attempt:
        """End an attempt; what is not answered keeps 0 points. A second time changes nothing."""
        with writing(self._engine) as db:
            table = tables.attempts
            db.execute(
                sa.update(table)
                .where(table.c.id == attempt_id, table.c.learner_id == learner_id)
                .where(table.c.finished_at.is_(None))
                .values(finished_at=self._after(db, learner_id))
            )
            return self._one(db, learner_id, attempt_id)

    # --------------------------------------------------------------- inside

    def _act(
        self,
        learner_id: str,
        attempt_id: str,
        question_id: str,
        client_id: str,
        decide: Callable[[Attempt], Act | None],
    ) -> Attempt:
        """Read the attempt, decide what counts, and write it: one transaction."""
        with writing(self._engine) as db:
            table = tables.acts
            attempt = self._one(db, learner_id, attempt_id, lock=True)
            same = table.c.attempt_id == attempt_id
            seen = sa.select(table.c.number).where(same, table.c.client_id == client_id)
            if db.scalar(seen) is not None:
                return attempt
            act = decide(attempt)
            if act is None:
                return attempt
            if attempt.finished_at is not None and act.kind != "reveal":
                raise AttemptClosed("This attempt is finished. Take it again to answer more.")
            last = db.scalar(sa.select(sa.func.max(table.c.number)).where(same)) or 0
            values = {
                "attempt_id": attempt_id,
                "client_id": client_id,
                "number": last + 1,
                "question_id": question_id,
                "kind": act.kind,
                "choice": act.option,
                "confidence": act.confidence,
                "hint": act.hint,
                "done_at": self._now(),
            }
            db.execute(sa.insert(table).values(values))
            return self._one(db, learner_id, attempt_id)

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat()

    def _after(self, db: Connection, learner_id: str) -> str:
        """Now; just behind the learner's latest moment if the clock was set back since.

        Attempts stand in the order of their moments, and the last one is what results show.
        """
        columns = tables.attempts.c
        moments = sa.select(sa.func.max(columns.started_at), sa.func.max(columns.finished_at))
        latest = max(
            filter(None, db.execute(moments.where(columns.learner_id == learner_id)).one()),
            default="",
        )
        now = self._now()
        if now > latest:
            return now
        return (datetime.fromisoformat(latest) + timedelta(microseconds=1)).isoformat()

    def _one(self, db: Connection, learner_id: str, attempt_id: str, lock: bool = False) -> Attempt:
        table = tables.attempts
        found = self._read(
            db, (table.c.id == attempt_id) & (table.c.learner_id == learner_id), lock
        )
        if not found:
            raise NoSuchAttempt("There is no such attempt of yours. Start a new one.")
        return found[0]

    def _read(
        self, db: Connection, condition: sa.ColumnElement[bool], lock: bool = False
    ) -> list[Attempt]:
        table, acts = tables.attempts, tables.acts
        query = sa.select(table).where(condition).order_by(table.c.started_at, table.c.id)
        rows = db.execute(query.with_for_update() if lock else query).all()
        done: dict[str, list[RecordedAct]] = {row.id: [] for row in rows}
        if rows:
            of_these = sa.select(acts).where(acts.c.attempt_id.in_(list(done)))
            for row in db.execute(of_these.order_by(acts.c.number)):
                done[row.attempt_id].append(_recorded(row))
        return [
            Attempt(
                id=row.id,
                learner_id=row.learner_id,
                set_name=row.set_name,
                bank=self._bank(db, row.bank_hash),
                bank_hash=row.bank_hash,
                orders={name: tuple(o) for name, o in json.loads(row.orders).items()},
                started_at=datetime.fromisoformat(row.started_at),
                finished_at=datetime.fromisoformat(row.finished_at) if row.finished_at else None,
                acts=tuple(done[row.id]),
            )
            for row in rows
        ]

    def _bank(self, db: Connection, content_hash: str) -> Bank:
        if content_hash not in self._banks:
            table = tables.banks
            query = sa.select(table.c.content).where(table.c.content_hash == content_hash)
            self._banks[content_hash] = Bank.from_json(db.execute(query).scalar_one())
        return self._banks[content_hash]


def _unfinished(learner_id: str, set_name: str) -> sa.ColumnElement[bool]:
    table = tables.attempts
    return sa.and_(
        table.c.learner_id == learner_id,
        table.c.set_name == set_name,
        table.c.finished_at.is_(None),
    )


def _confidence(value: str | None) -> Confidence | None:
    return next((name for name in CONFIDENCES if name == value), None)


def _recorded(row: Any) -> RecordedAct:
    act = Act(row.kind, option=row.choice, confidence=row.confidence, hint=row.hint)
    return RecordedAct(row.question_id, act, datetime.fromisoformat(row.done_at))
