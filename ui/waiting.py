"""What is waited for: a line that a screen reader hears when it changes, and when it is over.

`keyboard.js` does the saying.
"""

from __future__ import annotations

import time

import streamlit as st

from pipeline.answers import Answer
from ui import keys, services
from ui.words import Values, Words


def line(told: str, name: str = "") -> None:
    """What is going on; `name` tells two lines of one page apart."""
    with st.container(key=keys.waiting(name)):
        st.markdown(f":material/hourglass_top: {told}")


@st.fragment(run_every=0.5)
def answer(asked: Answer, page: Words, told: str = "asking", values: Values | None = None) -> None:
    """How long TensorFlow takes with a question; then the page is drawn anew.

    The trainer's limits end a question that hangs, so this ends too.
    """
    now = services.answers().get(asked.key)
    if now is None or now.state != "asked":
        st.rerun()
    place = services.runs().workers.place(asked.folder)
    if place is not None:
        line(page.text("queued", {"place": place}))
        return
    try:
        seconds = max(0.0, time.time() - (asked.folder / "request.json").stat().st_mtime)
    except OSError:
        seconds = 0.0
    line(f"{page.text(told, values)} {seconds:.0f} s")
