"""The pictures of How an all-reduce works: chunks on their way, and the bytes by replica count.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from pipeline.collectives import AllReduce
from ui.charts import inline
from ui.pictures import Picture, position

CELL = 0.84
"""The width of a cell, in columns; the rest is the gap between two."""
_HEAD, _FOOT, _BAR = 24, 22, 46
"""Pixels: above the cells; under the bars, for their numbers; of the tallest bar."""
_TALLEST, _LOWEST, _ROOM = 62, 40, 240
"""Pixels of a cell's height at most and at least, and of all cells where there is room."""
_STRIP, _INSET = 10, 0.02
"""Pixels that the strip at a cell's bottom takes; columns it stays off the cell's sides."""
_MARGIN = 0.07
"""Room at the left and the right, as a share of the columns."""
SUM = "sum"
"""What a chunk is called that holds the values of more than one replica."""


def moves(
    done: AllReduce, followed: Sequence[int | None], power: int, most: int, around: bool
) -> Picture:
    """Columns are replicas, rows are chunks; a cell is one replica's copy of one chunk.

    Position k shows what every replica holds after k moves. A cell has one value of its chunk
    (`followed`, in units of 10 to the `power`) and a strip with a part for each replica whose
    values are in it; a whole sum is ink. Under each column the bytes sent so far; `most` bytes
    have the tallest bar. `around`: what leaves the last column comes into the first.
    """
    place = _Place(done.devices)
    names = [f"R{device}" for device in range(done.devices)]
    colours = alt.Scale(domain=[*names, SUM], range=[*(f"${name}" for name in names), "$ink"])
    return (
        alt.layer(
            _cells(done, place),
            _strips(done, place, colours),
            _numbers(done, place, followed, power),
            _arrows(done, place, around),
            _tokens(done, place, colours, around),
            *_heads(names, place),
            *_sent(done, place, colours, most),
        )
        .add_params(position(len(done.moves)))
        .properties(width="container", height=place.height)
    )


def bytes_by_replicas(
    busiest: Mapping[str, Mapping[int, int]], dashed: str, rule: str, rule_at: int
) -> Picture:
    """Bytes that the busiest replica sends, by method and number of replicas, each labelled.

    `dashed` names the method that is drawn dashed; a rule called `rule` lies at `rule_at` bytes.
    """
    rows = [
        {"method": method, "replicas": replicas, "kB": count / 1000}
        for method, counts in busiest.items()
        for replicas, count in counts.items()
    ]
    counts = sorted(next(iter(busiest.values())))
    x = alt.X(
        "replicas:Q",
        title="replicas",
        scale=alt.Scale(domain=[counts[0], counts[-1] + 3.5], nice=False, zero=False),
        axis=alt.Axis(values=counts, format="d", grid=False),
    )
    y = alt.Y("kB:Q", title="kB sent by the busiest", axis=alt.Axis(format="~s"))
    base = alt.Chart(inline(rows)).encode(x=x, y=y)
    dashes = alt.Scale(
        domain=list(busiest), range=[[6, 4] if name == dashed else [1, 0] for name in busiest]
    )
    ends = [row for row in rows if row["replicas"] == counts[-1]]
    limit = alt.Chart(
        inline([{"kB": rule_at / 1000, "label": rule, "at": counts[0], "end": counts[-1]}])
    ).encode(y=y)
    return alt.layer(
        limit.mark_rule(color="$quiet", strokeDash=[2, 3]).encode(x=alt.X("at:Q"), x2="end:Q"),
        limit.mark_text(align="left", baseline="bottom", dx=9, color="$quiet").encode(
            x=alt.X("end:Q"), text="label:N"
        ),
        base.mark_line(color="$ink").encode(
            strokeDash=alt.StrokeDash("method:N", scale=dashes, legend=None)
        ),
        base.mark_circle(color="$ink", size=44, opacity=1).encode(
            tooltip=[
                alt.Tooltip("method:N", title="how"),
                alt.Tooltip("replicas:Q", title="replicas"),
                alt.Tooltip("kB:Q", title="kB", format=",.3f"),
            ]
        ),
        alt.Chart(inline(ends))
        .mark_text(align="left", dx=9, baseline="middle")
        .encode(x=x, y=y, text="method:N"),
    ).properties(width="container", height=240)


class _Place:
    """Where things lie: a column is 1 along, pixels count down."""

    def __init__(self, devices: int) -> None:
        self.devices = devices
        self.cell = max(_LOWEST, min(_TALLEST, _ROOM // devices))
        self.bars = _HEAD + devices * self.cell + 34 + _BAR
        self.height = self.bars + _FOOT
        self.ends = (-_MARGIN * devices, devices - 1 + CELL + _MARGIN * devices)

    def top(self, chunk: int) -> float:
        """The upper edge of a cell."""
        return _HEAD + chunk * self.cell + 2

    def bottom(self, chunk: int) -> float:
        """Its lower edge."""
        return self.top(chunk) + self.cell - 6

    def middle(self, chunk: int) -> float:
        """Half-way down."""
        return (self.top(chunk) + self.bottom(chunk)) / 2

    def along(self, field: str) -> alt.X:
        """A field in columns."""
        scale = alt.Scale(domain=list(self.ends), nice=False, zero=False)
        return alt.X(f"{field}:Q", axis=None, scale=scale)

    def down(self, field: str) -> alt.Y:
        """A field in pixels from the top."""
        scale = alt.Scale(domain=[self.height, 0], nice=False)
        return alt.Y(f"{field}:Q", axis=None, scale=scale)

    def chart(self, rows: Sequence[Mapping[str, Any]], box: bool = False) -> alt.Chart:
        """Rows with x and y, and with x2 and y2 when they are boxes, at their places."""
        ends = {"x2": "x2:Q", "y2": "y2:Q"} if box else {}
        chart: alt.Chart = alt.Chart(inline(rows)).encode(
            x=self.along("x"), y=self.down("y"), **ends
        )
        return chart


def shown_number(value: float, power: int) -> str:
    """A value in units of 10 to the `power`, with one decimal: `−50.1`."""
    told = f"{float(value) / 10.0**power:.1f}"
    return "0.0" if told == "-0.0" else told.replace("-", "−")


def power_of(values: Sequence[float]) -> int:
    """The power of ten in whose units the largest value has two digits before the point."""
    largest = max((abs(value) for value in values), default=0.0)
    return int(np.floor(np.log10(largest))) - 1 if largest > 0 else 0


def _cells(done: AllReduce, place: _Place) -> alt.Chart:
    """A box for every copy of every chunk: outlined when just written to, filled when whole."""
    last = len(done.moves)
    got: dict[tuple[int, int], list[int]] = {}
    for at, move in enumerate(done.moves, start=1):
        for send in move.sends:
            got.setdefault((send.receiver, send.chunk), []).append(at)
    rows = [
        {
            "x": device,
            "x2": device + CELL,
            "y": place.top(chunk),
            "y2": place.bottom(chunk),
            "who": f"R{device}",
            "chunk": chunk + 1,
            "size": int(done.bounds[chunk + 1] - done.bounds[chunk]),
            "got": got.get((device, chunk), []),
            "whole": _first(done.whole[:, device, chunk]),
        }
        for device in range(done.devices)
        for chunk in range(done.devices)
    ]
    near = "abs(position - round(position)) < 0.1"
    written = f"position < {last} && {near} && indexof(datum.got, round(position)) >= 0"
    chart: alt.Chart = (
        place.chart(rows, box=True)
        .mark_rect()
        .encode(
            fill=alt.condition("position >= datum.whole", alt.value("$line"), alt.value("$paper")),
            stroke=alt.condition(written, alt.value("$ink"), alt.value("$quiet")),
            strokeWidth=alt.condition(written, alt.value(2.5), alt.value(1)),
            tooltip=[
                alt.Tooltip("who:N", title="replica"),
                alt.Tooltip("chunk:Q", title="chunk"),
                alt.Tooltip("size:Q", title="values in it", format=","),
            ],
        )
    )
    return chart


def _strips(done: AllReduce, place: _Place, colours: alt.Scale) -> alt.Chart:
    """In every cell one part for each replica whose values are in it; ink in a whole sum."""
    wide = (CELL - 2 * _INSET) / done.devices
    rows = [
        {
            "column": device,
            "y": place.bottom(chunk) - _STRIP,
            "y2": place.bottom(chunk) - 2,
            "who": list(range(done.devices)),
            "at": [_first(done.parts[:, device, chunk, who]) for who in range(done.devices)],
            "whole": _first(done.whole[:, device, chunk]),
        }
        for device in range(done.devices)
        for chunk in range(done.devices)
    ]
    chart: alt.Chart = (
        place.chart(rows, box=True)
        .transform_flatten(["who", "at"])
        .transform_calculate(
            x=f"datum.column + {_INSET} + datum.who * {wide}",
            x2=f"datum.column + {_INSET} + (datum.who + 1) * {wide}",
            who="'R' + datum.who",
        )
        .mark_rect(stroke="$paper", strokeWidth=0.5)
        .encode(
            color=alt.condition(
                "position >= datum.whole",
                alt.value("$ink"),
                alt.Color("who:N", scale=colours, legend=None),
            ),
            opacity=_when("position >= datum.at", 1),
            tooltip=alt.Tooltip("who:N", title="holds values of"),
        )
    )
    return chart


def _numbers(
    done: AllReduce, place: _Place, followed: Sequence[int | None], power: int
) -> alt.Chart:
    """The value of each cell that is written out, from one change to the next."""
    rows = []
    last = len(done.moves)
    for device in range(done.devices):
        for chunk, value in enumerate(followed):
            if value is None:
                continue
            held = done.buffers[:, device, value]
            changes = [0, *(np.flatnonzero(held[1:] != held[:-1]) + 1).tolist()]
            for begin, end in zip(changes, [*changes[1:], last + 1], strict=True):
                rows.append(
                    {
                        "x": device + CELL / 2,
                        "y": place.middle(chunk) - _STRIP / 2,
                        "label": shown_number(held[begin], power),
                        "value": float(held[begin]),
                        "begin": begin,
                        "end": end,
                    }
                )
    chart: alt.Chart = (
        place.chart(rows)
        .mark_text(baseline="middle", fontSize=11 if done.devices > 5 else 13)
        .encode(
            # Not by opacity: a number that cannot be seen must not answer the pointer either.
            text=alt.condition(
                "position >= datum.begin && position < datum.end", "label:N", alt.value("")
            ),
            tooltip=alt.Tooltip("value:Q", title="value", format=".8g"),
        )
    )
    return chart


def _arrows(done: AllReduce, place: _Place, around: bool) -> alt.Chart:
    """Where a chunk leaves a column and where it enters one, in the gaps beside them."""
    gap = (1 - CELL) / 2
    rows = []
    for at, move in enumerate(done.moves):
        for send in move.sends:
            right = around or send.receiver > send.sender
            exit_, entry = (CELL + gap, -gap) if right else (-gap, CELL + gap)
            shape = "triangle-right" if right else "triangle-left"
            for x in sorted({round(send.sender + exit_, 6), round(send.receiver + entry, 6)}):
                rows.append({"x": x, "y": place.middle(send.chunk), "shape": shape, "at": at})
    chart: alt.Chart = (
        place.chart(rows)
        .mark_point(filled=True, color="$ink", opacity=1)
        .encode(
            shape=alt.Shape("shape:N", scale=None),
            size=_when(
                f"position > datum.at && position <= datum.at + 1 && position < {len(done.moves)}",
                36,
            ),
        )
    )
    return chart


def _tokens(done: AllReduce, place: _Place, colours: alt.Scale, around: bool) -> alt.Chart:
    """The chunks on their way: a replica's own in its colour, a sum in ink."""
    rows = []
    for at, move in enumerate(done.moves):
        for send in move.sends:
            held = np.flatnonzero(done.parts[at, send.sender, send.chunk])
            rows.append(
                {
                    "x0": send.sender + CELL / 2,
                    "x1": send.receiver + CELL / 2,
                    "y": place.bottom(send.chunk) - _STRIP / 2,
                    "at": at,
                    "wraps": around and send.receiver < send.sender,
                    "who": f"R{held[0]}" if len(held) == 1 else SUM,
                }
            )
    left, right = place.ends
    chart: alt.Chart = (
        place.chart(rows)
        .transform_calculate(gone="clamp(position - datum.at, 0, 1)")
        .transform_calculate(
            x="!datum.wraps ? datum.x0 + (datum.x1 - datum.x0) * datum.gone"
            f" : datum.gone < 0.5 ? datum.x0 + ({right} - datum.x0) * 2 * datum.gone"
            f" : {left} + (datum.x1 - {left}) * (2 * datum.gone - 1)"
        )
        .mark_square(stroke="$paper", strokeWidth=1, opacity=1)
        .encode(
            color=alt.Color("who:N", scale=colours, legend=None),
            size=_when("position > datum.at && position < datum.at + 1", 150),
        )
    )
    return chart


def _heads(names: Sequence[str], place: _Place) -> list[alt.Chart]:
    """The replicas above their columns, the chunks' numbers beside their rows."""
    columns = [{"x": at + CELL / 2, "y": _HEAD - 4, "who": name} for at, name in enumerate(names)]
    rows = [
        {"x": place.ends[0], "y": place.middle(chunk), "label": str(chunk + 1)}
        for chunk in range(len(names))
    ]
    rows.append({"x": place.ends[0], "y": place.bars - _BAR - 14, "label": "kB sent"})
    return [
        place.chart(columns).mark_text(baseline="bottom", fontWeight=600).encode(text="who:N"),
        place.chart(rows)
        .mark_text(align="left", baseline="middle", color="$quiet", fontSize=12)
        .encode(text="label:N"),
    ]


def _sent(done: AllReduce, place: _Place, colours: alt.Scale, most: int) -> list[alt.Chart]:
    """A bar and a number for the bytes that each replica has sent; both grow with the position."""
    rows = [
        {"device": device, "who": f"R{device}", "sent": done.sent[:, device].tolist()}
        for device in range(done.devices)
    ]
    base = (
        place.chart(rows)
        .transform_calculate(now="floor(position)", part="position - floor(position)")
        .transform_calculate(
            bytes="datum.sent[datum.now] + datum.part *"
            f" (datum.sent[min(datum.now + 1, {len(done.moves)})] - datum.sent[datum.now])"
        )
        .transform_calculate(
            x=f"datum.device + {CELL / 4}",
            x2=f"datum.device + {3 * CELL / 4}",
            middle=f"datum.device + {CELL / 2}",
            y=f"{place.bars} - {_BAR / most} * datum.bytes",
            y2=str(place.bars),
            label="format(datum.bytes / 1000, datum.bytes < 99950 ? '.1f' : ',.0f')",
        )
    )
    return [
        base.mark_rect().encode(
            x2="x2:Q", y2="y2:Q", color=alt.Color("who:N", scale=colours, legend=None)
        ),
        base.mark_text(baseline="top", dy=5, fontSize=11 if done.devices > 5 else 13).encode(
            x=place.along("middle"), y=place.down("y2"), text="label:N"
        ),
    ]


def _first(reached: NDArray[np.bool_]) -> int:
    """The first position at which this holds; one that is never reached when it never does."""
    return int(np.argmax(reached)) if reached.any() else len(reached)


def _when(test: str, value: float) -> Any:
    """The value while this holds, else 0."""
    return alt.condition(test, alt.value(value), alt.value(0))
