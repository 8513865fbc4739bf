"""How an all-reduce works: which step is shown, both ways carried out on it, and what is said.

`run_shown` finds the run, `made` carries both ways out on a kept step of it and keeps what the
page shows of them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline import collectives, dealt_step, recordings
from pipeline.collectives import AllReduce
from pipeline.dealt_step import Dealt
from pipeline.events import TOLERANCE
from pipeline.inspect_step import tensor_names
from pipeline.run_view import RunView
from ui import pictures_ring, services
from ui.pictures import Picture
from ui.pictures_mirror import kilobytes
from ui.pictures_ring import shown_number
from ui.words import Words, number, raised, small, words

SLUG = "all-reduce"
COUNTS = range(2, 9)
"""How many replicas can be looked at."""
TELLING = 4
"""So many are shown first: with two, both ways send the same."""
SOURCES = (
    "[Patarasuk and Yuan 2009](https://doi.org/10.1016/j.jpdc.2008.09.002), "
    "[NVIDIA’s nccl-tests](https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md)"
)
"""Where the closed form comes from."""
Table = tuple[list[str], list[list[str]]]
"""Heads and rows."""


@dataclass(frozen=True)
class Made:
    """Both ways carried out on one step: pictures, a sentence for each position, tables."""

    to_one: dict[str, Any]
    ring: dict[str, Any]
    frames: list[str]
    shown: str
    """Which step this is, and where its parts come from."""
    checks: Table
    why_not_zero: str
    numbers: Table


def run_shown(run: RunView) -> tuple[RunView, str]:
    """The run to look at, and the name of the reason when it is not `run` but the recorded one."""
    if run.config.combine != "step":
        return services.ended(recordings.DEFAULT), "not_combined"
    if not run.kept:
        return services.ended(recordings.DEFAULT), "no_steps"
    return run, ""


def first_count(run: RunView) -> int:
    """How many replicas are shown first: the run's, unless that says little."""
    return run.config.replicas if run.config.replicas > 2 else TELLING


def sizes(run: RunView) -> dict[str, object]:
    """What the page's words need to know of the gradient's size and of the bytes it takes."""
    values = run.shapes.parameters
    size = collectives.VALUE_BYTES * values
    two, eight = (collectives.busiest(collectives.ring, values, n) for n in (2, 8))
    return {
        "values": f"{values:,}",
        "size": f"{size:,}",
        "sources": SOURCES,
        "limit": kilobytes(2 * size),
        "two": kilobytes(two),
        "eight": kilobytes(eight),
        "eight_moves": len(collectives.ring(8)),
        "tolerance": f"10{raised(round(np.log10(TOLERANCE)))}",
        "to_one_eight": kilobytes(collectives.busiest(collectives.all_to_one, values, 8)),
    }


def bytes_picture(page: Words, run: RunView) -> Picture:
    """Bytes sent by the busiest replica, both ways."""
    to_one, ring = _busiest(run)
    return pictures_ring.bytes_by_replicas(
        {page.text("heads_to_one"): to_one, page.text("heads_in_ring"): ring},
        page.text("heads_to_one"),
        page.text("two_gradients"),
        2 * collectives.VALUE_BYTES * run.shapes.parameters,
    )


def bytes_table(page: Words, run: RunView) -> Table:
    """Bytes sent by the busiest replica, counted and by the closed form."""
    size = collectives.VALUE_BYTES * run.shapes.parameters
    to_one, ring = _busiest(run)
    rows = [
        [
            str(count),
            f"{to_one[count]:,}",
            f"{ring[count]:,}",
            f"{collectives.ring_bytes(size, count):,.1f}",
        ]
        for count in COUNTS
    ]
    heads = ("replicas", "to_one", "in_ring", "closed")
    return [page.text(f"heads_{name}") for name in heads], rows


@functools.lru_cache(maxsize=16)
def made(run_id: str, step: int, replicas: int) -> Made | None:
    """Both ways on a kept step, which never changes; None when it holds values that are no numbers.

    Raises UnknownRun, and OSError or ValueError when the step's record is missing or damaged.
    """
    run = services.runs().view(run_id)
    dealt = dealt_step.deal(run, run.record(step), replicas)
    if not dealt.finite:
        return None
    page = words(SLUG)
    to_one = collectives.carry_out(collectives.all_to_one, dealt.own)
    ring = collectives.carry_out(collectives.ring, dealt.own)
    followed = dealt_step.strongest(dealt.total, ring.bounds)
    seen = [
        float(np.abs(ring.buffers[:, :, value]).max()) for value in followed if value is not None
    ]
    power = pictures_ring.power_of(seen)
    most = int(to_one.sent[-1].max())
    pictures = (
        pictures_ring.moves(to_one, followed, power, most, around=False),
        pictures_ring.moves(ring, followed, power, most, around=True),
    )
    # Altair's own check of a chart takes longer than all the rest; the tests make it.
    in_to_one, in_ring = (picture.to_dict(validate=False) for picture in pictures)
    return Made(
        to_one=in_to_one,
        ring=in_ring,
        frames=_frames(page, to_one, ring, followed, power),
        shown=_shown(page, run, step, dealt),
        checks=_checks(page, dealt, to_one, ring),
        why_not_zero=_why_not_zero(page, dealt, to_one, ring),
        numbers=_numbers(page, dealt, ring, followed),
    )


def _busiest(run: RunView) -> tuple[dict[int, int], dict[int, int]]:
    """Bytes that the busiest replica sends, by number of replicas: all to one, and in a ring."""
    values = run.shapes.parameters
    to_one, ring = (
        {count: collectives.busiest(plan, values, count) for count in COUNTS}
        for plan in (collectives.all_to_one, collectives.ring)
    )
    return to_one, ring


def _frames(
    page: Words, to_one: AllReduce, ring: AllReduce, followed: Sequence[int | None], power: int
) -> list[str]:
    """One sentence for each position, with the numbers of one addition of the ring."""
    last, count = len(ring.moves), ring.devices
    given: dict[str, object] = {
        "values": f"{ring.buffers.shape[2]:,}",
        "replicas": count,
        "moves": last,
        "unit": f"10{raised(power)}",
    }
    frames = [page.text("start", given)]
    for at, (one_move, move) in enumerate(zip(to_one.moves, ring.moves, strict=True), start=1):
        sends = one_move.sends[0]
        given |= {"move": at, "sender": f"R{sends.sender}", "receiver_of_sum": f"R{sends.receiver}"}
        if move.adding:
            given |= _addition(ring, at, followed, power)
            frames.append(page.text("added" if at == last // 2 else "adding", given))
        elif at < last:
            frames.append(page.text("handing", given))
    sent = to_one.sent[-1]
    given |= {
        "to_one_most": kilobytes(int(sent[0])),
        "to_one_least": kilobytes(int(sent[1])),
        "ring_most": kilobytes(int(ring.sent[-1].max())),
    }
    return [*frames, page.text("end_two" if count == 2 else "end", given)]


def _addition(
    ring: AllReduce, at: int, followed: Sequence[int | None], power: int
) -> dict[str, object]:
    """One addition of the ring's move `at`, best one whose rounded numbers add up as shown."""
    found: list[dict[str, object]] = []
    for sender, receiver, chunk in ring.moves[at - 1].sends:
        value = followed[chunk]
        if value is None:
            continue
        before, after = ring.buffers[at - 1], ring.buffers[at]
        three = (before[receiver, value], before[sender, value], after[receiver, value])
        held, arrives, total = (shown_number(figure, power) for figure in three)
        told = {"held": held, "arrives": arrives, "sum": total}
        found.append({**told, "chunk": chunk + 1, "receiver": f"R{receiver}"})
        rounded = [round(float(figure) / 10.0**power, 1) for figure in three]
        if round(rounded[0] + rounded[1] - rounded[2], 1) == 0:
            return found[-1]
    return found[0]


def _shown(page: Words, run: RunView, step: int, dealt: Dealt) -> str:
    each = len(set(dealt.rows)) == 1
    told = [f"{rows:,}" for rows in dealt.rows]
    ran = run.config.replicas
    given = {
        "step": f"{step:,}",
        "whose": page.text("whose_recorded" if run.recorded else "whose_mine"),
        "replicas": len(dealt.own),
        "ran": page.text("ran_one" if ran == 1 else "ran_more", {"ran": ran}),
        "rows": f"{sum(dealt.rows):,}",
        "dealt": page.text(
            "each" if each else "each_its", {"rows": told[0], "all": ", ".join(told)}
        ),
    }
    sentences = [page.text("recorded" if dealt.recorded else "dealt", given)]
    if 0 in dealt.rows:
        sentences.append(page.text("nothing_to_send"))
    return " ".join(sentences)


def _checks(page: Words, dealt: Dealt, *both: AllReduce) -> Table:
    rows = []
    for name, done in zip(("to_one", "ring"), both, strict=True):
        off = done.off_by(dealt.total)
        near = TOLERANCE * max(1.0, float(np.abs(dealt.total).max()))
        same = all(held.tobytes() == done.result[0].tobytes() for held in done.result)
        rows.append(
            [
                page.text(name),
                *(
                    f"{'✓' if off[at] <= near else '✗'}\u00a0{small(float(off[at]))}"
                    for at in (0, -2, -1)
                ),
                page.text("equal" if same else "unequal"),
            ]
        )
    heads = ("how", "before", "almost", "end", "copies")
    return [page.text(f"heads_{name}") for name in heads], rows


def _why_not_zero(page: Words, dealt: Dealt, *both: AllReduce) -> str:
    largest = {"largest": small(float(np.abs(dealt.total).max()))}
    if any(done.off_by(dealt.total)[-1] > 0 for done in both):
        return page.text("order" if dealt.recorded else "order_dealt", largest)
    return page.text("exact" if len(dealt.own) == 2 else "exact_more")


def _numbers(page: Words, dealt: Dealt, ring: AllReduce, followed: Sequence[int | None]) -> Table:
    """The values written out: where they lie, each replica's own, and both sums."""
    names = tensor_names(len(dealt.shapes))
    rows = []
    for chunk, value in enumerate(followed, start=1):
        if value is None:
            continue
        tensor, place = dealt.place_of(value)
        rows.append(
            [
                str(chunk),
                f"{names[tensor]} [{', '.join(str(at) for at in place)}]",
                number(float(ring.result[0, value]), 7),
                number(float(dealt.total[value]), 7),
                *(number(float(own[value])) for own in dealt.own),
            ]
        )
    heads = [page.text(f"heads_{name}") for name in ("chunk", "value", "ring", "tensorflow")]
    return [*heads, *(f"R{replica}" for replica in range(len(dealt.own)))], rows
