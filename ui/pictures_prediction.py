"""The pictures of the prediction trace: rows on their way through the layers, and how right it was.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import altair as alt
import numpy as np

from pipeline.prediction import Prediction, Row
from pipeline.step_records import Floats
from ui.charts import inline
from ui.pictures import Picture, position
from ui.pictures_rows import spread
from ui.words import number

COLUMNS = ("input", "hidden 1", "hidden 2", "output", "gathered")
"""The columns of the picture: the layers, and what `predict` returns."""
UNITS = 64
"""Units of a layer drawn at most; a wider one is drawn in part."""
_WIDTHS = (1.0, 1.5, 1.1, 0.6, 0.6)
_GAPS = (0.18, 0.18, 0.18, 0.75, 0.0)
"""Of each column and of the space right of it, in widths of the first."""
_LEFT = tuple(accumulate((w + g for w, g in zip(_WIDTHS, _GAPS, strict=True)), initial=0.0))
_ACROSS = _LEFT[-1]
_HEAD, _NAME, _BETWEEN, _CALLS, _FOOT = 54, 24, 8, 7, 24
"""Pixels: the columns' heads, a lane's name, between lanes, between calls, below."""
_ROWS, _THIN, _THICK = 300, 4.0, 26.0
"""Pixels for all rows, and of one row at least and at most."""


@dataclass(frozen=True)
class Lanes:
    """Where rows lie: pixels from the top, by place in the batch."""

    row: float
    """The height of one row."""
    names: tuple[float, ...]
    """The foot of each replica's name."""
    rows: tuple[float, ...]
    """The top of each row in its replica's lane."""
    gathered: float
    """The top of the first row where all are joined."""
    height: int


def lanes_of(found: Prediction) -> Lanes:
    """One lane for each replica, below each other; the calls in a lane are a little apart."""
    row = min(_THICK, max(_THIN, _ROWS / found.rows))
    names = []
    rows = [0.0] * found.rows
    y = float(_HEAD)
    for replica in range(found.replicas):
        y += _NAME
        names.append(y - 6)
        mine = [piece for piece in found.pieces if piece.replica == replica and piece.rows]
        for piece in mine:
            for place in range(piece.rows):
                rows[piece.start + place] = y + place * row
            y += piece.rows * row + _CALLS * (piece is not mine[-1])
        y += _BETWEEN
    middle = (_HEAD + _NAME + y - _BETWEEN) / 2
    gathered = max(float(_HEAD + _NAME), middle - found.rows * row / 2)
    height = int(max(y, gathered + found.rows * row)) + _FOOT
    return Lanes(row, tuple(names), tuple(rows), gathered, height)


def through_layers(found: Prediction, place: int, whose: str) -> Picture:
    """Every activation of every row: position 0 the input, 1 to 3 the layers, 4 the result.

    One lane for each replica, one column for each layer, each on a scale of its own that is
    symmetric about 0, where 0 is paper. The row at `place` of the batch, called `whose`, is
    outlined throughout.
    Cells never move (there are thousands): what is not there yet lies under a sheet of paper.
    """
    lanes = lanes_of(found)
    values = [*found.layers, found.predicted]
    limits = [float(np.abs(layer).max()) or 1.0 for layer in values]
    names = [f"R{replica}" for replica in range(found.replicas)]
    colour = alt.Color(
        "who:N",
        scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
        legend=None,
    )
    chart: Picture = (
        alt.layer(
            _bands(found, lanes, colour),
            _cells(found, lanes, values, limits),
            _sheets(lanes),
            *_frames(found, lanes, colour),
            *_your_row(lanes, place),
            *_texts(found, lanes, values, (found.piece_of(place).replica, whose)),
        )
        .add_params(position(len(COLUMNS) - 1))
        .properties(width="container", height=lanes.height)
    )
    return chart


def drawn(layer: Floats) -> list[int]:
    """The units of a layer (rows, units) that are drawn, counted from 0."""
    return spread(layer.shape[1], UNITS)


def chances(rows: Sequence[Row], place: int, whose: str) -> Picture:
    """The probability that each row's true class was given; the row at `place` is ringed."""
    dots = [
        {
            "place": row.place,
            "probability": row.probability,
            "who": f"R{row.replica}",
            "what": "right" if row.right else "wrong",
        }
        for row in rows
    ]
    base = alt.Chart(inline(dots)).encode(
        x=alt.X(
            "place:Q",
            title="place in the batch",
            scale=alt.Scale(domain=[-1, max(len(rows), 2)], nice=False),
            axis=alt.Axis(format=",d", tickMinStep=1, grid=False),
        ),
        y=alt.Y(
            "probability:Q",
            title="given to the true class",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1]),
        ),
    )
    legend = alt.Legend(orient="top", title=None, labelFontSize=13, labelColor="$ink")
    kinds = ["right", "wrong"]
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        color=alt.Color(
            "what:N", scale=alt.Scale(domain=kinds, range=["$quiet", "$ink"]), legend=legend
        ),
        shape=alt.Shape(
            "what:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond"]), legend=legend
        ),
        tooltip=[
            alt.Tooltip("place:Q", title="place"),
            alt.Tooltip("who:N", title="replica"),
            alt.Tooltip("probability:Q", title="given to the true class", format=".4f"),
        ],
    )
    mine = base.transform_filter(f"datum.place == {place}")
    ring = mine.mark_point(size=260, color="$ink", strokeWidth=2)
    late = place > len(rows) / 2
    name = mine.encode(text=alt.value(whose))
    style: dict[str, Any] = {
        "align": "right" if late else "left",
        "dx": -14 if late else 14,
        "fontWeight": 600,
    }
    halo = name.mark_text(**style, stroke="$paper", strokeWidth=6)
    label = name.mark_text(**style)
    chart: Picture = alt.layer(marks, ring, halo, label).properties(width="container", height=190)
    return chart


def _cells(
    found: Prediction, lanes: Lanes, values: Sequence[Floats], limits: Sequence[float]
) -> alt.Chart:
    """One record for each row of a column; the chart spreads it over the cells."""
    shown = [drawn(layer) for layer in values]
    records = [
        {
            "c": column,
            "y": round(y, 2),
            "who": f"R{piece.replica}",
            "row": found.first + piece.start + place,
            "v": [float(f"{value:.3g}") for value in layer[piece.start + place, shown[column]]],
        }
        for column, layer in enumerate(values)
        for piece in found.pieces
        for place in range(piece.rows)
        for y in [_top(lanes, column, piece.start + place)]
    ]
    chart: alt.Chart = (
        alt.Chart(inline(records))
        .transform_flatten(["v"])
        .transform_window(cell="row_number()", groupby=["c", "row"])
        .transform_calculate(
            left=f"{list(_LEFT)}[datum.c]",
            cell_width=f"{[w / len(s) for w, s in zip(_WIDTHS, shown, strict=True)]}[datum.c]",
            shade=f"datum.v / {limits}[datum.c]",
            unit=f"{[[u + 1 for u in s] for s in shown]}[datum.c][datum.cell - 1]",
            layer=f"{list(COLUMNS)}[datum.c]",
        )
        .transform_calculate(
            x="datum.left + (datum.cell - 1) * datum.cell_width",
            # A little further than its end: between neighbours no paper shall shine through.
            x2="datum.left + datum.cell * datum.cell_width + 0.002",
            y2=f"datum.y + {lanes.row} + 0.3",
        )
        .mark_rect()
        .encode(
            x=_along("x"),
            x2="x2:Q",
            y=_down("y", lanes),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=_shades(), legend=None),
            tooltip=[
                alt.Tooltip("layer:N", title="layer"),
                alt.Tooltip("who:N", title="replica"),
                alt.Tooltip("row:Q", title="row"),
                alt.Tooltip("unit:Q", title="column or unit"),
                alt.Tooltip("v:Q", title="value", format=".3~g"),
            ],
        )
    )
    return chart


def _bands(found: Prediction, lanes: Lanes, colour: alt.Color) -> alt.Chart:
    """From each piece's output to its place in the result."""
    last = len(COLUMNS) - 2
    start, end = _LEFT[last] + _WIDTHS[last], _LEFT[last + 1]
    ends = [
        {
            "piece": f"{piece.call}-{piece.replica}",
            "who": f"R{piece.replica}",
            "at": at,
            "top": top,
            "from": lanes.rows[piece.start],
        }
        for piece in found.pieces
        if piece.rows
        for at, top in ((0, lanes.rows[piece.start]), (1, _joined(lanes, piece.start)))
    ]
    tall = {f"{p.call}-{p.replica}": p.rows * lanes.row for p in found.pieces}
    reached = "clamp(2 * (position - 3), 0, 1)"
    chart: alt.Chart = (
        alt.Chart(inline([{**one, "tall": tall[str(one["piece"])]} for one in ends]))
        .transform_calculate(
            x=f"{start} + datum.at * {end - start} * {reached}",
            y=f"datum.from + (datum.top - datum.from) * {reached}",
        )
        .transform_calculate(y2="datum.y + datum.tall")
        .mark_area(opacity=0.3)
        .encode(
            x=_along("x"),
            y=_down("y", lanes),
            y2="y2:Q",
            detail="piece:N",
            color=colour,
        )
    )
    return chart


def _sheets(lanes: Lanes) -> alt.Chart:
    """Paper over what has not been reached, drawn aside from left to right."""
    rows = [
        {
            "k": k,
            "left": _LEFT[k],
            "wide": _WIDTHS[k],
            "top": _HEAD + _NAME - 2,
            "end": lanes.height,
        }
        for k in range(1, len(COLUMNS))
    ]
    late = len(COLUMNS) - 1
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .transform_calculate(
            x=f"datum.left + datum.wide * {_reached('datum.k', late)} - 0.002",
            x2="datum.left + datum.wide + 0.004",
        )
        .transform_calculate(x="min(datum.x, datum.x2)")
        .transform_filter("position < datum.k")
        .mark_rect(color="$paper", opacity=1)
        .encode(x=_along("x"), x2="x2:Q", y=_down("top", lanes), y2="end:Q")
    )
    return chart


def _frames(found: Prediction, lanes: Lanes, colour: alt.Color) -> list[alt.Chart]:
    """An outline for each layer and piece, there from the start; one for the result."""
    rows = [
        {
            "who": f"R{piece.replica}",
            "x": _LEFT[k],
            "x2": _LEFT[k] + _WIDTHS[k],
            "y": lanes.rows[piece.start],
            "y2": lanes.rows[piece.start] + piece.rows * lanes.row,
        }
        for piece in found.pieces
        if piece.rows
        for k in range(len(COLUMNS) - 1)
    ]
    last = len(COLUMNS) - 1
    joined = [
        {
            "x": _LEFT[last],
            "x2": _LEFT[last] + _WIDTHS[last],
            "y": lanes.gathered,
            "y2": lanes.gathered + found.rows * lanes.row,
        }
    ]
    outline = (
        alt.Chart(inline(rows))
        .mark_rect(filled=False, strokeWidth=1.5)
        .encode(stroke=alt.Stroke("who:N", scale=colour["scale"], legend=None))
    )
    whole = alt.Chart(inline(joined)).mark_rect(filled=False, stroke="$ink", strokeWidth=1.5)
    return [
        chart.encode(x=_along("x"), x2="x2:Q", y=_down("y", lanes), y2="y2:Q")
        for chart in (outline, whole)
    ]


def _your_row(lanes: Lanes, place: int) -> list[alt.Chart]:
    """A box around the row in each layer that is reached, and a line from one to the next."""
    last = len(COLUMNS) - 1
    boxes = [
        {
            "k": k,
            "left": _LEFT[k],
            "wide": _WIDTHS[k],
            "y": _top(lanes, k, place) - 1,
            "y2": _top(lanes, k, place) + lanes.row + 1,
        }
        for k in range(len(COLUMNS))
    ]
    links = [
        {
            "k": k,
            "from": _LEFT[k - 1] + _WIDTHS[k - 1],
            "wide": _GAPS[k - 1],
            "y0": _top(lanes, k - 1, place) + lanes.row / 2,
            "y1": _top(lanes, k, place) + lanes.row / 2,
        }
        for k in range(1, len(COLUMNS))
    ]
    box = (
        alt.Chart(inline(boxes))
        .transform_calculate(
            reached=_reached("datum.k", last), seen="datum.k == 0 || position > datum.k - 1 ? 1 : 0"
        )
        .transform_calculate(x="datum.left", x2="datum.left + datum.wide * datum.reached")
        .mark_rect(filled=False, stroke="$ink", strokeWidth=2)
        .encode(
            x=_along("x"),
            x2="x2:Q",
            y=_down("y", lanes),
            y2="y2:Q",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    link = (
        alt.Chart(inline(links))
        .transform_calculate(
            part=f"datum.k == {last} ? clamp(2 * (position - 3), 0, 1)"
            " : clamp(4 * (position - datum.k + 1), 0, 1)"
        )
        .transform_calculate(
            x="datum.from",
            x2="datum.from + datum.wide * datum.part",
            y="datum.y0",
            y2="datum.y0 + (datum.y1 - datum.y0) * datum.part",
        )
        .mark_rule(stroke="$ink", strokeWidth=2)
        .encode(x=_along("x"), x2="x2:Q", y=_down("y", lanes), y2="y2:Q")
    )
    return [link, box]


def _texts(
    found: Prediction,
    lanes: Lanes,
    values: Sequence[Floats],
    holder: tuple[int, str],
) -> list[alt.Chart]:
    """Heads of the columns, names of the lanes, and under each column its range."""
    last = len(COLUMNS) - 1
    heads = [
        {"x": _LEFT[k], "y": 4, "line": line, "label": label}
        for k in range(last)
        for line, label in enumerate((COLUMNS[k], f"× {values[k].shape[1]}"))
    ]
    right = _LEFT[last] + _WIDTHS[last]
    result = f"{found.rows} × {values[last].shape[1]}"
    joined = [
        {"x": right, "y": 4, "line": line, "label": label}
        for line, label in enumerate((COLUMNS[last], result))
    ]
    lanes_names = [
        {
            "x": 0,
            "y": lanes.names[replica],
            "label": f"R{replica} · {calls(found.counts(replica))}"
            + f" · has {holder[1]}" * (replica == holder[0]),
        }
        for replica in range(found.replicas)
    ]
    feet = [
        {"x": _LEFT[k], "y": lanes.height - _FOOT + 8, "label": _range(values[k])}
        for k in range(last)
    ]
    texts: tuple[tuple[list[dict[str, Any]], dict[str, Any]], ...] = (
        ([row for row in heads if row["line"] == 0], {"fontWeight": 600}),
        ([row for row in heads if row["line"] == 1], {"dy": 17}),
        ([row for row in joined if row["line"] == 0], {"fontWeight": 600, "align": "right"}),
        ([row for row in joined if row["line"] == 1], {"align": "right", "dy": 17}),
        (feet, {"fontSize": 12, "color": "$quiet"}),
    )
    written = [
        alt.Chart(inline(rows))
        .mark_text(**{"align": "left", "baseline": "top", **style})
        .encode(x=_along("x"), y=_down("y", lanes), text="label:N")
        for rows, style in texts
    ]
    named = (
        alt.Chart(inline(lanes_names))
        .mark_text(align="left", baseline="bottom", fontWeight=600)
        .encode(x=_along("x"), y=_down("y", lanes), text="label:N")
    )
    return [*written, named]


def calls(counts: Sequence[int]) -> str:
    """A replica's rows in each call: `32 rows`, `16 rows, twice`, `16 + 16 + 1 rows`."""
    if len(set(counts)) > 1:
        return f"{' + '.join(map(str, counts))} rows"
    rows = f"{counts[0]:,} row{'s' * (counts[0] != 1)}" if counts[0] else "no rows"
    times = {1: "", 2: ", twice"}.get(len(counts), f", {len(counts)} times")
    return rows + times


def _range(layer: Floats) -> str:
    ends = (number(float(layer.min()), 2), number(float(layer.max()), 2))
    return " to ".join(dict.fromkeys(ends))


def _top(lanes: Lanes, column: int, place: int) -> float:
    """The upper edge of a row in a column."""
    return _joined(lanes, place) if column == len(COLUMNS) - 1 else lanes.rows[place]


def _joined(lanes: Lanes, place: int) -> float:
    return lanes.gathered + place * lanes.row


def _reached(column: str, last: int) -> str:
    """How much of a column is seen, 0 to 1; the last one waits for the bands."""
    before = f"position - {column} + 1"
    return f"({column} == {last} ? clamp(2 * ({before}) - 1, 0, 1) : clamp({before}, 0, 1))"


def _along(field: str) -> alt.X:
    scale = alt.Scale(domain=[-0.01, _ACROSS + 0.01], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=None)


def _down(field: str, lanes: Lanes) -> alt.Y:
    scale = alt.Scale(domain=[lanes.height, 0], nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def _shades() -> alt.Scale:
    return alt.Scale(domain=[-1, 0, 1], range=["$minus", "$paper", "$plus"], interpolate="lab")
