"""One pass of one learner through a set of questions, as it is read back from the database.

An attempt carries the bank it was begun with, so that editing the bank changes nothing in it, and
the order in which each question's options are shown. Points are never stored: they are what
`grading` makes of the acts, each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from quiz.grading import FULL, Act, AnswerError, Standing, earned_view, public_view, standing
from quiz.model import LETTERS, Bank, Letter, Question
from quiz.problems import shown


@dataclass(frozen=True)
class RecordedAct:
    """An act that counted, with the question it belongs to."""

    question_id: str
    act: Act
    done_at: datetime


@dataclass(frozen=True)
class Attempt:
    """An attempt as it stands. Answering gives a new one (`AttemptStore.answer`)."""

    id: str
    learner_id: str
    set_name: str
    bank: Bank
    bank_hash: str
    orders: Mapping[str, tuple[Letter, ...]]
    started_at: datetime
    finished_at: datetime | None
    acts: tuple[RecordedAct, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of this attempt, in the order of the bank."""
        return tuple(q for q in self.bank.questions if q.id in self.orders)

    @property
    def standings(self) -> dict[str, Standing]:
        """Where the learner stands with each question."""
        return {question.id: self.standing(question.id) for question in self.questions}

    @property
    def score(self) -> float:
        """Points so far, in tenths of a point."""
        return sum(now.tenths for now in self.standings.values()) / FULL

    @property
    def most(self) -> int:
        """The points of an attempt without a mistake."""
        return len(self.orders)

    @property
    def done(self) -> int:
        """How many questions are closed: answered rightly, or their solution asked for."""
        return sum(now.closed for now in self.standings.values())

    def question(self, question_id: str) -> Question:
        """A question of this attempt; AnswerError for any other."""
        if question_id not in self.orders:
            raise AnswerError(f"There is no question {shown(question_id)} in this attempt.")
        return self.bank.question(question_id)

    def standing(self, question_id: str) -> Standing:
        """Where the learner stands with one question."""
        question = self.question(question_id)
        return standing(question, (a.act for a in self.acts if a.question_id == question_id))

    def stable_letter(self, question_id: str, letter: str) -> Letter:
        """The bank's letter of the option that is shown under `letter`."""
        self.question(question_id)
        if letter not in LETTERS:
            near = letter.strip().upper()
            hint = f"Did you mean {near}?" if near in LETTERS else "Use A, B, C or D."
            raise AnswerError(f"{shown(letter)} is no option of '{question_id}'. {hint}")
        return self.orders[question_id][LETTERS.index(letter)]

    def shown_letter(self, question_id: str, stable: Letter) -> Letter:
        """The letter under which the bank's option is shown in this attempt."""
        return LETTERS[self.orders[question_id].index(stable)]

    def view(self, question_id: str) -> dict[str, Any]:
        """All that may leave the server about a question now: shown letters, nothing unearned."""
        question = self.question(question_id)
        now = self.standing(question_id)
        earned = earned_view(question, now)
        if now.closed:
            earned["key"] = self.shown_letter(question_id, question.answer)
            earned["evidence"] = {
                letter: earned["evidence"][stable]
                for letter, stable in zip(LETTERS, self.orders[question_id], strict=True)
                if stable in earned["evidence"]
            }
        return {
            **public_view(question, self.orders[question_id]),
            **earned,
            "closed": now.closed,
            "revealed": now.revealed,
            "tried": [self.shown_letter(question_id, stable) for stable in now.tried],
            "points": now.tenths / FULL,
            "available": now.available / FULL,
        }
