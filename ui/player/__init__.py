"""The player: the app's one custom component, for every picture that moves.

`show` takes Altair charts and either rows or the event stream of a run. Charts name their
colours as tokens (`"$ink"`, `"$R0"`, see `ui.palette`), so that they follow the theme.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altair as alt
import streamlit as st

from ui.palette import PALETTES
from ui.web import VEGA_URL

HERE = Path(__file__).parent

WORDS = {
    "play": "Play",
    "pause": "Pause",
    "back": "One step back",
    "forward": "One step on",
    "position": "Position",
    "speed": "Speed",
    "live": "Jump to live",
    "end": "Jump to the end",
    "waiting": "Waiting for a free place: number {place} in the queue.",
    "opening": "Opening the run.",
    "starting": "Starting: the run gets a process of its own.",
    "tracing": "Tracing: TensorFlow turns the step into a graph, once.",
    "training": "Step {step} of {total}, epoch {epoch}",
    "stopped": "Stopped. What was drawn stays.",
    "failed": "The run failed. {text}",
    "finished": "",
    "lost": "The connection is lost; trying again.",
    "epoch": "Epoch {epoch} of {epochs}: loss {loss}.",
    "done": "The run has finished. {epoch}",
    "pace": "The run is already done. It is played slower than it ran, so that you can follow.",
}


@dataclass(frozen=True)
class Chart:
    """One chart: the Altair chart, a short title above it, and a sentence for who cannot see it.

    A chart that stays the same may be kept as its specification: making one takes 50 ms and more.
    """

    chart: alt.LayerChart | alt.FacetChart | alt.Chart | dict[str, Any]
    title: str
    alt: str


@dataclass(frozen=True)
class Readout:
    """A number in large type: the last `field` of series `who` in the rows called `data`."""

    label: str
    data: str
    field: str
    digits: int
    who: str | None = None


@dataclass(frozen=True)
class Line:
    """One line of the legend: its label, its colour token and its dash pattern."""

    label: str
    colour: str
    dash: tuple[int, ...] = ()
    point: bool = False
    """A hollow point instead of a line."""


@dataclass(frozen=True)
class Show:
    """What to show. `source` names it: as long as it stays, so does the position."""

    source: str
    label: str
    charts: Sequence[Chart]
    legend: Sequence[Line] = ()
    readouts: Sequence[Readout] = ()
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    total: int = 0
    """The last position."""
    url: str | None = None
    """The event stream of a run; None: all rows are in `rows`."""
    fresh: bool = False
    """Play from the start, instead of resting at the end."""
    ended: bool = False
    """The page already shows this run's end."""
    epochs: int = 0
    """How many epochs the run has: a screen reader is told of each."""
    frames: Sequence[str] = ()
    """One sentence for each position."""
    seconds: float = 10
    """How long all positions take at speed 1."""


def show(what: Show, key: str) -> str | None:
    """Mount the player; returns how the run ended in the rerun in which it has just ended."""
    result = _component("player")(data=_data(what), key=key, on_ended_change=lambda: None)
    return str(result.ended) if result.ended else None


def still(charts: Sequence[Chart], label: str, key: str) -> None:
    """Pictures that do not move: the charts alone, side by side where there is room."""
    _component("still")(data=_data(Show(source=key, label=label, charts=charts)), key=key)


def _data(what: Show) -> dict[str, Any]:
    # Altair's own check of a chart takes longer than all the rest; the tests make it.
    return {
        "source": what.source,
        "label": what.label,
        "charts": [
            {"spec": _spec(chart), "title": chart.title, "alt": chart.alt} for chart in what.charts
        ],
        "legend": [vars(line) for line in what.legend],
        "readouts": [vars(readout) for readout in what.readouts],
        "rows": {name: list(rows) for name, rows in what.rows.items()},
        "total": what.total,
        "url": what.url,
        "fresh": what.fresh,
        "ended": what.ended,
        "epochs": what.epochs,
        "frames": list(what.frames),
        "seconds": what.seconds,
        "palettes": PALETTES,
        "words": WORDS,
        "vega": VEGA_URL,
    }


def _spec(chart: Chart) -> dict[str, Any]:
    # Altair's check of a chart costs more than all the rest of a page; the tests make it.
    return chart.chart if isinstance(chart.chart, dict) else chart.chart.to_dict(validate=False)


@functools.cache
def _component(name: str) -> Any:
    return st.components.v2.component(
        f"lockstep_{name}",
        html=f'<div class="{name}"></div>',
        css=(HERE / "player.css").read_text(encoding="utf-8"),
        js=(HERE / "player.js").read_text(encoding="utf-8"),
    )
