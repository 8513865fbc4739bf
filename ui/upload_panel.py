"""A learner's own CSV on the page Load: chosen, read, or refused with every reason.

A file that cannot be used changes nothing: the data shown before stay, and what is wrong with
the file stays visible (on other visits too) until it is mended here, replaced or put away.
"""

from __future__ import annotations

import html
from typing import Any

import streamlit as st

from pipeline.datasets import DataError
from pipeline.run_log import no_room
from pipeline.sources import Csv
from pipeline.uploads import UploadGone, is_upload
from ui import data_choice, keys, notices, services
from ui.context import Context
from ui.data_choice import Decisions
from ui.words import Words, plain

Refused = dict[str, Any]
"""Name, problems, offers, the file's id (None: it was not kept) and how it was to be read."""


def panel(here: Context, words: Words) -> None:
    """The file chooser, and what there is to say or decide about the file in hand."""
    with st.container(key=keys.UPLOAD_PANEL, width=700):
        limits = services.runs().limits
        st.markdown(
            words.text(
                "own_help",
                {
                    "megabytes": f"{limits.upload_megabytes:g}",
                    "most_rows": f"{limits.rows:,}",
                    "most_columns": f"{limits.columns:,}",
                    "hours": f"{limits.upload_hours:g}",
                },
            )
        )
        st.file_uploader(
            words.text("choose_file"),
            type=["csv", "txt", "tsv"],
            key=keys.UPLOAD,
            on_change=_received,
            label_visibility="collapsed",
        )
        refused: Refused | None = st.session_state.get(keys.REFUSED)
        if refused is not None:
            _say(refused, words)
            _label_column(refused["data"], refused["decisions"], words)
            _ways_out(refused, words)
        elif is_upload(here.config.data):
            decided = {"label": here.config.label, "leave_out": here.config.leave_out}
            _label_column(here.config.data, decided, words)


def _say(refused: Refused, words: Words) -> None:
    st.markdown(words.text("refused", {"name": plain(refused["name"])}))
    items = "".join(f"<li>{html.escape(problem)}</li>" for problem in refused["problems"])
    st.html(f'<ul class="problems" role="alert">{items}</ul>')


def _label_column(data: str | None, decided: Decisions, words: Words) -> None:
    columns = data_choice.columns(data) if data else []
    if not columns:
        return
    st.session_state[keys.UPLOAD_LABEL] = decided["label"] or columns[-1]
    st.selectbox(
        words.text("label"),
        columns if decided["label"] in ("", *columns) else [*columns, decided["label"]],
        key=keys.UPLOAD_LABEL,
        help=words.text("label_help"),
        on_change=_label_chosen,
        args=(data, columns[-1], decided["leave_out"]),
    )


def _ways_out(refused: Refused, words: Words) -> None:
    with st.container(horizontal=True):
        if refused["offers"]:
            both = "both" if len(refused["offers"]) > 1 else refused["offers"][0]
            accepted = {**refused["decisions"], "leave_out": refused["leave_out"]}
            st.button(
                words.text(f"leave_{both}"),
                type="primary",
                key=keys.LEAVE_THEM_OUT,
                on_click=_read_kept,
                args=(refused["data"], accepted),
            )
        st.button(words.text("forget"), key=keys.FORGET_FILE, on_click=_forget)


def _received() -> None:
    file = st.session_state[keys.UPLOAD]
    if file is None:  # the learner took it out of the chooser again
        _forget()
        return
    csv = Csv(file.name, file.getvalue())
    fits = len(csv.raw) <= services.runs().limits.upload_megabytes * 1_000_000
    try:
        data = services.uploads().save(csv) if fits else None
    except OSError as error:
        notices.tell(no_room(error))
        return
    _try(csv, data, dict(data_choice.AS_IT_IS))


def _label_chosen(data: str, last: str, leave_out: str) -> None:
    chosen = st.session_state[keys.UPLOAD_LABEL]
    _read_kept(data, {"label": "" if chosen == last else chosen, "leave_out": leave_out})


def _read_kept(data: str, decisions: Decisions) -> None:
    try:
        csv = services.uploads().open(data)
    except UploadGone as error:
        notices.tell(str(error))
        _forget()
        return
    _try(csv, data, decisions)


def _try(csv: Csv, data: str | None, decisions: Decisions) -> None:
    """Show the file if it can be read this way; else keep what is shown and say what is wrong."""
    try:
        data_choice.read(csv, decisions)
    except DataError as error:
        kept = set(decisions["leave_out"].split("+")) - {"nothing"}
        st.session_state[keys.REFUSED] = {
            "name": csv.name,
            "problems": list(error.problems),
            "offers": sorted(error.offers),
            "data": data,
            "decisions": decisions,
            "leave_out": _leave_out(kept | error.offers),
        }
        return
    assert data is not None, "a file that can be read is within the limits, so it was kept"
    _forget()
    data_choice.choose(data, decisions)


def _leave_out(parts: set[str] | frozenset[str]) -> str:
    """As the setting spells it: `nothing`, `rows`, `columns` or `rows+columns`."""
    return "+".join(part for part in ("rows", "columns") if part in parts) or "nothing"


def _forget() -> None:
    st.session_state.pop(keys.REFUSED, None)
