"""The words around the questions, and how points, options and verdicts are named."""

from __future__ import annotations

from typing import Any

from quiz.markup import plain
from ui import keys
from ui.words import words


def say(name: str, **values: object) -> str:
    """One of the texts of `lesson/en/quiz.yaml`."""
    return words("quiz").text(name, values)


def points(value: float) -> str:
    """`1 point`, `0.6 points`."""
    return f"{value:g} point" if value == 1 else f"{value:g} points"


def has_code(view: dict[str, Any]) -> bool:
    """Whether options are programs: then the choice carries letters only."""
    return any(option["code"] for option in view["options"])


def labels(view: dict[str, Any]) -> dict[str, str]:
    """What stands beside each option's button, by its letter; never two alike."""
    if has_code(view):
        return {option["letter"]: option["letter"] for option in view["options"]}
    return {o["letter"]: f"**{o['letter']}**\u2002{o['text']}" for o in view["options"]}


def short(prompt: str, most: int = 70) -> str:
    """A prompt in one line without Markdown, cut at a word."""
    text = " ".join(plain(prompt).split())
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


def verdict_key(view: dict[str, Any]) -> str:
    """Another one for each verdict, so that the focus goes to the new one, not to the last."""
    number = len(view["tried"]) + view["revealed"]
    return keys.quiz_part(f"verdict{number}", view["id"])
