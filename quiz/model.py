"""What a bank is: frozen models with every rule that one value can break by itself.

Rules between values (two options that look alike, an id that stands twice) are in `lint`; the
sentences for a broken rule are in `sentences`. The JSON Schema for editors is made
from here by `schema`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

Letter = Literal["A", "B", "C", "D"]
LETTERS: tuple[Letter, ...] = ("A", "B", "C", "D")
Difficulty = Literal["easy", "medium", "hard"]

MOST_TEXT = 2_000
MOST_CODE = 3_000
MOST_QUESTIONS = 500
SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"

_INVISIBLE = re.compile(
    "[\\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064"
    "\u2800\u3164\ufe00-\ufe0f\uffa0]+"
)


def _seen(text: str) -> str:
    text = text.strip()
    if not _INVISIBLE.sub("", text):
        raise PydanticCustomError("blank", "must not be empty")
    return text


def _code(text: str) -> str:
    return "\n".join(line.rstrip() for line in _seen_lines(text))


def _seen_lines(text: str) -> list[str]:
    _seen(text)
    return text.strip("\n").rstrip().split("\n")


def _version(value: Any) -> Any:
    return 1 if value == "1" else value


def _truth(value: Any) -> Any:
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _named(value: Any) -> Any:
    return {"experiment": value} if isinstance(value, str) else value


def _all_letters(options: Mapping[Letter, Option]) -> Mapping[Letter, Option]:
    if set(options) != set(LETTERS):
        raise PydanticCustomError("letters", "needs A, B, C and D")
    return {letter: options[letter] for letter in LETTERS}


Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=60)]
Text = Annotated[str, StringConstraints(max_length=MOST_TEXT), AfterValidator(_seen)]
Code = Annotated[str, StringConstraints(max_length=MOST_CODE), AfterValidator(_code)]
Texts = Annotated[tuple[Text, ...], Field(min_length=1, max_length=12)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(_Frozen):
    """The experiment that shows what is true of an option.

    In YAML the name alone, or a mapping with the reason why the option is a judgement that no
    experiment decides; the experiment is then the nearest observation.
    """

    experiment: Slug
    not_testable: Text | None = None


class Option(_Frozen):
    """One choice: a text, a program, or a program under a text; and what is said to who took it."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["text"]}, {"required": ["code"]}]}
    )

    text: Text | None = None
    code: Code | None = None
    feedback: Text
    evidence: Annotated[
        Evidence | None,
        BeforeValidator(_named),
    ] = None

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if self.text is None and self.code is None:
            raise PydanticCustomError("no_content", "needs `text` or `code`")
        return self


class Question(_Frozen):
    """One question, with all that is told before and after it is answered."""

    id: Slug
    set: Slug = "practice"
    prompt: Text
    code: Code | None = None
    options: Annotated[
        Mapping[Letter, Option],
        AfterValidator(_all_letters),
    ]
    answer: Letter
    hints: Annotated[
        Texts,
        BeforeValidator(_one_or_more),
        Field(alias="hint", description="A text, or several from gentle to strong"),
    ]
    solution: Texts
    common_mistakes: Texts
    difficulty: Difficulty
    lesson: Slug
    in_practice: Text | None = None


class SetInfo(_Frozen):
    """What a set of questions is called, and whether its options change places."""

    title: Text
    intro: Text | None = None
    shuffle: Annotated[bool, BeforeValidator(_truth), Field(strict=True)] = False


class Bank(_Frozen):
    """All questions, in the order of the file."""

    version: Annotated[Literal[1], BeforeValidator(_version)]
    title: Text
    key_insight: Text | None = None
    sets: Mapping[Slug, SetInfo] = Field(default_factory=dict)
    questions: Annotated[tuple[Question, ...], Field(min_length=1, max_length=MOST_QUESTIONS)]

    @property
    def set_names(self) -> tuple[str, ...]:
        """The sets that have questions, in the order of their first question."""
        return tuple(dict.fromkeys(question.set for question in self.questions))

    def set_info(self, name: str) -> SetInfo:
        """The settings of a set; a set that `sets` does not mention has its name as title."""
        return self.sets.get(name) or SetInfo(title=name.replace("-", " ").capitalize())

    def in_set(self, name: str) -> tuple[Question, ...]:
        """The questions of one set; empty when there is no such set."""
        return tuple(question for question in self.questions if question.set == name)

    def question(self, question_id: str) -> Question:
        """The question with this id; KeyError when there is none."""
        for question in self.questions:
            if question.id == question_id:
                return question
        raise KeyError(question_id)

    def to_json(self) -> str:
        """All content in one canonical line: what an attempt is pinned to."""
        content = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The bank that `to_json` wrote."""
        return cls.model_validate_json(text)

    @property
    def content_hash(self) -> str:
        """Changes with any word a learner can meet, not with comments or layout of the file."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()
