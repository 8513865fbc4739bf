"""Where the cards of Break it stand: their words, which of them were run, how each ended.

What was run is kept for the session. Answers come from TensorFlow through `pipeline.answers`;
where it is absent or fails, the recorded answer stands in and says so.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass

import streamlit as st
import yaml
from pydantic import BaseModel, ConfigDict

from pipeline import cards
from pipeline.answers import Answer
from pipeline.cards import CARDS, TASK, Card, Choice, Ended
from pipeline.launch import tensorflow_is_installed
from pipeline.limits import LimitError
from ui import keys, notices, services
from ui.words import FOLDER, fill

TOGETHER = 2
"""Questions of one learner that may wait at a time, so that others get their turn."""


class CardWords(BaseModel):
    """What one card says. `choices` label its choices, by key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    short: str
    story: str
    why: str
    fix: str
    choices: dict[str, str] = {}

    def label(self, choice: Choice) -> str:
        """The label of a choice, with its arguments filled in."""
        return fill(self.choices[choice.key], choice.given)


@functools.cache
def words(slug: str) -> CardWords:
    """The words of a card."""
    return _all()[slug]


@functools.cache
def _all() -> dict[str, CardWords]:
    read = yaml.safe_load((FOLDER / "cards.yaml").read_text(encoding="utf-8"))
    return {slug: CardWords.model_validate(part) for slug, part in read.items()}


@dataclass(frozen=True)
class Found:
    """How a choice that was run stands. `why` names the text that says why it is recorded."""

    choice: Choice
    answer: Answer | None = None
    why: str = ""
    problem: str = ""

    @property
    def settled(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self.answer is not None and self.answer.state == "done"

    @property
    def here(self) -> Ended:
        """How the program ended; only once settled."""
        assert self.answer is not None
        return Ended.read(self.answer.result)

    @property
    def other(self) -> Ended:
        """How the run with the one change ended."""
        assert self.answer is not None
        return Ended.read(self.answer.result["control"])


def run(choices: list[Choice]) -> None:
    """Note that these were asked for; `ask` puts the questions."""
    asked = [name for name in ran() if name not in {choice.name for choice in choices}]
    st.session_state[keys.CARDS_RUN] = [*asked, *(choice.name for choice in choices)]


def ran() -> list[str]:
    """The names of the experiments that this session ran, the latest last."""
    return list(st.session_state.get(keys.CARDS_RUN, []))


def look(choice: Choice) -> Found:
    """How a choice stands. Asks nothing."""
    answers = services.answers()
    known = answers.known(TASK, choice.question)
    if known is not None and known.state != "failed":
        return Found(choice, known)
    if tensorflow_is_installed() and known is None:
        return Found(choice)
    why = "no_tensorflow" if known is None else "failed"
    shipped = answers.recorded(TASK, choice.question)
    assert shipped is not None, "an answer for every choice ships"
    return Found(choice, shipped, why, "" if known is None else known.error)


def placed() -> list[tuple[Card, Found]]:
    """Every card that has ended, in the order in which it was run, by its latest choice."""
    latest: dict[str, tuple[Card, Found]] = {}
    of = {choice.name: (card, choice) for card in CARDS for choice in card.choices}
    for name in ran():
        card, choice = of[name]
        found = look(choice)
        if found.settled:
            latest[card.slug] = (card, found)
    return list(latest.values())


def open_ones() -> list[Found]:
    """What was run and has not ended."""
    found = [look(choice) for choice in cards.choices() if choice.name in ran()]
    return [one for one in found if not one.settled]


def ask(found: list[Found]) -> None:
    """Put the questions that nobody has put, a few at a time; the rest waits for the next call."""
    waiting = sum(one.answer is not None for one in found)
    for one in found:
        if one.answer is None and waiting < TOGETHER:
            try:
                services.answers().ask(TASK, one.choice.question)
            except LimitError:
                return
            waiting += 1


def ask_again(choice: Choice) -> None:
    """Put a question that failed once more; a full queue leaves it as it is."""
    try:
        services.answers().ask(TASK, choice.question)
    except LimitError as error:
        notices.tell(str(error))


@functools.cache
def recorded_counts() -> Counter[str]:
    """How many cards ended in which way when they were recorded, by their first choice."""
    counts: Counter[str] = Counter({verdict: 0 for verdict in cards.VERDICTS})
    for card in CARDS:
        shipped = services.answers().recorded(TASK, card.choices[0].question)
        assert shipped is not None
        counts[Ended.read(shipped.result).verdict] += 1
    return counts
