"""Presenter view, `?view=presenter`: the lesson as a hall sees it, led by keys alone.

`begin` is called in `pages/main.py` before every page: it adds the style, the bar with its keys,
and on request the speaker notes or the link for the class. Pages know nothing of it.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pipeline.config import RunConfig
from ui import contents, keys, settings, speaker_notes
from ui.contents import Entry
from ui.words import words

HERE = Path(__file__).parent
STYLE = (HERE / "presenter.css").read_text(encoding="utf-8")
VIEW = "presenter"
"""The value of the query parameter `view` that turns it on."""


def is_on() -> bool:
    """Whether this browser shows the presenter view."""
    return bool(st.session_state.get(keys.VIEW) == VIEW)


def begin(here: Entry) -> None:
    """Style, keys and bar of the presenter view for the page `here`; nothing without it."""
    if not is_on():
        return
    st.html(f"<style>{STYLE}</style>")
    with st.container(key=keys.PRESENTER):
        _panel(here)
        with st.container(key=keys.PRESENTER_BAR, horizontal=True, vertical_alignment="center"):
            _bar(here)
        _component()(data={"page": here.slug}, key=keys.PRESENTER_KEYS)


def class_link(here: Entry) -> str:
    """The address of `here` as learners open it: the present settings, and the run if one is named.

    Nothing of this browser goes with it: not the view, and no right to stop the run.
    """
    run = str(st.session_state.get(keys.RUN) or "")
    return address(st.context.url or "", here, settings.current(), run)


def address(seen: str, here: Entry, config: RunConfig, run: str = "") -> str:
    """The address of the page `here` on the server of `seen`, the address of any of its pages.

    Of the settings, only those that are not the default stand in it.
    """
    base, _, last = seen.rstrip("/").rpartition("/")
    if contents.find(last) is None:
        base = seen.rstrip("/")
    query = config.to_query() | ({keys.RUN: run} if run else {})
    return f"{base}/{here.path}" + (f"?{urlencode(query)}" if query else "")


def presenter_link() -> str:
    """The address of the first page in the presenter view, with the present settings."""
    link = class_link(contents.CONTENTS[0])
    return f"{link}{'&' if '?' in link else '?'}{keys.VIEW}={VIEW}"


def only_here(link: str) -> bool:
    """Whether an address means this machine alone, so that nobody else can open it."""
    return urlsplit(link).hostname in {"localhost", "127.0.0.1", "::1"}


def _panel(here: Entry) -> None:
    """What was asked for: the speaker notes or the link for the class."""
    asked = st.session_state.get(keys.PRESENTER_PANEL)
    if asked == "link":
        link = class_link(here)
        with st.container(key=keys.PRESENTER_LINK):
            st.code(link, language=None, wrap_lines=True)
            if only_here(link):
                st.markdown(words("teach").text("only_here"))
    elif asked == "notes":
        with st.container(key=keys.PRESENTER_NOTES):
            speaker_notes.aside(here.slug)


def _bar(here: Entry) -> None:
    said = words("teach")
    # Links, not buttons: `st.switch_page` clears the query, which bound settings do not allow.
    turns = (
        (keys.PRESENTER_BACK, contents.before(here.slug), "back"),
        (keys.PRESENTER_NEXT, contents.after(here.slug), "next"),
    )
    for key, page, name in turns:
        if page is not None:
            with st.container(key=key, width="content"):
                st.page_link(page.file, label=said.text(name))
    for name, key in (("notes", "s"), ("link", "l")):
        st.button(
            said.text(name),
            key=keys.presenter_button(name),
            shortcut=key,
            on_click=_turn_over,
            args=(name,),
        )
    st.button(said.text("leave"), key=keys.PRESENTER_LEAVE, shortcut="esc", on_click=_leave)
    place = {
        "place": contents.CONTENTS.index(here) + 1,
        "all": len(contents.CONTENTS),
        "title": here.title,
    }
    st.markdown(said.text("place", place))


def _leave() -> None:
    st.session_state[keys.VIEW] = ""


def _turn_over(panel: str) -> None:
    shown = st.session_state.get(keys.PRESENTER_PANEL) == panel
    st.session_state[keys.PRESENTER_PANEL] = "" if shown else panel


@functools.cache
def _component() -> Any:
    return st.components.v2.component(
        "lockstep_presenter",
        html="<span></span>",
        js=(HERE / "presenter.js").read_text(encoding="utf-8"),
    )
