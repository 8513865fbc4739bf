"""The buttons that pick another row as yours; the row itself is a setting, so a link keeps it."""

from __future__ import annotations

import random

import streamlit as st

from ui import keys


def row_buttons(row: int, rows: int) -> None:
    """The row before, any other row, the row after, of `rows` training rows."""
    other = random.randrange(rows - 1) if rows > 1 else row
    with st.container(horizontal=True, gap="small"):
        for name, to, key in (
            ("Previous", max(0, row - 1), keys.PREVIOUS_ROW),
            ("Another row", other + (other >= row) if rows > 1 else row, keys.ANOTHER_ROW),
            ("Next", min(rows - 1, row + 1), keys.NEXT_ROW),
        ):
            st.button(name, key=key, on_click=_choose, args=(to,), disabled=to == row)


def _choose(row: int) -> None:
    st.session_state["row"] = row
