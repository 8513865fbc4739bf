"""The pictures of the lesson's stages, in Altair; each is a function of its data and a position.

No Streamlit here. A picture that moves has the parameter `position`, which the player sets; its
resting frame is the last one and already tells the story. Colours are tokens of `ui.palette`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from pipeline.distribute import Rows
from pipeline.paper import PaperStep
from pipeline.step_records import Floats

Picture = alt.LayerChart | alt.FacetChart
HEIGHT = 150
SHOWN = 24
"""Columns drawn at most; wider tables are drawn in part."""
SQUARES = 1_024
"""Squares drawn at most."""


def position(last: int) -> alt.Parameter:
    """The parameter that the player moves from 0 to `last`."""
    return alt.param(name="position", value=last)


def _reached(stage: int) -> str:
    """An expression that goes from 0 to 1 while the position goes from `stage` to `stage + 1`."""
    return f"clamp(position - {stage}, 0, 1)"


def paper_parts(step: PaperStep) -> Picture:
    """The parts of the gradient and their sum, as bars that grow one after the other."""
    names = [f"R{replica} alone" for replica in range(len(step.parts))]
    rows = [
        {"who": name, "value": part, "stage": 0, "colour": f"R{replica}"}
        for replica, (name, part) in enumerate(zip(names, step.parts, strict=True))
    ]
    rows.append({"who": "sum, on both", "value": step.total, "stage": 1, "colour": "sum"})
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            shown="datum.value * clamp(position - datum.stage, 0, 1)",
            label="format(datum.value, '+.2f')",
        )
        .encode(
            y=alt.Y("who:N", sort=[*names, "sum, on both"], title=None, axis=_bare_axis()),
            x=alt.X(
                "shown:Q",
                title="gradient of w",
                scale=alt.Scale(domain=[-1, 3.5]),
            ),
        )
    )
    bars = base.mark_bar(height=26).encode(
        color=alt.Color(
            "colour:N",
            scale=alt.Scale(domain=["R0", "R1", "sum"], range=["$R0", "$R1", "$ink"]),
            legend=None,
        )
    )
    numbers = (
        base.mark_text(align="left", dx=6, fontWeight=600)
        .encode(
            text="label:N",
            opacity=alt.condition("abs(datum.shown) > 0", alt.value(1), alt.value(0)),
            x=alt.X("end:Q"),
        )
        .transform_calculate(end="max(0, datum.shown)")
    )
    zero = alt.Chart(_inline([{}])).mark_rule(color="$quiet").encode(x=alt.datum(0))
    return (
        alt.layer(zero, bars, numbers)
        .add_params(position(3))
        .properties(width="container", height=HEIGHT)
    )


def paper_weights(step: PaperStep) -> Picture:
    """The two copies of the weight: both start at the same place and take the same update."""
    rows = [
        {"who": f"copy on R{replica}", "colour": f"R{replica}"}
        for replica in range(len(step.parts))
    ]
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            w=f"{step.before} + ({step.after - step.before}) * {_reached(2)}",
            start=str(step.before),
        )
        .transform_calculate(label="format(datum.w, '.2f')")
        .encode(
            y=alt.Y("who:N", title=None, axis=_bare_axis()),
            x=alt.X("w:Q", title="weight w", scale=alt.Scale(domain=[0.6, 1.1])),
        )
    )
    colour = alt.Color(
        "colour:N", scale=alt.Scale(domain=["R0", "R1"], range=["$R0", "$R1"]), legend=None
    )
    trail = base.mark_rule(strokeWidth=4, opacity=0.35).encode(x2="start:Q", color=colour)
    dots = base.mark_circle(size=260, opacity=1).encode(color=colour)
    numbers = base.mark_text(dy=-20, fontWeight=600).encode(text="label:N")
    return (
        alt.layer(trail, dots, numbers)
        .add_params(position(3))
        .properties(width="container", height=HEIGHT)
    )


def _inline(rows: Sequence[Mapping[str, object]]) -> Any:
    """Rows that travel inside the chart."""
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


def _bare_axis() -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelPadding=8)


def row_over_ranges(
    features: Sequence[str], raw: Floats, scaled: Floats, low: Floats, high: Floats
) -> Picture:
    """Your row as dots over each column's range, all on one axis.

    Position 0: as loaded. Position 1: every column stretched to 0-1. At most `SHOWN` columns.
    """
    index = _spread(len(features))
    least, most = float(low.min()), float(high.max())
    span = (most - least) or 1.0
    rows = [
        {
            "column": features[i],
            "order": n,
            "raw": float(raw[i]),
            "scaled": float(scaled[i]),
            "low": float(low[i]),
            "high": float(high[i]),
            "u": (float(raw[i]) - least) / span,
            "a": (float(low[i]) - least) / span,
            "b": (float(high[i]) - least) / span,
            "top": 0.0 if high[i] == low[i] else 1.0,
        }
        for n, i in enumerate(index)
    ]
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            x=f"datum.u + (datum.scaled - datum.u) * {_reached(0)}",
            from_=f"datum.a * (1 - {_reached(0)})",
            to_=f"datum.b + (datum.top - datum.b) * {_reached(0)}",
        )
        .encode(
            y=alt.Y("column:N", sort=alt.SortField("order"), title=None, axis=_bare_axis()),
            tooltip=[
                alt.Tooltip("column:N", title="column"),
                alt.Tooltip("raw:Q", title="as loaded", format=".4g"),
                alt.Tooltip("scaled:Q", title="scaled", format=".4f"),
                alt.Tooltip("low:Q", title="lowest in training", format=".4g"),
                alt.Tooltip("high:Q", title="highest in training", format=".4g"),
            ],
        )
    )
    along = alt.Scale(domain=[0, 1], nice=False)
    bars = base.mark_bar(height=9, color="$line", cornerRadius=3).encode(
        x=alt.X("from_:Q", scale=along, axis=None), x2="to_:Q"
    )
    dots = base.mark_circle(size=70, opacity=1, color="$ink").encode(
        x=alt.X("x:Q", scale=along, axis=None)
    )
    return (
        alt.layer(bars, dots, *_two_scales(least, most))
        .add_params(position(1))
        .properties(width="container", height=max(120, 17 * len(rows)))
    )


def _two_scales(least: float, most: float) -> list[alt.Chart]:
    """Tick labels under the picture: of the loaded values first, of 0-1 in the end."""
    ticks = [
        {"at": n / 4, "label": f"{least + (most - least) * n / 4:,.4g}", "stage": 0}
        for n in range(5)
    ] + [{"at": n / 4, "label": f"{n / 4:g}", "stage": 1} for n in range(5)]
    return [
        alt.Chart(_inline(ticks))
        .transform_calculate(seen=f"datum.stage == 1 ? {_reached(0)} : 1 - {_reached(0)}")
        .mark_text(baseline="top", dy=8)
        .encode(
            x=alt.X("at:Q", scale=alt.Scale(domain=[0, 1]), axis=None),
            y=alt.value(alt.expr("height")),
            text="label:N",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    ]


def batch_cut(rows: Rows, shares: Sequence[int], mine: int | None) -> Picture:
    """One batch as squares that glide into one block for each replica; yours is ringed.

    Position 0: the batch in the order it was dealt. Position 1: cut. At most `SQUARES` squares
    are drawn; a larger batch is drawn in proportion (the page says how many rows a square is).
    """
    per_square = squares_of(len(rows))
    owners = np.repeat(np.arange(len(shares)), shares)
    shown = np.arange(0, len(rows), per_square)
    wide = max(1, math.ceil(math.sqrt(len(shown))))
    block = max(1, math.ceil(wide / len(shares)))
    counts = dict.fromkeys(range(len(shares)), 0)
    squares: list[dict[str, Any]] = []
    my_square = None if mine is None else mine // per_square
    for n, i in enumerate(shown):
        owner = int(owners[i])
        place = counts[owner]
        counts[owner] += 1
        squares.append(
            {
                "who": f"R{owner}",
                "row": int(rows[i]),
                "x0": n % wide,
                "y0": n // wide,
                "x1": owner * (block + 1) + place % block,
                "y1": place // block,
                "mine": n == my_square,
            }
        )
    names = [f"R{replica}" for replica in range(len(shares))]
    tall = max(square["y1"] for square in squares) + 1
    extent = [max(wide, len(shares) * (block + 1) - 1), max(wide, tall)]
    base = (
        alt.Chart(_inline(squares))
        .transform_calculate(
            x=f"datum.x0 + (datum.x1 - datum.x0) * {_reached(0)} + 0.5",
            y=f"datum.y0 + (datum.y1 - datum.y0) * {_reached(0)} + 0.5",
        )
        .encode(
            x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, extent[0]], nice=False)),
            y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[extent[1], -1], nice=False)),
        )
    )
    marks = base.mark_square(opacity=1, size=alt.expr(_square_size(extent))).encode(
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
            legend=None,
        ),
        tooltip=[alt.Tooltip("row:Q", title="row", format=","), alt.Tooltip("who:N", title="to")],
    )
    ring = base.transform_filter("datum.mine").mark_square(
        filled=False, strokeWidth=3, color="$ink", size=alt.expr(f"2.2 * {_square_size(extent)}")
    )
    heads = (
        alt.Chart(
            _inline(
                [
                    {"x": r * (block + 1) + block / 2, "label": f"R{r} · {share:,}"}
                    for r, share in enumerate(shares)
                ]
            )
        )
        .transform_calculate(seen=_reached(0))
        .mark_text(fontWeight=600, baseline="bottom", dy=-4)
        .encode(
            x=alt.X("x:Q", axis=None),
            y=alt.datum(0),
            text="label:N",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    return (
        alt.layer(marks, ring, heads)
        .add_params(position(1))
        .properties(width="container", height=330)
    )


def _square_size(extent: Sequence[int]) -> str:
    """The area of one square, so that neighbours keep a gap, whatever the chart's width."""
    return f"pow(0.82 * min(width / {extent[0]}, height / {extent[1] + 1}), 2)"


def squares_of(rows: int) -> int:
    """How many rows one drawn square stands for."""
    return max(1, math.ceil(rows / SQUARES))


def strip_of_uses(uses: Sequence[tuple[int, int, int]], per_epoch: int, replicas: int) -> Picture:
    """One lettered mark an epoch: the step of that epoch that used your row, and its replica."""
    rows = [
        {"epoch": epoch, "step": (step - 1) % per_epoch + 1, "who": f"R{replica}"}
        for epoch, step, replica in uses
    ]
    names = [f"R{replica}" for replica in range(replicas)]
    epochs = max((epoch for epoch, _, _ in uses), default=1)
    base = alt.Chart(_inline(rows)).encode(
        x=alt.X(
            "step:Q",
            title="step of the epoch",
            scale=alt.Scale(domain=[1, max(2, per_epoch)], nice=False),
            axis=alt.Axis(format=",d", tickMinStep=1),
        ),
        y=alt.Y("epoch:O", title="epoch", scale=alt.Scale(domain=list(range(1, epochs + 1)))),
        tooltip=["epoch:Q", "step:Q", alt.Tooltip("who:N", title="replica")],
    )
    lane = base.mark_rule(color="$line").encode(x=alt.datum(1), x2=alt.datum(max(2, per_epoch)))
    dots = base.mark_circle(size=480, opacity=1).encode(
        color=alt.Color(
            "who:N",
            scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
            legend=None,
        )
    )
    letters = base.mark_text(fontWeight=600, color="$paper").encode(text="who:N")
    return alt.layer(lane, dots, letters).properties(width="container", height=34 * epochs + 20)


def _spread(count: int) -> list[int]:
    """At most `SHOWN` column numbers, evenly spread, the first and the last among them."""
    if count <= SHOWN:
        return list(range(count))
    return sorted({int(i) for i in np.linspace(0, count - 1, SHOWN).round()})
