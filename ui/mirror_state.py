"""Where Mirror's question stands: TensorFlow's answer, or the recorded one and the reason.

The question is put when the page is opened, unless it failed before or there is no TensorFlow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pipeline import mirror_answer
from pipeline.answers import Answer
from pipeline.launch import tensorflow_is_installed
from pipeline.limits import LimitError
from pipeline.mirror_answer import TASK, MirrorAnswer
from ui import keys, services, waiting
from ui.context import Context
from ui.words import Words, plain


@dataclass(frozen=True)
class Shown:
    """What the page shows. `why` names the text that says why it is a recorded answer."""

    found: MirrorAnswer
    why: str = ""
    """"" when TensorFlow answered here and now."""
    exact: bool = True
    """Whether the answer is for the present settings."""
    waiting: Answer | None = None
    problem: str = ""


def resolve(here: Context) -> Shown:
    """Ask if need be, and choose what to show meanwhile. Returns at once."""
    asked = mirror_answer.question(here.config, here.data)
    answers = services.answers()
    answer = answers.known(TASK, asked)
    if answer is None and tensorflow_is_installed():
        answer = _ask(asked)
    if answer is not None and answer.state == "done":
        return Shown(MirrorAnswer.read(answer.result))
    recorded, exact = mirror_answer.nearest_recorded(answers, asked)
    assert recorded is not None, "answers for every number of replicas ship"
    found = MirrorAnswer.read(recorded.result)
    if answer is None:
        return Shown(found, "no_tensorflow", exact)
    if answer.state == "failed":
        return Shown(found, "failed", exact, problem=answer.error)
    return Shown(found, "asking", exact, waiting=answer)


def note(page: Words, shown: Shown, here: Context) -> None:
    """Under the picture: whose answer it is, how the asking goes, and a button after a failure."""
    values = {
        "tensorflow": shown.found.versions["tensorflow"],
        "keras": shown.found.versions["keras"],
        "replicas": shown.found.replicas,
        "features": len(shown.found.inside.copies[0]),
    }
    if not shown.why:
        st.markdown(page.text("observed", values))
        return
    told = page.text("recorded", values)
    st.markdown(told if shown.exact else f"{told} {page.text('not_yours', values)}")
    if shown.waiting is not None:
        waiting.answer(shown.waiting, page)
    elif shown.why == "failed":
        st.warning(plain(shown.problem), icon=":material/info:")
        st.button(page.text("ask_again"), on_click=_ask_again, args=(here,), key=keys.ASK_AGAIN)
    else:
        st.markdown(page.text(shown.why))


def _ask_again(here: Context) -> None:
    _ask(mirror_answer.question(here.config, here.data))


def _ask(asked: dict[str, Any]) -> Answer:
    """Ask, again if it failed before. A full queue counts as a failure."""
    answers = services.answers()
    try:
        return answers.ask(TASK, asked)
    except LimitError as error:
        return Answer("", answers.folder, "failed", error=str(error))
