"""Attempts as files a learner takes away: CSV, JSON, and Anki cards for spaced review.

Only what was earned leaves: own answers in all three, and on the cards the solutions of questions
that are closed. Cells that a spreadsheet would run as a formula are written as text.
"""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from quiz.attempt import Attempt
from quiz.markup import as_html
from quiz.model import LETTERS, Option, Question
from quiz.results import results_of

_COLUMNS = (
    *("attempt", "set", "started", "finished", "question"),
    *("first_answer", "first_text", "first_right", "final_answer", "final_text", "right"),
    *("tries", "hints", "solution_shown", "how_sure", "points", "out_of"),
)
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def attempts_csv(attempts: Iterable[Attempt]) -> str:
    """One line for each question of each attempt, under a line of names."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for number, attempt in enumerate(attempts, start=1):
        found = results_of(attempt)
        for row in found.rows:
            line = {
                "attempt": number,
                "set": found.set_name,
                "started": found.started_at.isoformat(),
                "finished": found.finished_at.isoformat() if found.finished_at else "",
                "question": row.question_id,
                "first_answer": row.first or "",
                "first_text": row.first_text,
                "first_right": _yes(row.first_right),
                "final_answer": row.final or "",
                "final_text": row.final_text,
                "right": _yes(row.right),
                "tries": row.tries,
                "hints": row.hints,
                "solution_shown": _yes(row.revealed),
                "how_sure": row.confidence or "",
                "points": row.points,
                "out_of": 1,
            }
            writer.writerow({name: as_cell(value) for name, value in line.items()})
    return out.getvalue()


def attempts_json(attempts: Iterable[Attempt]) -> str:
    """The same as JSON, with the four fields of certainty and what to reread."""
    content = [asdict(results_of(attempt)) for attempt in attempts]
    return json.dumps(
        {"version": 1, "attempts": content}, default=_as_text, allow_nan=False, indent=2
    )


def anki_cards(attempts: Iterable[Attempt], deck: str = "Lockstep") -> str:
    """A text file that Anki imports: one card for each question whose solution was earned.

    A card's id is made from the question's, so importing again updates cards and adds none twice.
    """
    earned: dict[str, tuple[Attempt, Question]] = {}
    for attempt in attempts:
        for name, now in attempt.standings.items():
            if now.closed:
                earned[name] = (attempt, attempt.question(name))
    out = io.StringIO()
    out.write("#separator:tab\n#html:true\n#notetype:Basic\n")
    out.write(f"#deck:{' '.join(deck.split())}\n#guid column:1\n#tags column:4\n")
    writer = csv.writer(out, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL)
    for name, (attempt, question) in earned.items():
        tags = f"lockstep {question.set} {question.difficulty}"
        writer.writerow([f"lockstep-{name}", _front(attempt, question), _back(question), tags])
    return out.getvalue()


def as_cell(value: object) -> str:
    """A value as a cell that no spreadsheet takes for a formula."""
    text = str(value)
    risky = isinstance(value, str) and text.lstrip().startswith(_STARTS_A_FORMULA)
    return f"'{text}" if risky or text.startswith(("\t", "\r", "\n")) else text


def _front(attempt: Attempt, question: Question) -> str:
    options = [
        f"<p><b>{letter}</b> {_option(question.options[stable])}</p>"
        for letter, stable in zip(LETTERS, attempt.orders[question.id], strict=True)
    ]
    return "".join([f"<p>{as_html(question.prompt)}</p>", _program(question.code), *options])


def _back(question: Question) -> str:
    key = question.options[question.answer]
    steps = "".join(f"<li>{as_html(step)}</li>" for step in question.solution)
    return f"<p>{_option(key)}</p><p>{as_html(key.feedback)}</p><ol>{steps}</ol>"


def _option(option: Option) -> str:
    return as_html(option.text or "") + _program(option.code)


def _program(code: str | None) -> str:
    if not code:
        return ""
    inside = html.escape(code, quote=False).replace("\n", "<br>")
    return f"<pre><code>{inside}</code></pre>"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _as_text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
