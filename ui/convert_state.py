"""What became of the programs of Convert it: as TensorFlow answered here, or as recorded.

Nothing is asked before the learner presses the button. While the programs run, those that have
ended count, and the recorded answer stands for the rest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st

from pipeline.answers import Answer
from pipeline.convert import CELLS, TASK, Inside, Programs
from pipeline.launch import tensorflow_is_installed
from pipeline.limits import LimitError
from ui import keys, notices, services, waiting
from ui.words import Words, plain


@dataclass(frozen=True)
class Shown:
    """All sixteen programs, and which of them `ran` on this machine."""

    programs: Programs
    ran: Collection[tuple[str, Inside]] = ()
    why: str = ""
    """The name of the text that says why some are recorded; "" when all ran here."""
    waiting: Answer | None = None
    problem: str = ""

    def pale(self, optimizer: str, letter: str) -> bool:
        """Whether a cell shows the recorded outcome for now, for want of its own."""
        return self.waiting is not None and (optimizer, CELLS[letter]) not in self.ran


def resolve() -> Shown:
    """What to show of the programs; returns at once and asks nothing."""
    answers = services.answers()
    shipped = answers.recorded(TASK, {})
    assert shipped is not None, "the answer ships"
    recorded = Programs.read(shipped.result)
    answer = answers.known(TASK, {})
    if answer is None:
        return Shown(recorded, why="not_run" if tensorflow_is_installed() else "no_tensorflow")
    if answer.state == "failed":
        return Shown(recorded, why="failed", problem=answer.error)
    if answer.state == "done":
        here = Programs.read(answer.result)
        return Shown(here, here.all)
    here = Programs.so_far(answer.folder)
    both = Programs({**recorded.all, **here.all}, recorded.versions)
    return Shown(both, here.all, "asking", answer)


def ask() -> None:
    """Have the sixteen run, unless they did or cannot; a full queue is told at the page's top."""
    if tensorflow_is_installed():
        try:
            services.answers().ask(TASK, {})
        except LimitError as error:
            notices.tell(str(error))


def note(page: Words, shown: Shown) -> None:
    """Under the board: whose answer it is, how the asking goes, and a button after a failure."""
    told = "recorded" if shown.why else "observed"
    values = {**shown.programs.versions, "seconds": f"{shown.programs.seconds:.0f}"}
    st.markdown(page.text(told, values))
    if shown.waiting is not None:
        waiting.answer(shown.waiting, page)
        _watch(shown.waiting, len(shown.ran))
    elif shown.why:
        st.markdown(plain(shown.problem) or page.text(shown.why))
        if shown.why != "no_tensorflow":
            st.button(page.text("ask_again"), on_click=ask, key=keys.ASK_AGAIN)


@st.fragment(run_every=0.5)
def _watch(asked: Answer, drawn: int) -> None:
    """Draw the page anew when another program has ended."""
    if len(Programs.so_far(asked.folder).all) > drawn:
        st.rerun()
