"""The pictures of Load and Normalise: one row over the ranges of its columns, as dots over bars.

No Streamlit here. Colours are tokens of `ui.palette`; `position` is set by the player.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from pipeline.step_records import Floats
from ui.pictures import SHOWN, Picture, position
from ui.words import number

MOVED = "clamp(position, 0, 1)"
"""0 as loaded, 1 scaled; in between while the picture moves."""
ROW_HEIGHT = 19
TICKS = 5


def spread(count: int, most: int = SHOWN) -> list[int]:
    """At most `most` column numbers, evenly spread, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({int(i) for i in np.linspace(0, count - 1, most).round()})


def along_axis(values: Floats, low: Floats, high: Floats) -> NDArray[np.float64]:
    """Where values lie on the one axis that holds all drawn columns' ranges, 0 to 1."""
    index = spread(len(low))
    least, span = _axis(low[index], high[index])
    return np.asarray((values.astype(np.float64) - least) / span)


def row_over_ranges(
    features: Sequence[str],
    raw: Floats,
    scaled: Floats,
    low: Floats,
    high: Floats,
    *,
    last: int = 1,
) -> Picture:
    """Your row as dots over each column's range, all on one axis, with its values as numbers.

    Position 0: as loaded. Position 1 (`last`): every column stretched to 0-1.
    """
    index = spread(len(features))
    starts, dots, ends = (along_axis(values, low, high) for values in (low, raw, high))
    rows = [
        {
            "column": features[i],
            "order": n,
            "raw": float(raw[i]),
            "scaled": float(scaled[i]),
            "low": float(low[i]),
            "high": float(high[i]),
            "dot": float(dots[i]),
            "start": float(starts[i]),
            "end": float(ends[i]),
            "goal": 0.0 if high[i] == low[i] else 1.0,
        }
        for n, i in enumerate(index)
    ]
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            x=_between("dot", "scaled"),
            from_=f"datum.start * (1 - {MOVED})",
            to_=_between("end", "goal"),
            label=f"format({_between('raw', 'scaled')}, '.4~g')",
        )
        .encode(
            y=alt.Y(
                "column:N",
                sort=alt.SortField("order"),
                title=None,
                axis=alt.Axis(
                    domain=False,
                    ticks=False,
                    labelPadding=8,
                    labelLimit=104,
                    labelOverlap=False,
                    labelFlush=False,
                ),
            ),
            tooltip=[
                alt.Tooltip("column:N", title="column"),
                alt.Tooltip("raw:Q", title="your row, as loaded", format=".6~g"),
                alt.Tooltip("scaled:Q", title="your row, scaled", format=".4~f"),
                alt.Tooltip("low:Q", title="lowest in training", format=".6~g"),
                alt.Tooltip("high:Q", title="highest in training", format=".6~g"),
            ],
        )
    )
    ranges = base.mark_bar(
        height=9, color="$line", cornerRadius=3, stroke="$quiet", strokeWidth=0.75
    ).encode(x=_along("from_:Q"), x2="to_:Q")
    marks = base.mark_circle(size=75, opacity=1, color="$ink").encode(x=_along("x:Q"))
    numbers = base.mark_text(align="left", dx=14).encode(
        x=alt.value(alt.expr("width")), text="label:N"
    )
    least, span = _axis(low[index], high[index])
    return (
        alt.layer(ranges, marks, numbers, *_two_scales(least, span))
        .add_params(position(last))
        .properties(width="container", height=ROW_HEIGHT * max(4, len(rows)))
    )


def pixels(raw: Floats) -> alt.Chart:
    """A row of the digits as the picture it is: 8 x 8 squares, the more ink the darker."""
    side = math.isqrt(len(raw))
    squares = [{"x": n % side, "y": n // side, "ink": float(value)} for n, value in enumerate(raw)]
    chart: alt.Chart = (
        alt.Chart(_inline(squares))
        .mark_rect(color="$ink")
        .encode(
            x=alt.X("x:O", axis=None, scale=alt.Scale(padding=0)),
            y=alt.Y("y:O", axis=None, scale=alt.Scale(padding=0)),
            opacity=alt.Opacity(
                "ink:Q", scale=alt.Scale(domain=[0, 16], range=[0.04, 1]), legend=None
            ),
            tooltip=[alt.Tooltip("ink:Q", title="ink")],
        )
        .properties(width=200, height=200)
    )
    return chart


def _axis(low: Floats, high: Floats) -> tuple[float, float]:
    """Where the shared axis begins, and its length (never 0)."""
    least = float(low.min())
    return least, (float(high.max()) - least) or 1.0


def _between(start: str, goal: str) -> str:
    return f"datum.{start} + (datum.{goal} - datum.{start}) * {MOVED}"


def _along(field: str) -> alt.X:
    return alt.X(field, scale=alt.Scale(domain=[0, 1], nice=False), axis=None)


def _two_scales(least: float, span: float) -> list[alt.Chart]:
    """The axis under the picture: ticks and title of the loaded values, then of the scaled."""
    places = [n / (TICKS - 1) for n in range(TICKS)]
    ticks = [{"at": at, "label": number(least + span * at), "stage": 0} for at in places]
    ticks += [{"at": at, "label": f"{at:g}", "stage": 1} for at in places]
    titles = [
        {"at": 0.5, "label": "value as loaded, one axis for all columns", "stage": 0},
        {"at": 0.5, "label": "scaled value", "stage": 1},
    ]
    return [_under(ticks, 8), _under(titles, 30)]


def _under(labels: Sequence[Mapping[str, object]], below: int) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(_inline(labels))
        .transform_calculate(
            seen=f"clamp((datum.stage == 1 ? {MOVED} - 0.6 : 0.4 - {MOVED}) / 0.4, 0, 1)"
        )
        .mark_text(baseline="top", dy=below)
        .encode(
            x=_along("at:Q"),
            y=alt.value(alt.expr("height")),
            text="label:N",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    return chart


def _inline(rows: Sequence[Mapping[str, object]]) -> Any:
    """Rows that travel inside the chart."""
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]
