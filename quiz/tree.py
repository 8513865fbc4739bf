"""Text in YAML -> a tree of texts that know where they stand, and what YAML would hide.

Built from the parser's events and not by its loader: nothing is ever constructed, every scalar
stays the text that was written (`No`, `1.10`), and depth cannot exhaust the stack. Refused here:
keys that stand twice, anchors, aliases, tags, a second document. What a question is, is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from quiz.problems import Place, Problem, shown
from quiz.source import DAMAGED, unseen_in
from quiz.syntax import explain, repaired

MOST_DEPTH = 16
_MOST_REPAIRS = 20

# libyaml where it is there (20 times faster), else the same in Python.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(slots=True)
class Text:
    """A scalar as it was written. `lost` is what a ` #` cut off; `plain` is without quotes."""

    value: str
    place: Place
    plain: bool = False
    lost: str = ""
    block: bool = False


@dataclass(slots=True)
class Listing:
    """A YAML sequence."""

    place: Place
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A YAML mapping; each key with the place where it stands."""

    place: Place
    keys: dict[str, Place] = field(default_factory=dict)
    items: dict[str, Node] = field(default_factory=dict)


@dataclass(slots=True)
class Spoilt:
    """Stands where something was refused, so that nothing else is said about it."""

    place: Place


Node = Text | Listing | Table | Spoilt


def read_tree(text: str, loader: Any = None) -> tuple[Node | None, list[Problem]]:
    """The tree of the first document, or None; and every problem of form.

    A parser stops at the first text it cannot read. Where it is plain what was meant (a colon in
    a text, a tab), the line is mended in memory and reading goes on, so that all is said at once.
    """
    loader = loader or LOADER
    lines = text.split("\n")
    slips: list[Problem] = []
    for _ in range(_MOST_REPAIRS):
        reader = _Reader(lines)
        try:
            for event in yaml.parse("\n".join(lines), Loader=loader):
                reader.take(event)
                if reader.stopped:
                    return None, sorted({*slips, *reader.problems})
            if reader.root is None:
                remedy = "starting from quiz/bank.yaml"
                slips.append(Problem(Place(), "the file is empty", "nothing to read", remedy))
            return reader.root, sorted({*slips, *reader.problems})
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            trouble = explain(error, lines, reader.last_line, reader.lost_lines)
            slips.append(trouble.problem)
            mended = repaired(trouble, lines)
            if mended is None:
                return None, sorted({*slips, *reader.problems})
            lines = mended
    return None, sorted(set(slips))


class _Reader:
    """Takes the parser's events one by one and builds the tree."""

    def __init__(self, lines: list[str]) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self.stopped = False
        self.last_line = 0
        self.lost_lines: dict[int, int] = {}
        self._lines = lines
        self._open: list[Listing | Table] = []
        self._keys: list[tuple[str, Place] | None] = []
        self._skipping: list[bool] = []
        self._documents = 0
        self._handlers: dict[type[yaml.Event], Callable[[Any, Place], None]] = {
            yaml.DocumentStartEvent: self._document,
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: lambda event, place: self._opened(event, Listing(place)),
            yaml.MappingStartEvent: lambda event, place: self._opened(event, Table(place)),
            yaml.SequenceEndEvent: self._closed,
            yaml.MappingEndEvent: self._closed,
        }

    def take(self, event: yaml.Event) -> None:
        mark = event.start_mark
        place = Place(mark.line + 1, mark.column + 1)
        self.last_line = mark.line
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event, place)

    def _say(self, place: Place, what: str, got: str, remedy: str) -> None:
        self.problems.append(Problem(place, what, got, remedy))

    def _document(self, event: Any, place: Place) -> None:
        self._documents += 1
        if self._documents > 1:
            self._say(place, "a second document starts", "'---'", "one file for each bank")
            self.stopped = True

    def _scalar(self, event: Any, place: Place) -> None:
        self._refuse_extras(event, place)
        plain = not event.style
        text = Text(event.value, place, plain, self._lost(event) if plain else "")
        text.block = event.style in ("|", ">")
        if plain and "\t" in event.value:
            remedy = "spaces, or quotes around the text"
            self._say(place, "a tab inside a text without quotes", shown(event.value), remedy)
        unseen = unseen_in(event.value)
        if unseen is not None and DAMAGED not in event.value:
            self._say(place, "a character that no reader can see", unseen, "deleting it")
        if plain and not event.value and not self._open:
            return  # `---` and nothing: as empty as an empty file
        self._attach(text)

    def _alias(self, event: Any, place: Place) -> None:
        self._say(place, "a reference to another part", f"'*{event.anchor}'", "writing it out")
        self._attach(Spoilt(place))

    def _refuse_extras(self, event: Any, place: Place) -> None:
        if event.anchor is not None:
            self._say(place, "an anchor, which nothing may use", f"'&{event.anchor}'", "no anchor")
        if event.tag is not None:
            self._say(place, "a type tag; all is text here", shown(event.tag), "no tag")

    def _opened(self, event: Any, node: Listing | Table) -> None:
        self._refuse_extras(event, node.place)
        if len(self._open) >= MOST_DEPTH:
            got = f"{MOST_DEPTH + 1} levels"
            self._say(node.place, "too many levels inside each other", got, "a flatter shape")
            self.stopped = True
            return
        self._open.append(node)
        self._keys.append(None)
        self._skipping.append(False)

    def _closed(self, event: Any, place: Place) -> None:
        node = self._open.pop()
        self._keys.pop()
        self._skipping.pop()
        self._attach(node)

    def _attach(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if isinstance(parent, Listing):
            parent.items.append(node)
        elif self._skipping[-1]:
            self._skipping[-1] = False
        elif self._keys[-1] is None:
            self._take_key(parent, node)
        else:
            name, place = self._keys[-1]
            parent.keys[name] = place
            parent.items[name] = node
            self._keys[-1] = None

    def _take_key(self, parent: Table, node: Node) -> None:
        """The next node is this key's value; it is left out when the key is no good."""
        self._skipping[-1] = True
        if not isinstance(node, Text):
            got = "a list or a mapping" if not isinstance(node, Spoilt) else "a reference"
            self._say(node.place, "a key must be a word", got, "a word before the colon")
        elif node.value in parent.keys:
            first = parent.keys[node.value].line
            what = f"the key `{_clipped(node.value)}` stands here twice, first in line {first}"
            self._say(node.place, what, shown(node.value), "deleting one of the two")
        else:
            self._skipping[-1] = False
            self._keys[-1] = (node.value, node.place)

    def _lost(self, event: Any) -> str:
        """What follows an unquoted text on its line as a comment."""
        end = event.end_mark
        rest = self._lines[end.line][end.column :] if end.line < len(self._lines) else ""
        if not rest.lstrip(" \t").startswith("#"):
            return ""
        self.lost_lines[end.line] = end.column
        return rest.strip()


def _clipped(name: str) -> str:
    return shown(name, 40)[1:-1]
