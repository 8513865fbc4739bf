"""The words of the lesson: one YAML file a page under `lesson/en`; a translation is new files only.

Texts are Markdown without HTML. `{name}` in a text is a number or shape that the page computes
and hands over; the files themselves state no result (a test looks).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

FOLDER = Path(__file__).resolve().parent.parent / "lesson" / "en"
Values = Mapping[str, object]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_Part):
    """One answer to a prediction, and the reply it gets from the run just made."""

    text: str
    reply: str
    right: bool = False


class Prediction(_Part):
    """A question asked before the reveal. Never graded, never a gate."""

    question: str
    options: tuple[Option, ...]


class Words(_Part):
    """What one page says. `texts` are further sentences, by name; `frames` go with a picture."""

    title: str
    lede: str
    takeaway: str
    predict: Prediction | None = None
    frames: tuple[str, ...] = ()
    texts: dict[str, str] = {}

    def text(self, name: str, values: Values | None = None) -> str:
        """One of the page's further texts with its values filled in."""
        return fill(self.texts[name], values or {})


@functools.cache
def words(page: str) -> Words:
    """The words of the page with this slug."""
    text = (FOLDER / f"{page}.yaml").read_text(encoding="utf-8")
    return Words.model_validate(yaml.safe_load(text))


def fill(template: str, values: Values) -> str:
    """Put values into a text; raises KeyError for a name that no value was given for."""
    return template.format_map(values)


def small(value: float, digits: int = 2) -> str:
    """A number that may be tiny, as text: `0.002`, `6×10⁻⁸`; 0.0 for what is exactly 0."""
    if value == 0:
        return "0.0"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    if -4 <= int(power) < 4:
        return f"{value:.{digits}g}"
    return f"{mantissa}×10{raised(int(power))}"


def raised(power: int) -> str:
    """A whole number as superscript."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def plain(text: str) -> str:
    """A learner's own text (a column, a class, a file name) as Markdown that shows just that."""
    return "".join(f"\\{mark}" if mark in _MARKS else mark for mark in text.replace("\n", " "))


def number(value: float, digits: int = 4) -> str:
    """A value for a text: at most so many significant digits, a real minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def counted(count: int, one: str) -> str:
    """`1 row`, `10,000 rows`."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def sample(values: Sequence[float]) -> str:
    """A row as the lesson writes it: `[0.5, 1.2, ..., 3.4]`."""
    told = [number(value) for value in values]
    if len(told) > 4:
        told = [*told[:3], "...", told[-1]]
    return f"[{', '.join(told)}]"


_MARKS = frozenset("\\`*_{}[]()<>#+-.!|~$:^=\"'&")
