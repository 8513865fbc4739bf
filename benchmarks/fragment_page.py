"""The other way to draw a live run: `st.altair_chart` again and again in a fragment.

`streamlit run benchmarks/fragment_page.py`, opened with `?run=ID`. The same two charts with the
same rows as the player shows; the log is read only where it has grown. A text in the second
chart says which step is drawn, so that a benchmark can see it.
"""

from __future__ import annotations

import gc
import json
import re
import time
from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from benchmarks.paced_run import ROWS, TICKS
from pipeline import feed, run_log
from pipeline.events import RunStarted, Step
from ui import charts, services
from ui.palette import LIGHT

SECONDS = 0.25


@st.cache_resource
def freeze() -> None:
    """What the app does at its start, so that collecting garbage costs this page no more."""
    gc.collect()
    gc.freeze()


@st.cache_resource
def chart(field: str, title: str, steps: int, top: float | None) -> alt.LayerChart:
    """One of the player's charts, with colours in place of the player's tokens."""
    made = charts.by_step(field, title, 2, steps, ROWS, top)
    if top is not None:
        made += (
            alt.Chart()
            .transform_aggregate(last="max(at)")
            .transform_calculate(text="'step ' + datum.last")
            .mark_text(align="left")
            .encode(x=alt.value(5), y=alt.value(5), text="text:N")
        )
    text = json.dumps(made.to_dict())
    text = re.sub(r'"\$(\w+)"', lambda found: f'"{LIGHT.get(found[1], "$" + found[1])}"', text)
    return alt.LayerChart.from_dict(json.loads(text))


@st.fragment(run_every=SECONDS)
def picture(folder: Path) -> None:
    """Read what is new, draw everything."""
    began = time.time()
    state = st.session_state
    entries, state.offset = run_log.read(folder / run_log.FILE_NAME, state.get("offset", 0))
    rows = state.setdefault("rows", [])
    for entry in entries:
        if isinstance(entry.event, RunStarted):
            state.steps = entry.event.steps
        elif isinstance(entry.event, Step):
            rows += feed.step_rows(entry.event)
    if not rows:
        return
    table = pd.DataFrame(rows)
    for field, title, top in (("loss", "loss of the step", None), ("accuracy", "share right", 1.0)):
        made = chart(field, title, state.steps, top).copy(deep=False)
        made.data = table
        st.altair_chart(made, key=field)
    with (folder / TICKS).open("a", encoding="utf-8") as file:
        print(json.dumps([rows[-1]["at"], began]), file=file)


freeze()
picture(services.data_folder() / "runs" / st.query_params["run"])
