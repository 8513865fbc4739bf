"""The form of the diagnosis: what is typed becomes `Measured`, or a sentence for each problem.

The form keeps what was typed, right or wrong: nothing has to be typed twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pipeline import diagnose, progress_lines, scaling_presets
from pipeline.diagnose import Measured, Told
from pipeline.progress_lines import Progress, ProgressError
from ui import keys, typed_numbers
from ui.words import Words, plain

FEWEST, MOST = 2, 4096
EXAMPLES = {
    "time": "180 ms",
    "time_long": "0.18 s",
    "count": "256",
    "million": "25.6 M",
    "billion": "1.3 B",
    "line": "350/350 [=====] - 120s 342ms/step",
}
START = {"one": EXAMPLES["time"], "many": "210 ms"}
"""What stands in the form before anything is typed: an example."""
LONGEST = 20_000
"""Characters of pasted text."""


@dataclass(frozen=True)
class Filled:
    """What was typed: usable or not, and what the pasted lines showed."""

    measured: Measured | None
    problems: tuple[str, ...] = ()
    notes: tuple[Told, ...] = ()


def form(said: Words) -> Filled:
    """Draw the form and read it."""
    with st.form(keys.DIAGNOSE_FORM, border=True):
        first, second, third = st.columns(3)
        with first:
            _text(said, "devices", "2")
        with second:
            _text(said, "one", START["one"], help=said.text("time_help", EXAMPLES))
        with third:
            _text(said, "many", START["many"], help=said.text("time_help", EXAMPLES))
        _choice(said, "kept", ("batch", "rows", "unknown"), help=said.text("kept_help"))
        first, second, third = st.columns(3)
        with first:
            _text(said, "batch", "")
        with second:
            _text(said, "parameters", "", help=said.text("parameters_help", EXAMPLES))
        with third:
            links = {"unknown": said.text("link_unknown")}
            links |= {name: link.title for name, link in scaling_presets.links().items()}
            st.selectbox(
                said.text("link"),
                list(links),
                format_func=lambda name: links[name],
                key=keys.diagnose("link"),
                persist_state="session",
            )
        _choice(said, "busy", ("unknown", "all", "idle", "one"))
        with st.expander(said.text("lines")):
            for name in ("lines_one", "lines_many"):
                st.text_area(
                    said.text(name),
                    max_chars=LONGEST,
                    placeholder=EXAMPLES["line"],
                    key=keys.diagnose(name),
                    persist_state="session",
                )
        st.checkbox(
            said.text("first_step"), key=keys.diagnose("first_step"), persist_state="session"
        )
        st.form_submit_button(said.text("ask"), type="primary")
    return read(said, {name: st.session_state.get(keys.diagnose(name)) for name in FIELDS})


FIELDS = (
    *("devices", "one", "many", "kept", "batch", "parameters", "link", "busy"),
    *("lines_one", "lines_many", "first_step"),
)


def read(said: Words, typed: dict[str, object]) -> Filled:
    """What the fields hold, as `Measured`; every problem at once otherwise."""
    problems: list[str] = []
    devices = typed_numbers.count(str(typed["devices"] or ""))
    if devices is None or not (FEWEST <= devices <= MOST and devices == int(devices)):
        range_ = {"low": FEWEST, "high": f"{MOST:,}"}
        problems.append(said.text("bad_devices", range_ | {"value": _got(said, typed["devices"])}))
    times = {
        name: _time(said, name, typed[name], typed[f"lines_{name}"], problems)
        for name in ("one", "many")
    }
    counts = {name: _count(said, name, typed[name], problems) for name in ("batch", "parameters")}
    if problems:
        return Filled(None, tuple(problems))
    link = scaling_presets.links().get(str(typed["link"]))
    one, many = times["one"], times["many"]
    assert devices is not None
    assert one is not None
    assert many is not None
    measured = diagnose.measured(
        int(devices),
        one,
        many,
        kept=typed["kept"],
        batch=None if counts["batch"] is None else int(counts["batch"]),
        parameters=counts["parameters"],
        link=None if link is None else link.link,
        busy=typed["busy"],
        first_step=bool(typed["first_step"]),
    )
    notes = [
        Told("first_slower", {"times": told.first_slower})
        for told in times.values()
        if isinstance(told, Progress) and told.first_slower
    ]
    return Filled(measured, notes=tuple(notes))


def _time(
    said: Words, name: str, text: object, lines: object, problems: list[str]
) -> float | Progress | None:
    """The pasted lines, or without them what was typed."""
    field = said.text(name)
    if str(lines or "").strip():
        try:
            return progress_lines.read(str(lines))
        except ProgressError:
            where = {"field": said.text(f"lines_{name}")}
            problems.append(said.text("bad_lines", EXAMPLES | where))
            return None
    if not str(text or "").strip():
        problems.append(said.text("no_time", {"field": field}))
        return None
    found = typed_numbers.seconds(str(text))
    if found is None:
        told = EXAMPLES | {"field": field, "value": _got(said, text)}
        problems.append(said.text("bad_time", told))
    return found


def _count(said: Words, name: str, text: object, problems: list[str]) -> float | None:
    """A count, or None when the field is empty."""
    if not str(text or "").strip():
        return None
    found = typed_numbers.count(str(text))
    if found is None or found < 1:
        told = EXAMPLES | {"field": said.text(name), "value": _got(said, text)}
        problems.append(said.text("bad_count", told))
    return found


def _got(said: Words, value: object) -> str:
    text = str(value or "").strip()
    return f"“{plain(text[:60])}”" if text else said.text("empty")


def _text(said: Words, name: str, value: str, help: str | None = None) -> None:
    st.session_state.setdefault(keys.diagnose(name), value)
    st.text_input(
        said.text(name),
        key=keys.diagnose(name),
        help=help,
        max_chars=60,
        persist_state="session",
    )


def _choice(said: Words, name: str, options: tuple[str, ...], help: str | None = None) -> None:
    st.radio(
        said.text(name),
        options,
        format_func=lambda option: said.text(f"{name}_{option}"),
        horizontal=True,
        help=help,
        key=keys.diagnose(name),
        persist_state="session",
    )
