"""A value that breaks a rule of `model` -> the sentence that says so, and where it stands."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from quiz.model import LETTERS, Bank, Evidence, Option, Question, SetInfo
from quiz.problems import Place, Problem, shown

Loc = tuple[str | int, ...]
_SHAPES = {
    "string_type": ("text", "a text"),
    "dict_type": ("keys with values", "`key: value` lines below it"),
    "mapping_type": ("keys with values", "`key: value` lines below it"),
    "model_type": ("keys with values", "`key: value` lines below it"),
    "model_attributes_type": ("keys with values", "`key: value` lines below it"),
    "tuple_type": ("a list", "one line starting with `- ` for each"),
    "bool_type": ("true or false", "true or false"),
    "bool_parsing": ("true or false", "true or false"),
}


def problem_of(error: ErrorDetails, content: Any, place: Callable[..., Place]) -> Problem:
    """One of pydantic's errors as a problem; `place` finds the place of a path."""
    loc = tuple(step for step in error["loc"] if step != "[key]")
    kind = error["type"]
    name = f"`{_clip(loc[-1])}`" if loc and isinstance(loc[-1], str) else "this entry"
    owner = _owner(loc, content)
    got = _received(error["input"])
    at = place(loc)
    if kind == "missing":
        have = _listed(error["input"]) if isinstance(error["input"], Mapping) else got
        return Problem(at, f"{owner} needs {name}", have, f"adding a line {name[:-1]}: …`")
    if kind == "extra_forbidden":
        known = _keys(_model_at(loc[:-1]))
        what = f"{name} is unknown in {owner}"
        return Problem(place(loc, key=True), what, name, _nearest(str(loc[-1]), known))
    if len(error["loc"]) > len(loc):
        return _bad_key(error, loc, place)
    if kind == "literal_error" and loc[-1:] == ("answer",):
        value = str(error["input"]).strip().upper()
        remedy = f"'{value}'" if value in LETTERS else "the letter of the right option"
        return Problem(at, "`answer` must be A, B, C or D", got, remedy)
    if kind == "literal_error" and loc[-1:] == ("difficulty",):
        remedy = _nearest(str(error["input"]).lower(), ("easy", "medium", "hard"))
        return Problem(at, "`difficulty` must be easy, medium or hard", got, remedy)
    if kind == "literal_error":
        return Problem(at, f"{name} must be 1", got, "version: 1")
    if kind == "string_pattern_mismatch":
        what = f"{name} must be small letters, digits and single hyphens"
        return Problem(at, what, got, "a name like 'same-batch-loss'")
    if kind in _SHAPES:
        shape, remedy = _SHAPES[kind]
        return Problem(at, f"{name} of {owner} must be {shape}", got, remedy)
    what, remedy = _measured(error, name, owner)
    return Problem(at, what, got, remedy)


def _measured(error: ErrorDetails, name: str, owner: str) -> tuple[str, str]:
    kind = error["type"]
    if kind in ("blank", "too_short"):
        return f"{name} of {owner} is empty", "some words, or no such line if it may be left out"
    if kind == "no_content":
        return f"{owner} shows nothing", "adding `text: …` or `code: |`"
    if kind == "string_too_long":
        return f"{name} of {owner} is too long: {len(error['input']):,} characters", "fewer words"
    if kind == "too_long":
        return f"{name} of {owner} has too many entries", "fewer entries"
    return f"{name} of {owner}: {error['msg']}", "the shape shown in quiz/bank.yaml"


def _bad_key(error: ErrorDetails, loc: Loc, place: Callable[..., Place]) -> Problem:
    """A key that cannot be the name of an option, or of a set."""
    if loc[-2:-1] == ("options",):
        upper = error["input"].strip().upper()
        remedy = f"'{upper}'" if upper in LETTERS else "one of these four letters"
        what = "options are called A, B, C and D"
        return Problem(place(loc, key=True), what, _received(error["input"]), remedy)
    what = "a set's name must be small letters, digits and single hyphens"
    remedy = "a name like 'practice'"
    return Problem(place(loc, key=True), what, _received(error["input"]), remedy)


def _owner(loc: Loc, content: Any) -> str:
    """The words for what holds the last step of this path."""
    if loc[:1] == ("questions",) and len(loc) >= 2:
        question = f"question {int(loc[1]) + 1}"
        try:
            found = content["questions"][loc[1]]["id"]
            question = f"the question {shown(found, 40)}" if isinstance(found, str) else question
        except (KeyError, IndexError, TypeError):
            pass
        if len(loc) >= 4 and loc[2] == "options":
            return f"option {_clip(loc[3])} of {question}"
        return question
    if loc[:1] == ("sets",) and len(loc) >= 2:
        return f"the set {shown(str(loc[1]), 40)}"
    return "the file"


def _model_at(loc: Loc) -> type[BaseModel]:
    if loc[-1:] == ("evidence",):
        return Evidence
    if loc[:1] == ("sets",):
        return SetInfo
    if loc[:1] == ("questions",):
        return Option if len(loc) > 2 else Question
    return Bank


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _nearest(word: str, known: Iterable[str]) -> str:
    known = list(known)
    near = difflib.get_close_matches(word[:60], known, n=1)
    return f"`{near[0]}`: did you mean that?" if near else "one of " + ", ".join(known)


def _received(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"the keys {_listed(value)}" if value else "no keys"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}" if value else "an empty list"
    return shown(value) if str(value) else "nothing"


def _listed(names: Iterable[Any]) -> str:
    listed = [_clip(name) for name in names]
    more = f" and {len(listed) - 12} more" if len(listed) > 12 else ""
    return (", ".join(listed[:12]) + more) or "nothing"


def _clip(name: object) -> str:
    return shown(str(name), 40)[1:-1]
