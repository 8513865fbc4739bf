"""Charts, in Altair. No Streamlit here: a chart is a value that a page places.

Colours are tokens of `ui.palette` (`"$R0"`), which the player turns into the theme's colours.
"""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import altair as alt

from pipeline.feed import MEAN
from ui.palette import DASHES
from ui.pictures import Picture, position
from ui.words import raised

RINGS = 16
"""At about so many steps the rings are drawn."""
ONE_COLUMN = alt.expr("width < 280 ? 1 : 0")
"""Columns of a legend: on a narrow phone its entries stand below each other; 0 is one line."""
LABEL_GAP = 17
"""Direct labels keep this many pixels apart, so that they can be read."""
LETTER = 6.8
"""Pixels that a letter of a label takes, about."""
LABEL_AT = 9
"""Pixels from a line's end to its label."""


@dataclass(frozen=True)
class Series:
    """One line: its short label, its (x, y) points, its colour token and its dash pattern."""

    label: str
    points: Sequence[tuple[float, float]]
    colour: str = "ink"
    dash: Sequence[int] = ()


@dataclass(frozen=True)
class _Drawing:
    """A picture not made yet; equal when it would come out equal."""

    numbers: bytes
    make: Callable[[], Any] = field(compare=False)


def kept(draw: Callable[..., Any], *given: Any, **named: Any) -> dict[str, Any]:
    """The specification of `draw(*given, **named)`, made once for the same numbers.

    Making one takes Altair 20 to 100 ms, and a class looks at the same pictures. `given` and
    `named` must be picklable; do not change what is returned.
    """
    numbers = pickle.dumps((draw.__module__, draw.__qualname__, given, named))
    return _made(_Drawing(numbers, functools.partial(draw, *given, **named)))


@functools.lru_cache(maxsize=128)
def _made(drawing: _Drawing) -> dict[str, Any]:
    specification: dict[str, Any] = drawing.make().to_dict(validate=False)
    return specification


def by_step(
    field: str, title: str, replicas: int, steps: int, batch: int, top: float | None = None
) -> Picture:
    """`field` of the rows `steps` against the step: a thin line a replica, their mean in ink.

    Steps of fewer than `batch` rows (the last of an epoch) are hollow points beside the line,
    since the mean of few rows jumps.
    """
    names = [f"R{replica}" for replica in range(replicas)]
    base = alt.Chart(alt.NamedData("steps")).encode(
        x=alt.X(
            "at:Q",
            title="step",
            scale=alt.Scale(domain=[0, steps], nice=False),
            axis=alt.Axis(format=",d", tickMinStep=1),
        ),
        y=alt.Y(
            f"{field}:Q",
            title=title,
            scale=alt.Scale(domainMin=0, domainMax=top or alt.Undefined),
            # Room for the labels before there are any: the rows come later.
            axis=alt.Axis(minExtent=34),
        ),
        tooltip=[
            alt.Tooltip("who:N", title="who"),
            alt.Tooltip("at:Q", title="step", format=","),
            alt.Tooltip("epoch:Q", title="epoch"),
            alt.Tooltip("rows:Q", title="rows", format=","),
            alt.Tooltip(f"{field}:Q", title=title, format=".4f"),
        ],
    )
    of_all = base.transform_filter(alt.datum.who == MEAN)
    mean = of_all.transform_filter(alt.datum.rows >= batch).mark_line(strokeWidth=2, color="$ink")
    short = of_all.transform_filter(alt.datum.rows < batch).mark_point(
        size=28, strokeWidth=1.5, color="$ink"
    )
    # Holds the axis open while there are no rows yet; a run's first loss lies above it.
    held = alt.Chart(inline([{field: 0.5}])).mark_point(opacity=0).encode(y=f"{field}:Q")
    if replicas == 1:
        return alt.layer(mean, short, held).properties(width="container", height=260)
    parts = (
        base.transform_filter(alt.datum.who != MEAN)
        .transform_filter(alt.datum.rows >= batch // replicas)
        .mark_line(strokeWidth=1, opacity=0.85)
        .encode(
            color=alt.Color(
                "who:N",
                scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
                legend=None,
            ),
            strokeDash=alt.StrokeDash(
                "who:N",
                scale=alt.Scale(domain=names, range=[list(d) for d in DASHES[:replicas]]),
                legend=None,
            ),
        )
    )
    return alt.layer(parts, mean, short, held).properties(width="container", height=260)


def by_epoch(
    series: Sequence[Series],
    title: str,
    domain: tuple[float, float],
    *,
    height: int = 230,
) -> Picture:
    """Lines against the epoch, each labelled at its end.

    As many pixels as the longest label needs are kept free beside the lines, at every width.
    Both ends of `domain` are drawn, so that charts side by side can be compared.
    """
    epochs = max((x for line in series for x, _ in line.points), default=1)
    first = min((x for line in series for x, _ in line.points), default=0)
    span = max(epochs - first, 1)
    written = {
        line.label: f"{line.label} {line.points[-1][1]:.2f}" for line in series if line.points
    }
    taken = LABEL_AT + LETTER * max(map(len, written.values()), default=0)
    reach = alt.expr(f"{first} + {span} * width / max(width - {taken:g}, 40)")
    x = alt.X(
        "x:Q",
        title="epoch",
        scale=alt.Scale(domainMin=first, domainMax=reach, nice=False, zero=False),
        axis=alt.Axis(values=_whole_ticks(first, epochs), format="d"),
    )
    y = alt.Y("y:Q", title=title, scale=alt.Scale(domain=list(domain), nice=False))
    lines = alt.Chart(inline(_long(series))).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("who:N", title="who"),
        alt.Tooltip("x:Q", title="epoch"),
        alt.Tooltip("y:Q", title=title, format=".4f"),
    ]
    ends = [
        {
            "who": written[line.label],
            "key": line.label,
            "x": line.points[-1][0],
            "y": place,
        }
        for line, place in zip(
            (line for line in series if line.points),
            _apart(
                [line.points[-1][1] for line in series if line.points],
                LABEL_GAP * (domain[1] - domain[0]) / height,
                domain,
            ),
            strict=True,
        )
    ]
    labels = (
        alt.Chart(inline(ends))
        .mark_text(align="left", dx=LABEL_AT, baseline="middle")
        .encode(x=x, y=y, text="who:N")
    )
    return alt.layer(
        lines.mark_line(interpolate="linear").encode(
            color=_colours(series), strokeDash=_dashes(series)
        ),
        lines.mark_circle(size=42, opacity=1).encode(color=_colours(series), tooltip=tooltip),
        labels,
    ).properties(width="container", height=height)


def rings(series: Sequence[Series], title: str, steps: int) -> Picture:
    """The last series as a line, and all as rings within rings at some of its steps.

    The first series has the widest ring, so that equal curves do not hide each other.
    """
    top = max((y for line in series for _, y in line.points), default=1.0)
    x, y = _step_axis(steps), alt.Y("y:Q", title=title, scale=alt.Scale(domain=[0, top]))
    line = alt.Chart(inline(_long(series[-1:]))).mark_line(strokeWidth=1, color="$quiet")
    some = [replace(one, points=one.points[:: max(1, len(one.points) // RINGS)]) for one in series]
    names = [one.label for one in series]
    sizes = [(3 + 8 * place) ** 2 for place in reversed(range(len(series)))]
    marks = (
        alt.Chart(inline(_long(some)))
        .mark_point(strokeWidth=1.6, opacity=1, filled=False)
        .encode(
            x=x,
            y=y,
            color=_colours(series, _legend()),
            size=alt.Size(
                "who:O", sort=names, scale=alt.Scale(domain=names, range=sizes), legend=_legend()
            ),
            tooltip=[
                alt.Tooltip("who:N", title="run on"),
                alt.Tooltip("x:Q", title="step", format=","),
                alt.Tooltip("y:Q", title=title, format=".9f"),
            ],
        )
    )
    return alt.layer(line.encode(x=x, y=y), marks).properties(width="container", height=230)


def differences(series: Sequence[Series], title: str, steps: int, *, lines: bool) -> Picture:
    """Absolute differences against the step on a scale of powers of ten.

    A difference of exactly 0 has no place on such a scale: it gets a lane of its own below.
    """
    ticks, zero = _powers([y for line in series for _, y in line.points])
    names = ["0", *(f"10{raised(power)}" for power in ticks[1:])]
    rows = [
        {**row, "at": zero if row["y"] == 0 else math.log10(row["y"]), "exact": row["y"] == 0}
        for row in _long(series)
    ]
    base = alt.Chart(inline(rows)).encode(
        x=_step_axis(steps),
        y=alt.Y(
            "at:Q",
            title=title,
            scale=alt.Scale(domain=[zero - 0.4, ticks[-1] + 0.2], nice=False),
            axis=alt.Axis(
                values=ticks, labelExpr=f"{names!r}[round(datum.value) - ({zero})]", grid=True
            ),
        ),
        tooltip=[
            alt.Tooltip("who:N", title="who"),
            alt.Tooltip("x:Q", title="step", format=","),
            alt.Tooltip("y:Q", title=title, format=".3~g"),
        ],
    )
    if lines:
        drawn = base.mark_line().encode(
            color=_colours(series, _legend()),
            strokeDash=_dashes(series, _legend()),
        )
    else:
        drawn = base.mark_point(size=34, strokeWidth=1.5, opacity=0.9).encode(
            color=_colours(series, _legend()),
            shape=alt.Shape(
                "who:N",
                scale=alt.Scale(
                    domain=[line.label for line in series],
                    range=["circle", "triangle-up", "square", "cross"][: len(series)],
                ),
                legend=_legend(),
            ),
        )
    return alt.layer(drawn).properties(width="container", height=230)


def milliseconds(bars: Sequence[tuple[str, float, float, float]]) -> Picture:
    """One bar each of (label, median, low, high); the thin line runs from low to high."""
    rows = [
        {"who": who, "median": median, "low": low, "high": high, "label": f"{median:.1f} ms"}
        for who, median, low, high in bars
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "who:N",
            sort=None,
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=8),
        )
    )
    top = max(row[3] for row in bars)
    x = alt.X(
        "median:Q",
        title="milliseconds a step",
        scale=alt.Scale(domain=[0, top * 1.25], nice=False),
    )
    return alt.layer(
        base.mark_bar(height=24, color="$line").encode(x=x),
        base.mark_rule(color="$ink", strokeWidth=1.5).encode(
            x=alt.X("low:Q", title="milliseconds a step"), x2="high:Q"
        ),
        base.mark_tick(color="$ink", thickness=3, height=24).encode(x=x),
        base.mark_text(align="left", dx=8, fontWeight=600).encode(
            x=alt.X("high:Q", title="milliseconds a step"), text="label:N"
        ),
    ).properties(width="container", height=46 * len(rows))


def epochs_to_updates(
    series: Sequence[tuple[Series, int]], title: str, epochs: int, *, back: bool = False
) -> Picture:
    """Curves against epochs (position 0) that glide to updates (position 1); `back`: from 1 to 0.

    Each series comes with its updates an epoch; its points are (update, y). The longest in
    updates spans the axis both times. Dashes tell them apart, so the page adds a legend.
    """
    most = max(per_epoch for _, per_epoch in series) * epochs
    rows: list[dict[str, Any]] = [
        {
            "who": line.label,
            "update": update,
            "epoch": update / per_epoch,
            "y": y,
            "e": update / per_epoch / epochs,
            "u": update / most,
        }
        for line, per_epoch in series
        for update, y in line.points
    ]
    lines = [line for line, _ in series]
    low = min((row["y"] for row in rows), default=0)
    high = max((row["y"] for row in rows), default=1)
    glide = "(1 - clamp(position, 0, 1))" if back else "clamp(position, 0, 1)"
    along = alt.Scale(domain=[0, 1], nice=False)
    base = (
        alt.Chart(inline(rows))
        .transform_calculate(x=f"datum.e + (datum.u - datum.e) * {glide}")
        .encode(
            x=alt.X("x:Q", scale=along, axis=None),
            y=alt.Y("y:Q", title=title, scale=alt.Scale(domain=[low, high])),
            tooltip=[
                alt.Tooltip("who:N", title="who"),
                alt.Tooltip("update:Q", title="update", format=","),
                alt.Tooltip("epoch:Q", title="epoch", format=".1f"),
                alt.Tooltip("y:Q", title=title, format=".4f"),
            ],
        )
    )
    ticks = [
        {"at": epoch / epochs, "label": f"{epoch:g}", "last": 0}
        for epoch in _whole_ticks(0, epochs)
    ] + [
        {"at": update / most, "label": f"{update:,g}", "last": 1}
        for update in _whole_ticks(0, most)
    ]
    titles = [{"at": 0.5, "label": "epoch", "last": 0}, {"at": 0.5, "label": "update", "last": 1}]
    return (
        alt.layer(
            base.mark_line().encode(color=_colours(lines), strokeDash=_dashes(lines)),
            base.mark_circle(size=46, opacity=1).encode(color=_colours(lines)),
            _fading(ticks, along, 8, glide),
            _fading(titles, along, 28, glide),
        )
        .add_params(position(1))
        .properties(
            width="container",
            height=300,
            padding={"left": 5, "right": 5, "top": 5, "bottom": 20},
        )
    )


def inline(rows: Sequence[Mapping[str, object]]) -> Any:
    """Rows that travel inside the chart."""
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


def _fading(rows: list[dict[str, Any]], along: alt.Scale, down: int, glide: str) -> alt.Chart:
    """Texts under the picture: those of position 0 fade as those of position 1 appear."""
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .transform_calculate(seen=f"datum.last == 1 ? {glide} : 1 - {glide}")
        .mark_text(baseline="top", dy=down)
        .encode(
            x=alt.X("at:Q", scale=along, axis=None),
            y=alt.value(alt.expr("height")),
            text="label:N",
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    return chart


def _long(series: Sequence[Series]) -> list[dict[str, Any]]:
    return [{"who": line.label, "x": x, "y": y} for line in series for x, y in line.points]


def _step_axis(steps: int) -> alt.X:
    return alt.X(
        "x:Q",
        title="step",
        scale=alt.Scale(domain=[0, steps], nice=False),
        axis=alt.Axis(format=",d", tickMinStep=1),
    )


def _legend() -> alt.Legend:
    return alt.Legend(
        orient="top",
        title=None,
        labelColor="$ink",
        labelFontSize=13,
        labelLimit=300,
        symbolStrokeColor="$ink",
        columns=ONE_COLUMN,
    )


def _colours(series: Sequence[Series], legend: alt.Legend | None = None) -> alt.Color:
    scale = alt.Scale(
        domain=[line.label for line in series], range=[f"${line.colour}" for line in series]
    )
    return alt.Color("who:N", scale=scale, legend=legend)


def _dashes(series: Sequence[Series], legend: alt.Legend | None = None) -> alt.StrokeDash:
    scale = alt.Scale(
        domain=[line.label for line in series], range=[list(line.dash) for line in series]
    )
    return alt.StrokeDash("who:N", scale=scale, legend=legend)


def _powers(values: Sequence[float]) -> tuple[list[int], int]:
    """Powers of ten around the values that are not 0, at most five or so, and 0's place below."""
    logs = [math.log10(value) for value in values if value > 0]
    low, high = (math.floor(min(logs)), math.ceil(max(logs))) if logs else (-8, -6)
    high = max(high, low + 1)
    stride = math.ceil((high - low) / 4)
    zero = low - stride
    return [zero, *range(low, high + stride, stride)], zero


def _whole_ticks(first: float, last: float) -> list[int]:
    """At most about six whole numbers from `first` to `last`, both among them."""
    stride = max(1, math.ceil((last - first) / 5))
    return [*range(int(first), int(last) - stride // 2, stride), int(last)]


def _apart(
    places: Sequence[float], gap: float, domain: tuple[float, float] | None = None
) -> list[float]:
    """The places moved as little as needed to lie `gap` apart, in order and within the domain."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    floor = domain[0] + 0.6 * gap if domain else -math.inf
    for index in order:
        moved[index] = max(moved[index], floor)
        floor = moved[index] + gap
    ceiling = domain[1] if domain else math.inf
    for index in reversed(order):
        moved[index] = min(moved[index], ceiling)
        ceiling = moved[index] - gap
    return moved
