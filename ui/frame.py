"""The frame that every lesson page has: claim, lede, shape ribbon, notice."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ui import keys

HERE = Path(__file__).parent
ICON = HERE / "icon.png"

STYLE = f"<style>{(HERE / 'frame.css').read_text(encoding='utf-8')}</style>"


def opening(title: str, lede: str) -> None:
    """Notice (if any), the claim as the title, and one or two sentences under it."""
    st.html(STYLE)
    notice = st.session_state.pop(keys.NOTICE, None)
    if notice:
        st.warning(notice, icon=":material/info:")
    st.title(title, anchor=False)
    st.html(f'<p class="lede">{lede}</p>')


def ribbon(stages: Sequence[tuple[str, str]], current: str) -> None:
    """The stages with their live shapes; `current` is the name of the one this page is about."""
    here = ' aria-current="step"'
    items = "".join(
        f"<li{here if name == current else ''}>"
        f'<span class="stage">{name}</span> <span class="shape">{shape}</span></li>'
        for name, shape in stages
    )
    st.html(f'<ol class="ribbon" aria-label="The five stages">{items}</ol>')


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> None:
    """A small table as HTML: readable by a screen reader, and by name for style and tests."""
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    st.html(
        f'<table class="lesson {name}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
