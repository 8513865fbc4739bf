"""Sentences for the top of the page: told by whatever met the trouble, shown once, in order."""

from __future__ import annotations

import streamlit as st

from ui import keys
from ui.words import plain


def tell(text: str) -> None:
    """Keep a sentence until the top of a page is drawn; told twice, it is shown once."""
    waiting: list[str] = st.session_state.setdefault(keys.NOTICES, [])
    if text not in waiting:
        waiting.append(text)


def show() -> None:
    """Show what was told, letter by letter (a link's values may be in it), and forget it."""
    for text in st.session_state.pop(keys.NOTICES, []):
        st.warning(plain(text), icon=":material/info:")
