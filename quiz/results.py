"""What an attempt shows once it is looked back on: plain values for a page, a table, a download.

Tells only what the learner has earned: their own answers, whether they were right, and which page
to reread. The right answer of a question that is still open is not in here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from quiz.attempt import Attempt
from quiz.grading import FULL, Confidence
from quiz.markup import plain
from quiz.model import Bank, Letter, Option


@dataclass(frozen=True)
class Row:
    """One question of an attempt. Letters are those the learner saw; None is a blank."""

    question_id: str
    prompt: str
    first: Letter | None
    first_text: str
    final: Letter | None
    final_text: str
    first_right: bool
    right: bool
    revealed: bool
    tries: int
    hints: int
    confidence: Confidence | None
    points: float
    lesson: str


@dataclass(frozen=True)
class Certainty:
    """First answers by how sure and how right, as ids of questions. Sure is the word "sure" only.

    The first field is what is worth most to look at. `unsaid` are answers without a word on it.
    """

    sure_wrong: tuple[str, ...]
    unsure_wrong: tuple[str, ...]
    unsure_right: tuple[str, ...]
    sure_right: tuple[str, ...]
    unsaid: tuple[str, ...]


@dataclass(frozen=True)
class Results:
    """An attempt looked back on."""

    attempt_id: str
    set_name: str
    started_at: datetime
    finished_at: datetime | None
    score: float
    most: int
    rows: tuple[Row, ...]
    certainty: Certainty
    reread: tuple[str, ...]
    missed: tuple[str, ...]


def results_of(attempt: Attempt) -> Results:
    """Look back on an attempt. Missed is every question that was not right on the first try."""
    rows = tuple(_row(attempt, question_id) for question_id in attempt.standings)
    missed = tuple(row.question_id for row in rows if not row.first_right)
    return Results(
        attempt_id=attempt.id,
        set_name=attempt.set_name,
        started_at=attempt.started_at,
        finished_at=attempt.finished_at,
        score=attempt.score,
        most=attempt.most,
        rows=rows,
        certainty=_certainty(rows),
        reread=tuple(dict.fromkeys(row.lesson for row in rows if not row.first_right)),
        missed=missed,
    )


def to_retake(attempt: Attempt, bank: Bank) -> tuple[str, ...]:
    """The missed questions that the bank of today still has; hand them to `start(only=...)`."""
    still = {question.id for question in bank.in_set(attempt.set_name)}
    return tuple(name for name in results_of(attempt).missed if name in still)


def over_time(attempts: Iterable[Attempt]) -> list[dict[str, object]]:
    """One row for each finished attempt, the oldest first, for a table or a chart."""
    finished = [attempt for attempt in attempts if attempt.finished_at is not None]
    return [
        {
            "attempt": number,
            "set": attempt.set_name,
            "started": attempt.started_at,
            "finished": attempt.finished_at,
            "score": attempt.score,
            "max": attempt.most,
        }
        for number, attempt in enumerate(finished, start=1)
    ]


def words_of(option: Option) -> str:
    """What an option says, without Markdown."""
    return "\n".join(part for part in (plain(option.text or ""), option.code or "") if part)


def _row(attempt: Attempt, question_id: str) -> Row:
    question = attempt.question(question_id)
    now = attempt.standing(question_id)
    options = question.options
    return Row(
        question_id=question_id,
        prompt=question.prompt,
        first=attempt.shown_letter(question_id, now.first) if now.first else None,
        first_text=words_of(options[now.first]) if now.first else "",
        final=attempt.shown_letter(question_id, now.final) if now.final else None,
        final_text=words_of(options[now.final]) if now.final else "",
        first_right=now.first_was_right,
        right=now.right,
        revealed=now.revealed,
        tries=len(now.tried),
        hints=len(now.hints),
        confidence=now.confidence,
        points=now.tenths / FULL,
        lesson=question.lesson,
    )


def _certainty(rows: tuple[Row, ...]) -> Certainty:
    said = [row for row in rows if row.first and row.confidence]

    def those(sure: bool, right: bool) -> tuple[str, ...]:
        return tuple(
            row.question_id
            for row in said
            if (row.confidence == "sure") == sure and row.first_right == right
        )

    return Certainty(
        sure_wrong=those(True, False),
        unsure_wrong=those(False, False),
        unsure_right=those(False, True),
        sure_right=those(True, True),
        unsaid=tuple(row.question_id for row in rows if row.first and not row.confidence),
    )
