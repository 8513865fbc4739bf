"""A YAML file -> a `Bank`, or every reason why not at once, each with its line.

    bank = load(Path("quiz/bank.yaml"), known_lessons=LESSONS, known_experiments=names)

Nothing in a file can run, hang or crash the reader: the form is read by `source` and `tree`, each
value is checked by `model`, and what only shows between values by `lint`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quiz import lint, patterns
from quiz.model import MOST_QUESTIONS, Bank
from quiz.problems import BankError, Place, Problem
from quiz.sentences import problem_of
from quiz.source import decode, read_bytes
from quiz.tree import Listing, Node, Spoilt, Table, Text, read_tree

Loc = tuple[str | int, ...]


@dataclass(frozen=True)
class Examined:
    """All that can be said of a file. `bank` is there when there are no problems."""

    file: str
    bank: Bank | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def load(
    path: Path | str,
    *,
    known_lessons: Collection[str] | None = None,
    known_experiments: Collection[str] | None = None,
) -> Bank:
    """The bank in this file. Raises BankError, with every problem, and nothing else.

    Lessons and experiments that a question names are checked against the names handed over;
    None leaves them unchecked.
    """
    found = examine(path, known_lessons=known_lessons, known_experiments=known_experiments)
    if found.bank is None:
        raise BankError(found.file, found.problems, found.warnings)
    return found.bank


def examine(
    path: Path | str,
    *,
    known_lessons: Collection[str] | None = None,
    known_experiments: Collection[str] | None = None,
) -> Examined:
    """As `load`, but returns the problems, and the warnings of a good bank too."""
    data, problems = read_bytes(Path(path))
    if problems:
        return Examined(str(path), None, tuple(problems), ())
    return examine_bytes(
        data, str(path), known_lessons=known_lessons, known_experiments=known_experiments
    )


def examine_bytes(
    data: bytes,
    file: str = "bank.yaml",
    *,
    known_lessons: Collection[str] | None = None,
    known_experiments: Collection[str] | None = None,
    loader: Any = None,
) -> Examined:
    """As `examine`, of bytes that were read elsewhere. `loader` is PyYAML's, for the tests."""
    text, problems = decode(data)
    if problems and not text:
        return Examined(file, None, tuple(problems), ())
    root, slips = read_tree(text, loader)
    problems += slips
    if root is None:
        return Examined(file, None, _in_order(problems), ())
    sheet = Sheet(root)
    count = lint.number_of_questions(sheet.content)
    if count > MOST_QUESTIONS:
        got = f"{count:,}, where {MOST_QUESTIONS} may be"
        where = sheet.place(("questions",))
        problems.append(Problem(where, "too many questions", got, "several files"))
        return Examined(file, None, _in_order(problems), ())
    bank: Bank | None = None
    try:
        bank = Bank.model_validate(sheet.content)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            if not lint.says_it_better(item) and not sheet.spoilt_at(item["loc"]):
                problems.append(problem_of(item, sheet.content, sheet.place))
    names = lint.Names(known_lessons, known_experiments)
    for slip in lint.slips(sheet.content, names):
        if not sheet.spoilt_at(slip.loc):
            place = sheet.place(slip.loc)
            if slip.row is not None:
                place = sheet.row(slip.loc, slip.row, slip.column)
            first = f", first in line {sheet.place(slip.first).line}" if slip.first else ""
            problems.append(Problem(place, slip.what + first, slip.got, slip.remedy))
    problems += sheet.lost_texts()
    if problems or bank is None:
        return Examined(file, None, _in_order(problems), ())
    warnings = [
        Problem(sheet.place(warning.loc), warning.what, warning.got, warning.remedy)
        for warning in patterns.warnings(bank)
    ]
    return Examined(file, bank, (), _in_order(warnings))


def _in_order(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems)))


class Sheet:
    """A tree as plain dicts, lists and texts, and the place of each."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._spoilt: list[Loc] = []
        self._lost: list[Text] = []
        self.content: Any = self._plain(root, ())

    def _plain(self, node: Node, loc: Loc) -> Any:
        if isinstance(node, Table):
            return {name: self._plain(item, (*loc, name)) for name, item in node.items.items()}
        if isinstance(node, Listing):
            return [self._plain(item, (*loc, i)) for i, item in enumerate(node.items)]
        if isinstance(node, Spoilt):
            self._spoilt.append(loc)
            return ""
        if node.lost and lint.is_free_text(loc):
            self._lost.append(node)
            if not node.value:
                self._spoilt.append(loc)
        elif node.plain and node.value in ("", "~", "null") and lint.is_optional(loc):
            return lint.NOTHING
        return node.value

    def spoilt_at(self, loc: Loc) -> bool:
        """Whether something at this path, or around it, has been refused already."""
        return any(loc[: len(spoilt)] == spoilt for spoilt in self._spoilt)

    def lost_texts(self) -> list[Problem]:
        """The texts whose end YAML would drop in silence."""
        return [
            Problem(
                text.place,
                "everything after ` #` is a comment here, so this text is cut",
                f"{text.value!r} without {text.lost[:60]!r}",
                f"quotes around the whole text: '{text.value[:30]}{' ' if text.value else ''}#…'",
            )
            for text in self._lost
        ]

    def _nearest(self, loc: Loc) -> tuple[Node, Place]:
        """The deepest node on this path, and its place: the key's where the key is meant."""
        node = self._root
        place = node.place
        for step in loc:
            if isinstance(node, Table) and step in node.items:
                place = node.keys[str(step)]
                node = node.items[str(step)]
            elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
                place = node.place
            else:
                break
        return node, place

    def place(self, loc: Loc, key: bool = False) -> Place:
        """Where the value at this path stands, or what is nearest; `key` asks for its key."""
        node, key_place = self._nearest(loc)
        return key_place if key else node.place

    def row(self, loc: Loc, row: int, column: int) -> Place:
        """The place of a row (from 1) inside a text: exact in a block, its start elsewhere."""
        node, _ = self._nearest(loc)
        if not isinstance(node, Text) or not node.block:
            return node.place
        skipped = len(node.value) - len(node.value.lstrip("\n"))
        return Place(node.place.line + row + skipped, max(column, 1))
