"""The pictures of Distribute: one batch that is cut, and the steps that use your row.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from pipeline.distribute import Rows, Use
from ui.charts import inline
from ui.pictures import Picture, position

SQUARES = 512
"""Squares drawn at most, give or take one for each replica."""
HEIGHT = 330
NARROW = 350
"""The width, in pixels, that the picture must fit: a phone's."""
_HEAD = 24
"""Pixels above each block, for its head."""
_LARGEST = 34
"""Pixels of a square's side at most, its gap included."""
_ACROSS = 4
"""Blocks side by side at most; more replicas make a second row."""


def squares_of(rows: int) -> int:
    """How many rows one drawn square stands for."""
    return max(1, math.ceil(rows / SQUARES))


@dataclass(frozen=True)
class Grid:
    """Where squares lie, in squares: a block is `wide` across, blocks begin `pitch` apart.

    `across` by `down` squares fill the picture where it is narrowest.
    """

    blocks: int
    wide: int
    pitch: float
    row_pitch: float
    head: float
    pile: int
    across: float
    down: float
    height: int
    """Pixels that the picture needs."""

    def corner(self, replica: int) -> tuple[float, float]:
        """The upper left corner of a replica's block."""
        down, along = divmod(replica, self.blocks)
        return along * self.pitch, self.head + down * self.row_pitch


def grid_of(counts: Sequence[int]) -> Grid:
    """The grid in which blocks of these many squares are drawn largest."""
    blocks = min(len(counts), _ACROSS)
    rows = math.ceil(len(counts) / blocks)
    most, total = max(counts), sum(counts)

    def side(wide: int) -> float:
        """Pixels of a square's side when blocks are `wide` squares across."""
        along = NARROW / (blocks * (wide + 1) - 1)
        down = (HEIGHT - rows * _HEAD) / (rows * math.ceil(most / wide))
        return min(_LARGEST, along, down)

    wide = max(range(1, most + 1), key=side)
    pixels = side(wide)
    head, tall = _HEAD / pixels, math.ceil(most / wide)
    needed = max(rows * (head + tall), head + math.ceil(math.sqrt(total)))
    height = min(HEIGHT, math.ceil(pixels * needed) + 8)
    across, down = NARROW / pixels, height / pixels
    room = max(1, math.floor(down - head + 1e-9))
    pile = max(math.ceil(math.sqrt(total)), math.ceil(total / room))
    return Grid(blocks, wide, (across + 1) / blocks, down / rows, head, pile, across, down, height)


def batch_cut(pieces: Sequence[Rows], row: int) -> Picture:
    """One batch as squares that glide into one block for each replica; `row` is ringed.

    Position 0: the batch in the order it was dealt. Position 1: cut. A large batch is drawn with
    several rows a square (`squares_of`).
    """
    per_square = squares_of(sum(map(len, pieces)))
    counts = [math.ceil(len(piece) / per_square) for piece in pieces]
    grid = grid_of(counts)
    squares = [
        {"r": replica, "k": k, "row": int(piece[k * per_square]), "n": sum(counts[:replica]) + k}
        | ({"mine": 1} if row in piece[k * per_square : (k + 1) * per_square] else {})
        for replica, piece in enumerate(pieces)
        for k in range(counts[replica])
    ]
    names = [f"R{replica}" for replica in range(len(pieces))]
    # The same unit along both axes, whatever the width, so that the grid is never stretched.
    unit = f"max({grid.across} / width, {grid.down} / height)"
    along = alt.Scale(domainMin=0, domainMax=alt.ExprRef(f"{unit} * width"), nice=False)
    down = alt.Scale(
        domainMin=0, domainMax=alt.ExprRef(f"{unit} * height"), nice=False, reverse=True
    )
    x, y = alt.X("x:Q", axis=None, scale=along), alt.Y("y:Q", axis=None, scale=down)
    cut = "clamp(position, 0, 1)"
    base = (
        alt.Chart(inline(squares))
        .transform_calculate(
            who="'R' + datum.r",
            x0=f"datum.n % {grid.pile}",
            y0=f"{grid.head} + floor(datum.n / {grid.pile})",
            x1=f"(datum.r % {grid.blocks}) * {grid.pitch} + datum.k % {grid.wide}",
            y1=f"{grid.head} + floor(datum.r / {grid.blocks}) * {grid.row_pitch}"
            f" + floor(datum.k / {grid.wide})",
        )
        .transform_calculate(
            x=f"datum.x0 + (datum.x1 - datum.x0) * {cut} + 0.5",
            y=f"datum.y0 + (datum.y1 - datum.y0) * {cut} + 0.5",
            dealt=f"1 - {cut}",
            given="position > 0 ? 1 : 0",
        )
        .encode(x=x, y=y)
    )
    marks = base.mark_square(size=_area(unit, 0.84)).encode(
        color=_by_replica(names),
        opacity=alt.Opacity("given:Q", scale=None),
        tooltip=[alt.Tooltip("row:Q", title="row", format=","), alt.Tooltip("who:N", title="to")],
    )
    # Before the cut a square belongs to nobody: ink, which fades as it reaches its block.
    dealt = base.mark_square(color="$quiet", size=_area(unit, 0.84)).encode(
        opacity=alt.Opacity("dealt:Q", scale=None)
    )
    ring = base.transform_filter("datum.mine").mark_square(
        filled=False, strokeWidth=3, color="$ink", opacity=1, size=_area(unit, 0.84, 6)
    )
    heads = alt.Chart(inline(_heads(grid, pieces))).transform_calculate(
        seen=cut, middle="datum.x + 0.5", below="datum.y + 0.5"
    )
    nothing = (
        heads.transform_filter("!datum.rows")
        .mark_square(
            filled=False, strokeWidth=1.5, strokeDash=[3, 3], color="$quiet", size=_area(unit, 0.84)
        )
        .encode(
            x=alt.X("middle:Q", axis=None, scale=along),
            y=alt.Y("below:Q", axis=None, scale=down),
            opacity=alt.Opacity("seen:Q", scale=None),
        )
    )
    texts = heads.mark_text(fontWeight=600, align="left", baseline="bottom", dy=-5).encode(
        x=x, y=y, text="label:N", opacity=alt.Opacity("seen:Q", scale=None)
    )
    return (
        alt.layer(marks, dealt, nothing, ring, texts)
        .add_params(position(1))
        .properties(width="container", height=grid.height)
    )


def strip_of_uses(uses: Sequence[Use], epochs: int, per_epoch: int, replicas: int) -> Picture:
    """One lettered mark an epoch: the step of that epoch that used your row, and its replica."""
    rows = [
        {"epoch": use.epoch, "step": (use.step - 1) % per_epoch + 1, "who": f"R{use.replica}"}
        for use in uses
    ]
    names = [f"R{replica}" for replica in range(replicas)]
    lanes = alt.Y("epoch:O", title="epoch", axis=alt.Axis(domain=False, ticks=False))
    first, last = (1, per_epoch) if per_epoch > 1 else (0.5, 1.5)
    lane = (
        alt.Chart(inline([{"epoch": epoch} for epoch in range(1, epochs + 1)]))
        .mark_rule(color="$line")
        .encode(y=lanes, x=alt.datum(first), x2=alt.datum(last))
    )
    base = alt.Chart(inline(rows)).encode(
        x=alt.X(
            "step:Q",
            title="step of the epoch",
            scale=alt.Scale(domain=[first, last], nice=False, padding=16),
            axis=alt.Axis(format=",d", values=_ticks(per_epoch)),
        ),
        y=lanes,
        tooltip=[
            alt.Tooltip("epoch:Q", title="epoch"),
            alt.Tooltip("step:Q", title="step", format=","),
            alt.Tooltip("who:N", title="replica"),
        ],
    )
    # Letters in ink on paper: on a replica's colour neither could be read by everyone.
    dots = base.mark_point(size=560, opacity=1, fill="$paper", strokeWidth=3.5).encode(
        stroke=alt.Stroke("who:N", scale=_of_replicas(names), legend=None)
    )
    letters = base.mark_text(fontWeight=600, fontSize=12).encode(text="who:N")
    return alt.layer(lane, dots, letters).properties(width="container", height=34 * epochs + 10)


def _ticks(steps: int) -> list[int]:
    """The first and the last step, and round ones between that keep their distance."""
    apart = next(size for size in (1, 2, 5, 10, 20, 50, 100, 10**9) if steps <= 8 * size)
    if apart == 10**9:
        apart = 10 ** (len(str(steps)) - 1)
    between = [step for step in range(apart, steps, apart) if apart / 2 < step <= steps - apart / 2]
    return sorted({1, *between, steps})


def _heads(grid: Grid, pieces: Sequence[Rows]) -> list[dict[str, Any]]:
    found = []
    for replica, piece in enumerate(pieces):
        x, y = grid.corner(replica)
        found.append({"x": x, "y": y, "rows": len(piece), "label": f"R{replica} · {len(piece):,}"})
    return found


def _by_replica(names: Sequence[str]) -> alt.Color:
    return alt.Color("who:N", scale=_of_replicas(names), legend=None)


def _of_replicas(names: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=[f"${name}" for name in names])


def _area(unit: str, share: float, more: int = 0) -> Any:
    """The area of a mark whose side is `share` of a square's and `more` pixels."""
    return alt.expr(f"pow({share} / ({unit}) + {more}, 2)")
