"""What misleads a learner although each value is fine by itself. All of it is an error.

Works on the plain content of a file and not on models, so that a question with one broken value
still gets everything said that can be said of it. Matters of taste are in `patterns`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import ErrorDetails

from quiz.markup import look, look_of_code, markup_problems
from quiz.model import LETTERS, MOST_CODE, MOST_TEXT
from quiz.problems import shown

Loc = tuple[str | int, ...]

# Stands for `code:` with nothing behind it: no learner should meet the word "null".
NOTHING = ""

_TEXTS = frozenset(
    (
        *("title", "key_insight", "intro", "prompt", "code", "text", "feedback", "not_testable"),
        *("hint", "solution", "common_mistakes", "in_practice"),
    )
)
_OPTIONAL = frozenset(("code", "key_insight", "intro", "in_practice", "evidence", "not_testable"))
_OF_OTHERS = re.compile(
    r"(?i)\b(all|none|both|any|neither|some|two)\s+(of\s+)?(the\s+|these\s+|them\b|those\s+)*"
    r"(other\s+)?(above|options?|answers?|choices?|others?)\b"
    r"|\b(all|none|both|any|neither)\s+of\s+(these|them|those)\s*\W*$"
    r"|^\W*(both|neither|either)?\s*[A-D]\s*(,\s*[A-D]\s*)*(and|or|nor|&|\+)\s*[A-D]\W*$"
)
_LETTER = re.compile(
    r"(?i:\b(options?|answers?|choices?|letters?)\s+)\(?[A-D]\b(?!')"
    r"|\b[BCD]\b(?!['\u2019+#-])"
    r"|\([A-D]\)"
    r"|\b[A-D](,\s*[A-D])*\s+(and|or)\s+[A-D]\b"
)
_CODE_SPAN = re.compile(r"`[^`]*`")


@dataclass(frozen=True)
class Slip:
    """One thing that misleads, at a path; `row` and `column` (from 1) lie inside a text.

    `first` is the path of what it clashes with: its line is added to the sentence.
    """

    loc: Loc
    what: str
    got: str
    remedy: str
    row: int | None = None
    column: int = 1
    first: Loc | None = None


@dataclass(frozen=True)
class Names:
    """The names that questions may use; None leaves them unchecked."""

    lessons: Collection[str] | None = None
    experiments: Collection[str] | None = None


def is_free_text(loc: Loc) -> bool:
    """Whether the value at this path is shown to a learner as it is written."""
    return bool(_TEXTS & {step for step in loc[-2:] if isinstance(step, str)})


def is_optional(loc: Loc) -> bool:
    """Whether a value at this path may be left out, so that "null" means just that."""
    return loc[-1:] != () and loc[-1] in _OPTIONAL


def number_of_questions(content: Any) -> int:
    """How many questions a file lists, good or bad."""
    return sum(1 for _ in _questions(content)) if isinstance(content, dict) else 0


def slips(content: Any, names: Names) -> Iterator[Slip]:
    """Everything that misleads in the plain content of a file, of whatever shape."""
    if not isinstance(content, dict):
        return
    yield from _markup(content, ())
    sets = content.get("sets")
    yield from _repeated_ids(content)
    for index, question in _questions(content):
        loc: Loc = ("questions", index)
        yield from _code(question, loc)
        yield from _options(question, loc)
        yield from _names(question, loc, names)
        yield from _set_of(question, loc, sets)
        if _shuffled(question, sets):
            yield from _letters(question, loc)


def _questions(content: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    questions = content.get("questions")
    if isinstance(questions, list):
        for index, question in enumerate(questions):
            if isinstance(question, dict):
                yield index, question


def _option_dicts(question: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    options = question.get("options")
    if isinstance(options, dict):
        for letter, option in options.items():
            if isinstance(option, dict):
                yield letter, option


def _texts(value: Any, loc: Loc) -> Iterator[tuple[Loc, str]]:
    """Every text that is shown as Markdown, with its path."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, (*loc, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*loc, index))
    elif (
        isinstance(value, str)
        and len(value) <= MOST_TEXT
        and is_free_text(loc)
        and loc[-1] != "code"
    ):
        yield loc, value


def _markup(content: dict[str, Any], loc: Loc) -> Iterator[Slip]:
    for path, text in _texts(content, loc):
        for piece, why in markup_problems(text.strip()):
            yield Slip(path, f"a piece that {why}", shown(piece), "backticks around it")


def _repeated_ids(content: dict[str, Any]) -> Iterator[Slip]:
    first: dict[str, int] = {}
    for index, question in _questions(content):
        name = question.get("id")
        if isinstance(name, str) and name in first:
            yield Slip(
                ("questions", index, "id"),
                "this id is taken",
                shown(name),
                "another id",
                first=("questions", first[name], "id"),
            )
        elif isinstance(name, str):
            first[name] = index


def _code(question: dict[str, Any], loc: Loc) -> Iterator[Slip]:
    programs = [((*loc, "code"), question.get("code"))]
    programs += [
        ((*loc, "options", letter, "code"), option.get("code"))
        for letter, option in _option_dicts(question)
    ]
    for path, code in programs:
        if isinstance(code, str) and code.strip() and len(code) <= MOST_CODE:
            try:
                ast.parse(code.strip("\n"))
            except SyntaxError as error:
                yield Slip(
                    path,
                    "code that is not Python",
                    shown((error.text or str(error.msg)).strip() or str(error.msg)),
                    f"mending it ({error.msg})",
                    row=error.lineno,
                    column=error.offset or 1,
                )
            except (ValueError, MemoryError, RecursionError) as error:
                yield Slip(path, "code that is not Python", shown(str(error)), "simpler code")


def _options(question: dict[str, Any], loc: Loc) -> Iterator[Slip]:
    options = question.get("options")
    missing = [letter for letter in LETTERS if letter not in (options or ())]
    if isinstance(options, dict) and options and missing:
        have = ", ".join(shown(name, 20)[1:-1] for name in list(options)[:12])
        what = "the question needs the options A, B, C, D"
        yield Slip((*loc, "options"), what, have, f"adding {', '.join(missing)}")
    seen: dict[tuple[str, str], str] = {}
    for letter, option in _option_dicts(question):
        text, code = (option.get(name) for name in ("text", "code"))
        text = text if isinstance(text, str) and len(text) <= MOST_TEXT else ""
        code = code if isinstance(code, str) and len(code) <= MOST_CODE else ""
        if not text.strip() and not code.strip():
            continue
        key = (look(text), look_of_code(code))
        path: Loc = (*loc, "options", letter, "text" if text else "code")
        if key in seen:
            what = f"options {seen[key]} and {letter} look the same to a reader"
            yield Slip(path, what, shown(text or code), "two texts that differ in words")
        seen.setdefault(key, letter)
        if _OF_OTHERS.search(text):
            what = "an option that speaks of other options"
            yield Slip(path, what, shown(text), "saying what is meant, in its own words")


def _names(question: dict[str, Any], loc: Loc, names: Names) -> Iterator[Slip]:
    lesson = question.get("lesson")
    if names.lessons is not None and isinstance(lesson, str):
        yield from _known((*loc, "lesson"), "lesson", lesson, names.lessons)
    if names.experiments is None:
        return
    for letter, option in _option_dicts(question):
        evidence = option.get("evidence")
        path: Loc = (*loc, "options", letter, "evidence")
        if isinstance(evidence, dict):
            evidence, path = evidence.get("experiment"), (*path, "experiment")
        if isinstance(evidence, str):
            yield from _known(path, "experiment", evidence, names.experiments)


def _set_of(question: dict[str, Any], loc: Loc, sets: Any) -> Iterator[Slip]:
    name = question.get("set", "practice")
    if isinstance(sets, dict) and sets and isinstance(name, str):
        yield from _known((*loc, "set"), "set of `sets`", name, sets)


def _known(loc: Loc, kind: str, name: str, known: Collection[str]) -> Iterator[Slip]:
    if name not in known:
        near = difflib.get_close_matches(name[:60], list(known), n=1)
        some = ", ".join(sorted(known)[:20]) or "none are known"
        remedy = f"'{near[0]}': did you mean that?" if near else f"one of: {some}"
        yield Slip(loc, f"there is no {kind} of this name", shown(name), remedy)


def _shuffled(question: dict[str, Any], sets: Any) -> bool:
    name = question.get("set", "practice")
    info = sets.get(name) if isinstance(sets, dict) and isinstance(name, str) else None
    return isinstance(info, dict) and info.get("shuffle") == "true"


def _letters(question: dict[str, Any], loc: Loc) -> Iterator[Slip]:
    for path, text in _texts(question, loc):
        found = _LETTER.search(_CODE_SPAN.sub(" ", text))
        if found:
            what = "a letter that means nothing once the options have changed places"
            yield Slip(path, what, shown(found[0]), "naming the option by its words")


def says_it_better(error: ErrorDetails) -> bool:
    """Whether an error of the models is told by this module, or follows from another one."""
    follows = error["type"] == "too_short" and bool(error["input"])
    return error["type"] == "letters" or follows
