"""A grade is a pure function: what a learner did with a question in, points and feedback out.

The rule, in tenths of a point so that nothing is ever rounded:

    right on the first try 10, on the second 6, on the third 3, later 0;
    each hint that was opened before the right answer takes 1, never below 0;
    asking for the solution first leaves 0;
    nothing after that, or after a right answer, changes the points.

A blank is not wrong and costs nothing, and neither does choosing a wrong option a second time.
Nothing here knows the clock, a database or a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from quiz.model import LETTERS, Bank, Letter, Question
from quiz.problems import shown

Confidence = Literal["guess", "fairly", "sure"]
CONFIDENCES: tuple[Confidence, ...] = ("guess", "fairly", "sure")

FULL = 10
TRY_TENTHS = (FULL, 6, 3, 0)
HINT_TENTHS = 1


class AnswerError(ValueError):
    """An answer that fits no question or no option. Its text says what to do."""


@dataclass(frozen=True)
class Act:
    """One thing a learner did with a question.

    kind    "answer" (with the option, and how sure), "hint" (with its number, from 1), "reveal"
    """

    kind: Literal["answer", "hint", "reveal"]
    option: Letter | None = None
    confidence: Confidence | None = None
    hint: int | None = None


@dataclass(frozen=True)
class Standing:
    """Where a learner stands with one question. `tenths` is final once `closed`."""

    tenths: int = 0
    available: int = FULL
    right: bool = False
    revealed: bool = False
    tried: tuple[Letter, ...] = ()
    confidence: Confidence | None = None
    hints: tuple[int, ...] = ()
    charged: int = 0

    @property
    def closed(self) -> bool:
        """Whether the solution has been earned: answered rightly, or asked for."""
        return self.right or self.revealed

    @property
    def first(self) -> Letter | None:
        """The first option that was chosen."""
        return self.tried[0] if self.tried else None

    @property
    def final(self) -> Letter | None:
        """The last option that was chosen before the question was closed."""
        return self.tried[-1] if self.tried else None

    @property
    def first_was_right(self) -> bool:
        """Whether the first try was right, whatever hints cost."""
        return self.right and len(self.tried) == 1


def standing(question: Question, acts: Iterable[Act]) -> Standing:
    """Where these acts, in their order, leave a learner. `confidence` is that of the first try."""
    tried: list[Letter] = []
    hints: list[int] = []
    confidence: Confidence | None = None
    right = revealed = False
    charged = tenths = 0
    for act in acts:
        if act.kind == "hint" and act.hint is not None and act.hint not in hints:
            hints.append(act.hint)
            charged += not (right or revealed)
        elif act.kind == "reveal":
            revealed = True
        elif act.kind == "answer" and act.option and not (right or revealed):
            if act.option in tried:
                continue
            confidence = confidence if tried else act.confidence
            tried.append(act.option)
            if act.option == question.answer:
                right = True
                tenths = _points(len(tried) - 1, charged)
    closed = right or revealed
    available = 0 if closed else _points(len(tried), charged)
    return Standing(
        tenths, available, right, revealed, tuple(tried), confidence, tuple(hints), charged
    )


def _points(wrong_tries: int, hints: int) -> int:
    worth = TRY_TENTHS[min(wrong_tries, len(TRY_TENTHS) - 1)]
    return max(0, worth - HINT_TENTHS * hints)


@dataclass(frozen=True)
class Graded:
    """One response judged. A blank has neither feedback nor a verdict."""

    option: Letter | None
    correct: bool
    feedback: str


def grade(question: Question, option: str | None) -> Graded:
    """Judge one response; None and an empty text are blanks. AnswerError for any other text."""
    if option is None or option == "":
        return Graded(None, False, "")
    if option not in LETTERS:
        near = option.strip().upper()
        hint = f" Did you mean {near}?" if near in LETTERS else " Use A, B, C or D."
        raise AnswerError(f"{shown(option)} is no option of the question '{question.id}'.{hint}")
    return Graded(option, option == question.answer, question.options[option].feedback)


def grade_set(bank: Bank, set_name: str, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Grade one answer each, first try, one point each; a question without answer is a blank.

    Returns plain values: {"score", "max", "questions": {id: {"correct", "score", "feedback"}}}.
    """
    questions = bank.in_set(set_name)
    if not questions:
        names = ", ".join(bank.set_names)
        raise AnswerError(f"There is no set {shown(set_name)}. There are: {names}.")
    known = {question.id: question for question in questions}
    for name in answers:
        if name not in known:
            raise AnswerError(_unknown(bank, set_name, name))
    graded = {}
    for name, question in known.items():
        value = answers.get(name)
        if value is not None and not isinstance(value, str):
            raise AnswerError(
                f"The answer to '{name}' must be a letter in quotes, not {shown(value)}."
            )
        graded[name] = grade(question, value)
    return {
        "score": sum(item.correct for item in graded.values()),
        "max": len(graded),
        "questions": {
            name: {
                "correct": item.correct,
                "score": int(item.correct),
                "feedback": item.feedback if item.option else "Not answered.",
            }
            for name, item in graded.items()
        },
    }


def _unknown(bank: Bank, set_name: str, name: str) -> str:
    for question in bank.questions:
        if question.id == name:
            return f"The question '{name}' is in the set '{question.set}', not in '{set_name}'."
    ids = ", ".join(question.id for question in bank.in_set(set_name))
    return f"There is no question {shown(name)}. The set '{set_name}' has: {ids}."


def public_view(question: Question, order: Sequence[Letter] = LETTERS) -> dict[str, Any]:
    """What a learner may see of a question before answering it, and nothing else.

    Options come in `order` and are lettered by the place they are shown at; how they are lettered
    in the bank stays here. Of the hints only their number and what each costs.
    """
    return {
        "id": question.id,
        "set": question.set,
        "prompt": question.prompt,
        "code": question.code,
        "options": [
            {"letter": letter, "text": option.text, "code": option.code}
            for letter, option in zip(
                LETTERS, (question.options[stable] for stable in order), strict=True
            )
        ],
        "difficulty": question.difficulty,
        "hints": len(question.hints),
        "hint_cost": HINT_TENTHS / FULL,
    }


def earned_view(question: Question, now: Standing) -> dict[str, Any]:
    """What a learner has earned so far: the last feedback, opened hints, and the rest once closed.

    Empty or missing entries were not earned. `key` is the letter in the bank, not on the page.
    """
    earned: dict[str, Any] = {
        "right": now.right,
        "feedback": question.options[now.final].feedback if now.final else "",
        "hints": [question.hints[number - 1] for number in sorted(now.hints)],
    }
    if now.closed:
        earned |= {
            "key": question.answer,
            "key_feedback": question.options[question.answer].feedback,
            "solution": list(question.solution),
            "common_mistakes": list(question.common_mistakes),
            "in_practice": question.in_practice,
            "lesson": question.lesson,
            "evidence": {
                letter: option.evidence.model_dump()
                for letter, option in question.options.items()
                if option.evidence
            },
        }
    return earned
