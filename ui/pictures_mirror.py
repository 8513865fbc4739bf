"""The pictures of Mirror: a weight matrix and its copies, and the bytes on each device.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import numpy as np

from pipeline.mirror_answer import MirrorAnswer, Needs
from pipeline.step_records import Floats
from ui.charts import inline
from ui.pictures import Picture, position

ACROSS = 4
"""Panels side by side at most."""
FEATURES = 32
"""Rows of the matrix drawn at most; a wider table is drawn in part."""
PARTS = {
    "weights": "$ink",
    "gradients": "$quiet",
    "optimizer": "$line",
    "activations": "$paper",
}
"""What lies on a device, with its shade: none of these is a replica."""
_GAP = 0.08
"""The space between two panels, in panels."""
_HEAD, _PANEL, _BETWEEN, _SCALE = 24, 120, 14, 46
"""Pixels: above a panel, of a panel, below it, of the small scale at the bottom."""
_SHADES = 41
"""Steps of the small scale."""


def shown_features(count: int) -> list[int]:
    """The rows of the matrix that are drawn: all, or some evenly spread."""
    return sorted({int(i) for i in np.linspace(0, count - 1, min(count, FEATURES)).round()})


def copies(answer: MirrorAnswer, features: Sequence[str]) -> Picture:
    """Heat maps of the first weight matrix: position 0 outside the scope, position 1 inside.

    One panel for each replica; panels have one scale, symmetric about 0, where 0 is paper. Cells
    never move (there are thousands): what is not there yet lies under a sheet of paper.
    """
    panels = len(answer.inside.devices)
    across = max(2, min(panels, ACROSS))
    height = math.ceil(panels / across) * (_HEAD + _PANEL + _BETWEEN) + _SCALE
    shown = shown_features(len(features))
    outside, inside = answer.outside.copies[0], answer.inside.copies
    limit = max(float(np.abs(matrix).max()) for matrix in (outside, *inside)) or 1.0
    place = _Place(across, height)
    names = [f"R{replica}" for replica in range(panels)]
    held = [(inside[0], list(range(panels)))]
    if not answer.inside.identical:
        held = [(matrix, [k]) for k, matrix in enumerate(inside)]
    layers = [
        _heat([row for matrix, ks in held for row in _cells(matrix, ks, shown, features)], place)
    ]
    if not np.array_equal(outside, inside[0]):
        only = _heat(_cells(outside, [0], shown, features), place)
        layers.append(
            only.encode(opacity=alt.condition("position < 1", alt.value(1), alt.value(0)))
        )
    layers = [
        layer.encode(color=alt.Color("v:Q", scale=_shades(limit), legend=None)) for layer in layers
    ]
    reached = "clamp(position, 0, 1)"
    panel = (
        alt.Chart(inline([{"k": k, "who": name} for k, name in enumerate(names)]))
        .transform_calculate(
            x=place.left("datum.k"), y=place.top("datum.k"), seen=reached, unseen=f"1 - {reached}"
        )
        .transform_calculate(x2="datum.x + 1", y2=f"datum.y + {_PANEL}")
        .encode(x=place.along("x"), x2="x2:Q", y=place.down("y"), y2="y2:Q")
    )
    sheets = (
        panel.transform_filter("datum.k > 0")
        .mark_rect(color="$paper", stroke="$paper", strokeWidth=2)
        .encode(opacity=alt.Opacity("unseen:Q", scale=None))
    )
    frames = panel.mark_rect(filled=False, strokeWidth=2).encode(
        stroke=alt.Stroke(
            "who:N",
            scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
            legend=None,
        ),
        opacity=alt.Opacity("seen:Q", scale=None),
    )
    heads = [{"k": 0, "label": f"one · {answer.outside.short_devices[0]}", "stage": 0}]
    heads += [
        {"k": k, "label": f"{name} · {device}", "stage": 1}
        for k, (name, device) in enumerate(zip(names, answer.inside.short_devices, strict=True))
    ]
    texts = (
        alt.Chart(inline(heads))
        .transform_calculate(
            x=place.left("datum.k"),
            y=place.top("datum.k"),
            seen="datum.stage == 1 ? clamp(2 * position - 1, 0, 1) : clamp(1 - 2 * position, 0, 1)",
        )
        .mark_text(align="left", baseline="bottom", dy=-6, fontWeight=600)
        .encode(
            x=place.along("x"),
            y=place.down("y"),
            text="label:N",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    return (
        alt.layer(*layers, sheets, frames, texts, *_small_scale(place, limit))
        .add_params(position(1))
        .properties(width="container", height=height)
    )


def bytes_on_device(needs: Sequence[Needs], replicas: int) -> Picture:
    """What one device holds with 1, 2, ... replicas, as stacked bars; `replicas` is marked."""
    rows = [
        {"replicas": one.replicas, "part": part, "order": order, "kB": getattr(one, part) / 1000}
        for one in needs
        for order, part in enumerate(PARTS)
    ]
    totals = [
        {
            "replicas": one.replicas,
            "kB": one.total / 1000,
            "label": kilobytes(one.total),
            "now": one.replicas == replicas,
        }
        for one in needs
    ]
    x = alt.X("replicas:O", title="replicas", axis=alt.Axis(labelAngle=0, ticks=False))
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(stroke="$quiet", strokeWidth=1)
        .encode(
            x=x,
            y=alt.Y(
                "kB:Q",
                title="kB on each device",
                axis=alt.Axis(format=",.0f" if needs[0].total >= 10_000 else ",.1f"),
            ),
            order="order:O",
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())),
                legend=alt.Legend(
                    orient="top",
                    offset=16,
                    title=None,
                    columns=2,
                    labelColor="$ink",
                    labelFontSize=13,
                    symbolType="square",
                    symbolStrokeColor="$quiet",
                    symbolStrokeWidth=1,
                    symbolSize=150,
                ),
            ),
            tooltip=[
                alt.Tooltip("part:N", title="what"),
                alt.Tooltip("kB:Q", title="kB", format=",.1f"),
                alt.Tooltip("replicas:O", title="replicas"),
            ],
        )
    )
    numbers = (
        alt.Chart(inline(totals))
        .mark_text(baseline="bottom", dy=-4)
        .encode(x=x, y="kB:Q", text="label:N")
    )
    now, others = numbers.transform_filter("datum.now"), numbers.transform_filter("!datum.now")
    return alt.layer(
        bars, now.mark_text(baseline="bottom", dy=-4, fontWeight=700, fontSize=14), others
    ).properties(width="container", height=240)


def kilobytes(count: int) -> str:
    """`13.8`: bytes in kB (1,000 bytes), to four digits at most."""
    value = count / 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.3f}"


class _Place:
    """Where panels lie: their width is 1 along, pixels count down."""

    def __init__(self, across: int, height: int) -> None:
        self.across, self.height = across, height

    def left(self, panel: str) -> str:
        """The left edge of a panel, as an expression."""
        return f"({panel} % {self.across}) * {1 + _GAP}"

    def top(self, panel: str) -> str:
        """Its upper edge."""
        pitch = _HEAD + _PANEL + _BETWEEN
        return f"{_HEAD} + floor({panel} / {self.across}) * {pitch}"

    def along(self, field: str) -> alt.X:
        """A field in panels."""
        domain = [-0.01, self.across + (self.across - 1) * _GAP + 0.01]
        return alt.X(f"{field}:Q", axis=None, scale=alt.Scale(domain=domain, nice=False))

    def down(self, field: str) -> alt.Y:
        """A field in pixels from the top."""
        scale = alt.Scale(domain=[self.height, 0], nice=False)
        return alt.Y(f"{field}:Q", axis=None, scale=scale)


def _cells(
    matrix: Floats, panels: list[int], shown: Sequence[int], features: Sequence[str]
) -> list[dict[str, Any]]:
    """One record for each row of the matrix; the chart spreads it over cells and panels."""
    return [
        {
            "f": place,
            "column": features[feature],
            "v": [float(f"{value:.4f}") for value in matrix[feature]],
            "u": list(range(matrix.shape[1])),
            "k": panels,
        }
        for place, feature in enumerate(shown)
    ]


def _heat(rows: list[dict[str, Any]], place: _Place) -> alt.Chart:
    """The cells of these records, in their panels."""
    wide, tall = len(rows[0]["u"]), 1 + max(row["f"] for row in rows)
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .transform_flatten(["v", "u"])
        .transform_flatten(["k"])
        .transform_calculate(left=place.left("datum.k"), top=place.top("datum.k"))
        .transform_calculate(
            who="'R' + datum.k",
            unit="datum.u + 1",
            x=f"datum.left + datum.u / {wide}",
            x2=f"datum.left + (datum.u + 1) / {wide}",
            y=f"datum.top + datum.f * {_PANEL / tall}",
            y2=f"datum.top + (datum.f + 1) * {_PANEL / tall}",
        )
        .mark_rect()
        .encode(
            x=place.along("x"),
            x2="x2:Q",
            y=place.down("y"),
            y2="y2:Q",
            tooltip=[
                alt.Tooltip("who:N", title="copy"),
                alt.Tooltip("column:N", title="from column"),
                alt.Tooltip("unit:Q", title="to unit"),
                alt.Tooltip("v:Q", title="weight", format=".4f"),
            ],
        )
    )
    return chart


def _small_scale(place: _Place, limit: float) -> list[alt.Chart]:
    """The shades with their ends and their middle, one panel wide."""
    y = place.height - _SCALE + 14
    bars = [
        {"x": n / _SHADES, "x2": (n + 1) / _SHADES, "v": limit * (2 * n / (_SHADES - 1) - 1)}
        for n in range(_SHADES)
    ]
    bar = (
        alt.Chart(inline(bars))
        .transform_calculate(y=str(y), y2=str(y + 10))
        .mark_rect()
        .encode(
            x=place.along("x"),
            x2="x2:Q",
            y=place.down("y"),
            y2="y2:Q",
            color=alt.Color("v:Q", scale=_shades(limit), legend=None),
        )
    )
    ends: tuple[tuple[float, Literal["left", "center", "right"], str], ...] = (
        (0, "left", f"−{limit:.2g}"),
        (0.5, "center", "0"),
        (1, "right", f"+{limit:.2g}"),
    )
    labels = [
        alt.Chart(inline([{"x": at, "y": y + 13, "label": label}]))
        .mark_text(align=align, baseline="top", fontSize=12)
        .encode(x=place.along("x"), y=place.down("y"), text="label:N")
        for at, align, label in ends
    ]
    return [bar, *labels]


def _shades(limit: float) -> alt.Scale:
    return alt.Scale(
        domain=[-limit, 0, limit], range=["$minus", "$paper", "$plus"], interpolate="lab"
    )
