"""The parts of the teacher's page: the keys, the link for the class, the plan, what to print."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui import contents, frame, keys, presenter, speaker_notes
from ui.words import words

KIT = Path(__file__).resolve().parent.parent / "docs" / "teach"
FILES = {"handout": "handout.html", "plan_file": "plan-45-minutes.md"}
"""What a learner may have as well, by the name of its text."""
KEYS = ("arrows", "space", "scroll", "turn", "question", "notes", "link", "clicker", "leave")


def minutes() -> int:
    """How long the plan takes."""
    return max(end for _, end in speaker_notes.plan().values())


def present() -> None:
    """The way into the presenter view, and its keys."""
    said = words("teach")
    st.markdown(said.text("present_help"))
    st.link_button(said.text("open"), presenter.presenter_link(), type="primary")
    frame.table(
        [said.text("heads_key"), said.text("heads_does")],
        [[said.text(f"key_{name}"), said.text(f"does_{name}")] for name in KEYS],
        "keys",
    )


def class_link() -> None:
    """The address for learners, to copy."""
    said = words("teach")
    st.markdown(said.text("class_help"))
    link = presenter.class_link(contents.CONTENTS[0])
    st.code(link, language=None, wrap_lines=True)
    if presenter.only_here(link):
        st.markdown(said.text("only_here"))


def plan() -> None:
    """The plan as a table, and all notes on request."""
    said, times = words("teach"), speaker_notes.plan()
    st.markdown(said.text("plan_help", {"count": len(times), "minutes": minutes()}))
    rows = [
        [f"{start}–{end}", _title(slug), speaker_notes.notes()[slug].say]
        for slug, (start, end) in times.items()
    ]
    frame.table([said.text(f"heads_{name}") for name in ("when", "page", "say")], rows, "plan")
    if st.toggle(said.text("show_notes"), key=keys.ALL_NOTES):
        for entry in contents.CONTENTS:
            if entry.slug in speaker_notes.notes():
                st.markdown(f"**{entry.title}**")
                speaker_notes.aside(entry.slug)


def kit() -> None:
    """What can be printed, to take away."""
    said = words("teach")
    st.markdown(said.text("kit_help"))
    with st.container(horizontal=True):
        for name, file in FILES.items():
            st.download_button(
                said.text(name),
                (KIT / file).read_bytes(),
                file_name=file,
                on_click="ignore",
                icon=":material/download:",
            )


def _title(slug: str) -> str:
    entry = contents.find(slug)
    return entry.title if entry else slug
