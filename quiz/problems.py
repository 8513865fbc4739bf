"""What is wrong with a bank, where, and what to do about it: one line each.

FILE:LINE:COL: what; got ...; try ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_SHOWN = 200


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A position in the file, both counted from 1, the column in characters."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, order=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, the value received (as shown), the next action."""

    place: Place
    what: str
    got: str
    remedy: str

    def sentence(self) -> str:
        """The problem without its place."""
        return f"{self.what}; got {self.got}; try {self.remedy}"

    def line(self, file: str) -> str:
        """The whole line that a command prints."""
        return f"{one_line(file)}:{self.place.line}:{self.place.column}: {self.sentence()}"


class BankError(ValueError):
    """A file that is no usable bank. `problems` holds every reason, in the order of the file."""

    def __init__(
        self, file: str, problems: Sequence[Problem], warnings: Sequence[Problem] = ()
    ) -> None:
        self.file = file
        self.problems = tuple(problems)
        self.warnings = tuple(warnings)
        super().__init__("\n".join(report(file, self.problems)))


def report(file: str, problems: Sequence[Problem], kind: str = "") -> list[str]:
    """One line for each problem; past the first 200, one line that counts the rest."""
    lines = [
        Problem(p.place, kind + p.what, p.got, p.remedy).line(file) for p in problems[:MOST_SHOWN]
    ]
    if len(problems) > MOST_SHOWN:
        rest = problems[MOST_SHOWN]
        count = f"{len(problems) - MOST_SHOWN:,} more"
        lines.append(
            Problem(rest.place, kind + "there is more", count, "mending these first").line(file)
        )
    return lines


def shown(value: object, limit: int = 60) -> str:
    """A value received, quoted, on one line, cut when it is long."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def one_line(text: str) -> str:
    """The text with everything that cannot be printed written as an escape."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode()
        for char in text
    )
