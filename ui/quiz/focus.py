"""Where the keyboard goes after an act, and what a screen reader is told: a live region that stays.

`move` is called in a button's callback; `slot` is drawn once, first on the page.
"""

from __future__ import annotations

import functools
import uuid
from pathlib import Path
from typing import Any

import streamlit as st

from ui import keys

HERE = Path(__file__).parent
HIDDEN = (
    ".said { position: absolute; width: 1px; height: 1px; overflow: hidden;"
    " clip-path: inset(50%); }"
)


def move(target: str, say: str = "") -> None:
    """After this rerun put the focus on the container with key `target`; "" leaves it."""
    st.session_state[keys.QUIZ_FOCUS] = {"token": uuid.uuid4().hex, "target": target, "say": say}


def slot() -> None:
    """The live region. It must stand before everything that comes and goes."""
    data = st.session_state.get(keys.QUIZ_FOCUS, {"token": "", "target": "", "say": ""})
    _component()(data=data, key=keys.QUIZ_LIVE)


@functools.cache
def _component() -> Any:
    return st.components.v2.component(
        "lockstep_focus",
        html='<div class="said" role="status" aria-live="polite"></div>',
        css=HIDDEN,
        js=(HERE / "focus.js").read_text(encoding="utf-8"),
    )
