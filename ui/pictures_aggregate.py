"""The picture of Aggregate: what one row changes, as two rows of three heat maps.

No Streamlit here. Positions 0 to 2 reveal the columns one after the other; the panels never move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np

from pipeline.what_if_view import Difference, Part, WhatIf
from ui.charts import inline
from ui.pictures import Picture, position
from ui.words import small

MATRICES = {0: "first", 2: "second", 4: "third"}
"""A weight matrix by its place among the tensors, which are kernel, bias, kernel, bias, ..."""
COLUMNS = ("own gradient", "after the all-reduce", "weights")
"""What each column of panels shows."""
GAP = 0.08
"""The space between two panels, in panels."""
TOP, PANEL, BETWEEN = 66, 112, 40
"""Pixels: above the first row of panels, of a panel, between the rows."""
HEIGHT = TOP + 2 * PANEL + BETWEEN + 62
MIDDLING = 0.35
"""The shade of a change of median size."""
SHADES = 41
"""Steps of the small scale under each column."""


def leave_out(found: WhatIf, part: Part, whose: str) -> Picture:
    """Panels of `part`: on the left own gradients, then the sum, then the weights.

    `whose` names the row that is left out.

    Each column has one scale for both rows, symmetric about 0 and stretched so that a change of
    middling size can be seen; 0 is paper.
    """
    assert found.other is not None
    shown = sorted((found.owner, found.other))
    columns = [
        [found.own[replica] for replica in shown],
        [found.sums[replica] for replica in shown],
        [found.weights[replica] for replica in shown],
    ]
    sizes = [np.abs(np.stack([part.of(tensors) for tensors in both])) for both in columns]
    limits = [float(size.max()) for size in sizes]
    panels = [
        _panel(column, row, replica, part.of(columns[column][row]), sizes[column])
        for column in range(3)
        for row, replica in enumerate(shown)
    ]
    blank = [
        {"column": column, "x": _left(column) + 0.5, "y": _top(row) + PANEL / 2}
        for column in range(3)
        for row in range(2)
        if not any(np.any(tensor) for tensor in columns[column][row])
    ]
    chart: Picture = (
        alt.layer(
            _cells(panels, part),
            _frames(shown),
            _blank(blank),
            _heads(),
            _names(found, shown, whose),
            *_scales(limits),
        )
        .add_params(position(2))
        .properties(width="container", height=HEIGHT)
    )
    return chart


def _panel(
    column: int, row: int, replica: int, values: Difference, sizes: Difference
) -> dict[str, object]:
    """One panel as a single record; the chart spreads its values over the cells."""
    return {
        "column": column,
        "row": row,
        "who": f"R{replica}",
        "what": COLUMNS[column],
        "limit": float(sizes.max()) or 1.0,
        "stretch": stretch(sizes),
        "wide": values.shape[1],
        "tall": values.shape[0],
        "v": [float(f"{value:.4g}") for value in values.ravel()],
    }


def stretch(sizes: Difference) -> float:
    """The exponent that gives the median change `MIDDLING` of the full shade; at most 1."""
    middle = float(np.median(sizes[sizes > 0])) / float(sizes.max()) if sizes.any() else 1.0
    return min(1.0, math.log(MIDDLING) / math.log(middle)) if middle < 1 else 1.0


def _cells(panels: Sequence[Mapping[str, object]], part: Part) -> alt.Chart:
    """All cells of all panels, placed and shaded in the browser: half a megabyte stays unsent."""
    down = f"{TOP} + datum.row * {PANEL + BETWEEN}"
    chart: alt.Chart = (
        alt.Chart(inline(panels))
        .transform_flatten(["v"])
        .transform_window(cell="row_number()", groupby=["column", "row"])
        .transform_calculate(
            across="(datum.cell - 1) % datum.wide",
            down="floor((datum.cell - 1) / datum.wide)",
        )
        .transform_calculate(
            x=f"datum.column * (1 + {GAP}) + datum.across / datum.wide",
            x2=f"datum.column * (1 + {GAP}) + (datum.across + 1) / datum.wide + 0.003",
            y=f"{down} + datum.down * {PANEL} / datum.tall",
            # A little further than its end: between neighbours no paper shall shine through.
            y2=f"{down} + (datum.down + 1) * {PANEL} / datum.tall + 0.4",
            shade="(datum.v < 0 ? -1 : 1) * pow(abs(datum.v) / datum.limit, datum.stretch)",
            seen="clamp(position - datum.column + 1, 0, 1)",
            input=f"{part.rows}[datum.down] + 1",
            unit=f"{part.columns}[datum.across] + 1",
        )
        .mark_rect()
        .encode(
            x=_along("x"),
            x2="x2:Q",
            y=_down("y"),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=shades(), legend=None),
            opacity=alt.Opacity("seen:Q", scale=None),
            tooltip=[
                alt.Tooltip("who:N", title="replica"),
                alt.Tooltip("what:N", title="change of"),
                alt.Tooltip("input:Q", title="from input"),
                alt.Tooltip("unit:Q", title="to unit"),
                alt.Tooltip("v:Q", title="change", format=".3~g"),
            ],
        )
    )
    return chart


def _frames(shown: Sequence[int]) -> alt.Chart:
    """An outline for every panel in its replica's colour, so that a blank one is a panel too."""
    names = [f"R{replica}" for replica in shown]
    rows = [
        {
            "who": name,
            "x": _left(column),
            "x2": _left(column) + 1,
            "y": _top(row),
            "y2": _top(row) + PANEL,
        }
        for column in range(3)
        for row, name in enumerate(names)
    ]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_rect(filled=False, strokeWidth=2)
        .encode(
            x=_along("x"),
            x2="x2:Q",
            y=_down("y"),
            y2="y2:Q",
            stroke=alt.Stroke(
                "who:N",
                scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
                legend=None,
            ),
        )
    )
    return chart


def _heads() -> alt.Chart:
    rows = [
        {"column": column, "label": label.replace(" the ", " the\n"), "x": _left(column), "y": 2}
        for column, label in enumerate(COLUMNS)
    ]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_text(align="left", baseline="top", fontWeight=600, lineBreak="\n")
        .encode(x=_along("x"), y=_down("y"), text="label:N")
    )
    return chart


def _names(found: WhatIf, shown: Sequence[int], whose: str) -> alt.Chart:
    names = [f"R{replica}" for replica in shown]
    rows = [
        {
            "x": 0,
            "y": _top(row) - 6,
            "label": f"{name} · "
            + (f"had {whose}" if replica == found.owner else f"never saw {whose}"),
        }
        for row, (name, replica) in enumerate(zip(names, shown, strict=True))
    ]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_text(align="left", baseline="bottom", fontWeight=600, fontSize=14)
        .encode(
            x=_along("x"),
            y=_down("y"),
            text="label:N",
        )
    )
    return chart


def _scales(limits: Sequence[float]) -> list[alt.Chart]:
    """The small scale under each column, with its ends and its middle."""
    y = HEIGHT - 46
    bars = [
        {
            "x": _left(column) + n / SHADES,
            "x2": _left(column) + (n + 1) / SHADES,
            "y": y,
            "y2": y + 10,
            "shade": 2 * n / (SHADES - 1) - 1,
        }
        for column in range(3)
        for n in range(SHADES)
    ]
    texts = [
        {"x": _left(column) + at, "y": y + 14, "label": label, "align": align}
        for column, limit in enumerate(limits)
        for at, align, label in (
            (0, "left", "−"),
            (0.5, "center", f"up to {small(limit)}"),
            (1, "right", "+"),
        )
    ]
    bar = (
        alt.Chart(inline(bars))
        .mark_rect()
        .encode(
            x=_along("x"),
            x2="x2:Q",
            y=_down("y"),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=shades(), legend=None),
        )
    )
    labels = [
        alt.Chart(inline([row for row in texts if row["align"] == align]))
        .mark_text(align=align, baseline="top", fontSize=12)
        .encode(x=_along("x"), y=_down("y"), text="label:N")
        for align in ("left", "center", "right")
    ]
    return [bar, *labels]


def _blank(rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    """What stands in a panel in which nothing changes."""
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .transform_calculate(seen="clamp(position - datum.column + 1, 0, 1)")
        .mark_text(fontWeight=600, fontSize=15, text="exactly 0")
        .encode(x=_along("x"), y=_down("y"), opacity=alt.Opacity("seen:Q", scale=None))
    )
    return chart


def described(part: Part) -> dict[str, object]:
    """Which part of which matrix is drawn, for the page's words."""
    return {
        "rows": f"{len(part.rows):,}",
        "all_rows": f"{part.shape[0]:,}",
        "columns": f"{len(part.columns):,}",
        "all_columns": f"{part.shape[1]:,}",
        "matrix": MATRICES[part.tensor],
    }


def _left(column: int) -> float:
    return column * (1 + GAP)


def _top(row: int) -> int:
    return TOP + row * (PANEL + BETWEEN)


def _along(field: str) -> alt.X:
    scale = alt.Scale(domain=[0, 3 + 2 * GAP], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=None)


def _down(field: str) -> alt.Y:
    scale = alt.Scale(domain=[HEIGHT, 0], nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def shades() -> alt.Scale:
    """The scale of signed values from -1 to 1, whose middle is paper."""
    return alt.Scale(
        domain=[-1, 0, 1],
        range=["$minus", "$paper", "$plus"],
        interpolate="lab",
    )
