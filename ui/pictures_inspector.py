"""The pictures of the step inspector: panels of one weight tensor, and the rows of a step.

No Streamlit here. Panels lie in three lines whatever the number of replicas, so that they stay in
place from step to step. A matrix is drawn as a heat map, a vector as bars.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from pipeline.what_if_view import Part, strongest_part
from ui.charts import inline
from ui.pictures import Picture
from ui.pictures_aggregate import shades, stretch
from ui.words import small

LINES = 3
"""Panels above each other."""
HEAD, PANEL, FOOT = 27, 90, 52
"""Pixels: a panel's name above it, the panel, the scale under all of them."""
GAP = 0.06
"""Between two columns of panels, in panels."""
SHADES = 41
"""Steps of the small scale."""
MOST_DOTS = 600
"""Rows drawn at most; of a larger batch every so-manieth is left out."""
GOLDEN = 0.6180339887
"""Multiples of it, without their whole part, spread evenly: where a dot lies in its lane."""


@dataclass(frozen=True)
class Panel:
    """One panel: its name, its colour token, its values (the whole tensor) and its scale's name.

    Panels whose `scale` is the same are shaded alike and can be compared.
    """

    name: str
    colour: str
    values: NDArray[np.floating]
    scale: str


@dataclass(frozen=True)
class Scale:
    """What a shade or a bar stands for: in words, the largest value, and how shades are bent.

    A value v is shaded (|v| / limit) ** bend; bars are never bent.
    """

    words: str
    limit: float
    bend: float


def cut_of(tensor: NDArray[np.floating]) -> Part | None:
    """The part of a matrix that is drawn: what is strongest; None for a vector, drawn whole."""
    return strongest_part(0, tensor) if _is_matrix(tensor) else None


def scale(words: str, of: Sequence[Panel], like: NDArray[np.floating]) -> Scale:
    """One scale for these panels, from the values that are drawn of them."""
    cut = cut_of(like)
    sizes = np.abs(np.concatenate([_values(panel.values, cut).ravel() for panel in of]))
    sizes = sizes[np.isfinite(sizes)].astype(np.float64)
    bend = stretch(sizes) if cut is not None and sizes.any() else 1.0
    return Scale(words, float(sizes.max(initial=0.0)), bend)


def panels(
    shown: Sequence[Panel | None], like: NDArray[np.floating], scales: Mapping[str, Scale]
) -> Picture:
    """The panels from top to bottom, then in the next column; at most nine, None for a gap.

    `like` is the tensor whose strongest part is cut out of all of them. `scales` are by name;
    under the panels stands how far those that occur go.
    """
    cut = cut_of(like)
    columns = -(-len(shown) // LINES)
    tall = (LINES if len(shown) > 1 else 1) * (HEAD + PANEL) + FOOT
    placed = {place: panel for place, panel in enumerate(shown) if panel is not None}
    records = [_record(place, panel, cut, scales[panel.scale]) for place, panel in placed.items()]
    used = dict.fromkeys(scales[panel.scale] for panel in placed.values())
    picture: Picture = alt.layer(
        _heat(records, cut, columns, tall) if cut is not None else _bars(records, columns, tall),
        _frames(placed, columns, tall, middle=cut is None),
        _names(placed, columns, tall),
        *_feet(list(used), columns, tall),
    ).properties(width="container", height=tall)
    return picture


def rows_of_step(
    sizes: Sequence[NDArray[np.float64]], rows: Sequence[NDArray[np.int64]], ringed: int | None
) -> Picture:
    """One dot for each row of a step, in its replica's lane; further right pulls harder.

    `sizes[r]` are the sizes of the parts of replica r's rows `rows[r]`; `ringed` is your row.
    """
    stride = stride_of(rows)
    lanes = []
    for replica, (parts, numbers) in enumerate(zip(sizes, rows, strict=True)):
        drawn = np.isfinite(parts) & ((np.arange(len(parts)) % stride == 0) | (numbers == ringed))
        lanes.append(
            {
                "who": f"R{replica}",
                "middle": replica + 0.5,
                "row": numbers[drawn].tolist(),
                "size": [float(f"{size:.4g}") for size in parts[drawn]],
            }
        )
    names = [lane["who"] for lane in lanes]
    colour = alt.Color(
        "who:N", scale=alt.Scale(domain=names, range=[f"${name}" for name in names]), legend=None
    )
    down = alt.Scale(domain=[len(rows), 0], nice=False, zero=False)
    mine = f"datum.row === {json.dumps(ringed)}"
    dots = (
        alt.Chart(inline([lane for lane in lanes if lane["row"]]))
        .transform_flatten(["row", "size"])
        .transform_window(place="row_number()", groupby=["who"])
        .transform_calculate(lane=f"datum.middle + 0.7 * ((datum.place * {GOLDEN}) % 1 - 0.5)")
        .mark_circle()
        .encode(
            x=alt.X(
                "size:Q",
                title="size of the row’s part of the gradient",
                scale=alt.Scale(zero=True, nice=True),
                axis=alt.Axis(format="~g", tickCount=4),
            ),
            y=alt.Y("lane:Q", scale=down, axis=None),
            color=colour,
            opacity=alt.condition(mine, alt.value(1), alt.value(0.55)),
            size=alt.condition(mine, alt.value(130), alt.value(22)),
            stroke=alt.condition(mine, alt.value("$ink"), alt.value(None)),
            strokeWidth=alt.value(2.5),
            tooltip=[
                alt.Tooltip("who:N", title="replica"),
                alt.Tooltip("row:Q", title="row", format=","),
                alt.Tooltip("size:Q", title="size", format=".4~g"),
            ],
        )
    )
    heads = [{"who": lane["who"], "middle": lane["middle"]} for lane in lanes]
    labels = (
        alt.Chart(inline(heads))
        .mark_text(align="left", dx=-26, fontWeight=600)
        .encode(
            x=alt.value(0),
            y=alt.Y("middle:Q", scale=down, axis=None),
            text="who:N",
        )
    )
    picture: Picture = alt.layer(dots, labels).properties(
        width="container",
        height=max(90, 34 * len(rows)),
        padding={"left": 30, "right": 5, "top": 5, "bottom": 5},
    )
    return picture


def stride_of(rows: Sequence[NDArray[np.int64]]) -> int:
    """Every so-manieth row of each replica is drawn as a dot."""
    return max(1, -(-sum(map(len, rows)) // MOST_DOTS))


def _is_matrix(tensor: NDArray[np.floating]) -> bool:
    return tensor.ndim == 2 and min(tensor.shape) > 1


def _values(tensor: NDArray[np.floating], cut: Part | None) -> NDArray[np.floating]:
    """What is drawn of a tensor, as a table of lines and columns; a vector is one line."""
    if cut is None:
        return tensor.reshape(1, -1)
    return tensor[np.ix_(cut.rows, cut.columns)]


def _record(place: int, panel: Panel, cut: Part | None, of: Scale) -> dict[str, object]:
    """One panel as a single record; the chart spreads its values over the cells."""
    values = _values(panel.values, cut)
    return {
        "name": panel.name,
        "column": place // LINES,
        "line": place % LINES,
        "limit": of.limit or 1.0,
        "bend": of.bend,
        "wide": values.shape[1],
        "tall": values.shape[0],
        # Nine digits tell every float32 from its neighbours.
        "v": [float(f"{value:.9g}") if np.isfinite(value) else None for value in values.flat],
    }


def _heat(records: Sequence[Mapping[str, object]], cut: Part, columns: int, tall: int) -> alt.Chart:
    """All cells, placed and shaded in the browser."""
    chart: alt.Chart = (
        _placed(records)
        .transform_calculate(
            x2="datum.x + 1 / datum.wide + 0.003",
            y="datum.top + datum.down * datum.deep",
            # A little further than its end: between neighbours no paper shall shine through.
            y2="datum.top + (datum.down + 1) * datum.deep + 0.4",
            shade="(datum.v < 0 ? -1 : 1) * pow(abs(datum.v) / datum.limit, datum.bend)",
            input=f"{cut.rows}[datum.down] + 1",
            unit=f"{cut.columns}[datum.across] + 1",
        )
        .mark_rect()
        .encode(
            x=_along("x", columns),
            x2="x2:Q",
            y=_down("y", tall),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=shades(), legend=None),
            tooltip=[
                alt.Tooltip("name:N", title="panel"),
                alt.Tooltip("input:Q", title="from input"),
                alt.Tooltip("unit:Q", title="to unit"),
                alt.Tooltip("v:Q", title="value", format=".9~g"),
            ],
        )
    )
    return chart


def _bars(records: Sequence[Mapping[str, object]], columns: int, tall: int) -> alt.Chart:
    """One bar a value, up or down from the middle of its panel."""
    chart: alt.Chart = (
        _placed(records)
        .transform_calculate(
            x="datum.x + 0.1 / datum.wide",
            x2="datum.x + 0.9 / datum.wide",
            y=f"datum.top + {PANEL / 2}",
            y2=f"datum.top + {PANEL / 2} * (1 - datum.v / datum.limit)",
            shade="datum.v < 0 ? -1 : 1",
            unit="datum.across + 1",
        )
        .mark_rect()
        .encode(
            x=_along("x", columns),
            x2="x2:Q",
            y=_down("y", tall),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=shades(), legend=None),
            tooltip=[
                alt.Tooltip("name:N", title="panel"),
                alt.Tooltip("unit:Q", title="number"),
                alt.Tooltip("v:Q", title="value", format=".9~g"),
            ],
        )
    )
    return chart


def _placed(records: Sequence[Mapping[str, object]]) -> alt.Chart:
    """One datum a cell, with its place: `across` and `down` in its panel, `x` and `top` outside."""
    chart: alt.Chart = (
        alt.Chart(inline(records))
        .transform_flatten(["v"])
        .transform_window(cell="row_number()", groupby=["column", "line"])
        .transform_calculate(
            across="(datum.cell - 1) % datum.wide",
            down="floor((datum.cell - 1) / datum.wide)",
            top=f"datum.line * {HEAD + PANEL} + {HEAD}",
            deep=f"{PANEL} / datum.tall",
        )
        .transform_calculate(x=f"datum.column * (1 + {GAP}) + datum.across / datum.wide")
    )
    return chart


def _frames(placed: Mapping[int, Panel], columns: int, tall: int, *, middle: bool) -> Picture:
    """An outline in its colour for every panel, and for bars the line they stand on."""
    rows = [
        {
            "colour": panel.colour,
            "x": place // LINES * (1 + GAP),
            "x2": place // LINES * (1 + GAP) + 1,
            "y": _top(place),
            "y2": _top(place) + PANEL,
            "middle": _top(place) + PANEL / 2,
        }
        for place, panel in placed.items()
    ]
    tokens = sorted({panel.colour for panel in placed.values()})
    colour = alt.Stroke(
        "colour:N",
        scale=alt.Scale(domain=tokens, range=[f"${token}" for token in tokens]),
        legend=None,
    )
    base = alt.Chart(inline(rows)).encode(x=_along("x", columns), x2="x2:Q")
    outlines = base.mark_rect(filled=False, strokeWidth=2).encode(
        y=_down("y", tall), y2="y2:Q", stroke=colour
    )
    lines = base.mark_rule(color="$quiet", strokeWidth=1).encode(y=_down("middle", tall))
    return alt.layer(outlines, lines) if middle else alt.layer(outlines)


def _names(placed: Mapping[int, Panel], columns: int, tall: int) -> alt.Chart:
    rows = [
        {
            "label": panel.name,
            "x": place // LINES * (1 + GAP),
            "y": _top(place) - 5,
        }
        for place, panel in placed.items()
    ]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_text(align="left", baseline="bottom", fontWeight=600)
        .encode(x=_along("x", columns), y=_down("y", tall), text="label:N")
    )
    return chart


def _feet(ends: Sequence[Scale], columns: int, tall: int) -> list[alt.Chart]:
    """Under the panels: the scale of signed values, once for each kind of quantity."""
    whole = columns + (columns - 1) * GAP
    width = (whole - (len(ends) - 1) * GAP) / len(ends)
    y = tall - FOOT + 16
    bars = [
        {
            "x": n * (width + GAP) + width * at / SHADES,
            "x2": n * (width + GAP) + width * (at + 1) / SHADES,
            "y": y,
            "y2": y + 9,
            "shade": 2 * at / (SHADES - 1) - 1,
        }
        for n in range(len(ends))
        for at in range(SHADES)
    ]
    texts = [
        {"x": n * (width + GAP) + at * width, "y": y + 13, "label": label, "align": align}
        for n, end in enumerate(ends)
        for at, align, label in (
            (0, "left", "−"),
            (0.5, "center", f"{end.words}, up to {small(end.limit)}"),
            (1, "right", "+"),
        )
    ]
    bar = (
        alt.Chart(inline(bars))
        .mark_rect()
        .encode(
            x=_along("x", columns),
            x2="x2:Q",
            y=_down("y", tall),
            y2="y2:Q",
            color=alt.Color("shade:Q", scale=shades(), legend=None),
        )
    )
    labels = [
        alt.Chart(inline([row for row in texts if row["align"] == align]))
        .mark_text(align=align, baseline="top", fontSize=12)
        .encode(x=_along("x", columns), y=_down("y", tall), text="label:N")
        for align in ("left", "center", "right")
    ]
    return [bar, *labels]


def _top(place: int) -> int:
    return place % LINES * (HEAD + PANEL) + HEAD


def _along(field: str, columns: int) -> alt.X:
    scale = alt.Scale(domain=[0, columns + (columns - 1) * GAP], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=None)


def _down(field: str, tall: int) -> alt.Y:
    scale = alt.Scale(domain=[tall, 0], nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)
