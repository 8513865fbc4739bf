"""The frame that every lesson page has: claim, lede, shape ribbon, notice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ui import keys

ICON = Path(__file__).parent / "icon.png"

STYLE = """
<style>
.block-container { padding-top: 3.25rem; max-width: 66rem; }
.lede { max-width: 44rem; font-size: 1.1rem; margin-bottom: 1rem; }
.lede code { font-size: .9em; }
ol.ribbon { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.25rem, 1fr)); gap: .5rem;
            list-style: none; padding: 0; margin: 0 0 .5rem; }
ol.ribbon li { border: 1px solid #8886; border-radius: .35rem; padding: .4rem .6rem; margin: 0; }
.ribbon li[aria-current] { outline: 2px solid currentColor; outline-offset: -1px; }
.ribbon .stage { display: block; font-size: .85rem; }
.ribbon .shape { font-weight: 600; font-size: .95rem; font-variant-numeric: tabular-nums; }
ul.checks { list-style: none; padding: 0; margin: 0; }
ul.checks li { margin: 0 0 .35rem; padding-left: 1.6rem; text-indent: -1.6rem; }
.checks .mark { display: inline-block; width: 1.6rem; text-indent: 0; font-weight: 700; }
</style>
"""


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
