"""Speaker notes: what a teacher says on each page, from `lesson/en/notes.yaml`."""

from __future__ import annotations

import functools
import html

import streamlit as st
import yaml
from pydantic import BaseModel, ConfigDict, PositiveInt

from ui.words import FOLDER, words


class Note(BaseModel):
    """The note of one page. `minutes` is how long it takes in front of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minutes: PositiveInt
    planned: bool = False
    """Whether the plan for one lesson has this page."""
    say: str
    wrong: str
    """The usual wrong answer, and what to reply."""
    plan_b: str


@functools.cache
def notes() -> dict[str, Note]:
    """Every note by the slug of its page; the planned ones in the order of the plan."""
    found = yaml.safe_load((FOLDER / "notes.yaml").read_text(encoding="utf-8"))
    return {slug: Note.model_validate(note) for slug, note in found.items()}


def plan() -> dict[str, tuple[int, int]]:
    """The first and the last minute of each planned page, by slug, counted from 0."""
    times, at = {}, 0
    for slug, note in notes().items():
        if note.planned:
            times[slug] = (at, at + note.minutes)
            at += note.minutes
    return times


def lines(slug: str) -> list[tuple[str, str]]:
    """The note of a page as (heading, text) pairs; empty where there is none."""
    note, said = notes().get(slug), words("teach")
    if note is None:
        return []
    times = plan().get(slug)
    minutes = str(note.minutes)
    if times:
        values = {"minutes": minutes, "start": times[0], "end": times[1]}
        minutes = said.text("note_planned", values)
    return [
        (said.text("note_say"), note.say),
        (said.text("note_wrong"), note.wrong),
        (said.text("note_minutes"), minutes),
        (said.text("note_plan_b"), note.plan_b),
    ]


def aside(slug: str) -> None:
    """The note of a page, where the caller is."""
    said = words("teach")
    shown = lines(slug)
    parts = "".join(
        f"<dt>{html.escape(head)}</dt><dd>{html.escape(text)}</dd>" for head, text in shown
    )
    inside = f"<dl>{parts}</dl>" if shown else f"<p>{html.escape(said.text('no_note'))}</p>"
    label = html.escape(said.text("notes_here"))
    st.html(f'<aside class="notes" aria-label="{label}">{inside}</aside>')
