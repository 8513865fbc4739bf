"""The keyboard keeps its place when a page is drawn anew, and goes to the title of a new page.

What a page waits for is said to a screen reader.

`begin` is called in `pages/main.py` before every page; pages know nothing of it. The presenter
view looks after the keyboard itself.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import streamlit as st

from ui import keys, presenter
from ui.contents import Entry

OVER = "No longer waiting: the answer is on the page."
SOURCE = Path(__file__).parent / "keyboard.js"


def begin(here: Entry) -> None:
    """Watch over the keyboard on the page `here`."""
    if not presenter.is_on():
        _component()(data={"page": here.slug, "over": OVER}, key=keys.KEYBOARD)


@functools.cache
def _component() -> Any:
    return st.components.v2.component(
        "lockstep_keyboard", html="<span></span>", js=SOURCE.read_text(encoding="utf-8")
    )
