"""Small things that pages put as HTML: tables and lists. Every text is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> None:
    """A small table as HTML: readable by a screen reader, and by name for style and tests."""
    head = "".join(
        f'<th scope="col">{html.escape(text)}</th>' if text else "<td></td>" for text in heads
    )
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    st.html(
        f'<table class="lesson {name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
