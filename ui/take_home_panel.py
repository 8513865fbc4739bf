"""Take it home: the run shown as files, and its charts as pictures."""

from __future__ import annotations

from typing import Any

import streamlit as st
import vl_convert

from pipeline import feed, take_home
from pipeline.run_view import RunView
from ui import charts
from ui.palette import LIGHT, coloured

PIXELS_PER_POINT = 2.0
REPEATABLE = "A page of plain TensorFlow that makes this run again, with its data and a notebook."
APART = (
    "The numbers of this run. There is no script for it: its copies trained apart, "
    "which plain Keras does not offer."
)


def section(run: RunView) -> None:
    """The expander with the downloads; a file is made when it is asked for."""
    if run.last is None:
        return
    with st.expander("Take it home"):
        st.markdown(REPEATABLE if take_home.can_be_repeated(run) else APART)
        with st.container(horizontal=True):
            for label, end, make in (
                ("Everything (zip)", ".zip", lambda: take_home.archive(run)),
                ("Run (JSON)", ".json", lambda: take_home.as_json(run)),
                ("Steps (CSV)", ".csv", lambda: take_home.as_csv(run)),
                ("Loss (SVG)", "-loss.svg", lambda: picture_svg(run, "loss")),
                ("Loss (PNG)", "-loss.png", lambda: picture_png(run, "loss")),
            ):
                st.download_button(label, make, f"lockstep-{run.run_id}{end}", on_click="ignore")


def picture_svg(run: RunView, field: str) -> str:
    """The chart of `field` by step, as SVG."""
    return vl_convert.vegalite_to_svg(_spec(run, field))


def picture_png(run: RunView, field: str) -> bytes:
    """The chart of `field` by step, as PNG."""
    return vl_convert.vegalite_to_png(_spec(run, field), scale=PIXELS_PER_POINT)


def _spec(run: RunView, field: str) -> dict[str, Any]:
    """The chart as the page draws it, with its rows inside and the light theme's colours."""
    config, coming = run.config, run.shapes
    chart = charts.by_step(
        field, f"{field} of the step", config.replicas, coming.steps, sum(coming.shares)
    )
    rows = [row for step in run.steps for row in feed.step_rows(step)]
    spec: dict[str, Any] = coloured(chart.properties(width=640, height=320).to_dict(), LIGHT)
    return {**spec, "datasets": {"steps": rows}, "background": LIGHT["paper"]}
