"""Averaging instead: recorded or own runs of both orders as pictures, tables and sentences."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from pipeline import paper, side_by_side
from pipeline.config import Order
from pipeline.shapes import Shapes
from ui import frame, keys, lesson, pictures_averaging, player, services, three_ways
from ui.three_ways import NAMES, WAYS, Compared
from ui.words import Words, counted, number, small

ORDERS: dict[str, Order] = {"mixed": "shuffled", "one": "one-class-each"}
"""The two halves of the page, by the name of their words."""
SOURCES = {
    "stich": "[Stich 2018, “Local SGD Converges Fast and Communicates Little”]"
    "(https://arxiv.org/abs/1805.09767)",
    "mcmahan": "[McMahan and others 2017, “Communication-Efficient Learning of Deep Networks "
    "from Decentralized Data”](https://arxiv.org/abs/1602.05629)",
}
"""Where the two methods were described, as Markdown."""
FLOAT_BYTES = 4


def shown() -> dict[str, Compared]:
    """The three runs of each half: yours when all have finished, else the recorded ones."""
    return {name: three_ways.shown(order) for name, order in ORDERS.items()}


def recorded_shares() -> dict[str, object]:
    """Accuracies on all rows of the recorded runs, for the page's question."""
    return {
        f"{name}_{way}": three_ways.recorded(order).values()[way]
        for name, order in ORDERS.items()
        for way in WAYS
    }


def teeth(page: lesson.Page, halves: dict[str, Compared]) -> None:
    """The main picture: both halves on one scale, their runs and their buttons under them."""
    words = page.words
    ids = tuple(tuple(half.runs[way].run_id for way in WAYS) for half in halves.values())
    drawn = zip(halves, _teeth(ids, words.text("apart")), strict=True)
    tops = {name: _most_apart(half, "epoch") for name, half in halves.items()}
    never = max(_most_apart(half, "step") for half in halves.values())
    zero = words.text("zero_not", {"apart": small(never)}) if never else words.text("zero")
    told = {"zero": zero, **{name: small(top) for name, top in tops.items()}}
    player.still(
        [player.Chart(chart, words.text(name), words.text("teeth_alt")) for name, chart in drawn],
        words.text("apart"),
        keys.SAW_TEETH,
    )
    page.say("teeth", told)
    for column, (name, half) in zip(st.columns(2, gap="medium"), halves.items(), strict=True):
        run = half.runs["epoch"]
        epochs = counted(run.config.epochs, "epoch")
        of = {"day": run.day, "epochs": epochs, "replicas": run.config.replicas}
        with column:
            st.markdown(
                f"{words.text(name)} · {words.text('yours' if half.yours else 'recorded', of)}"
            )
            if services.can_train():
                label = words.text(f"run_{name}")
                three_ways.button(page.context.config, ORDERS[name], label)
    if len({half.yours for half in halves.values()}) > 1:
        page.say("unlike")
    if not services.can_train():
        page.say("no_tensorflow")


def differs(words: Words, shapes: Shapes) -> None:
    """The two algorithms side by side, with what each has to send in an epoch."""
    sent = {
        "steps": f"{shapes.steps_per_epoch:,}",
        "bytes": f"{FLOAT_BYTES * shapes.parameters / 1e3:,.1f}",
    }
    rows = [
        [words.text(name), *(words.text(f"{name}_{way}", sent) for way in ("sum", "average"))]
        for name in ("combined", "equal", "optimizer", "sent")
    ]
    heads = [words.text(f"head_{name}").replace("`", "") for name in ("what", "sum", "average")]
    frame.table(heads, rows, "differs")


def shares(words: Words, halves: dict[str, Compared]) -> None:
    """Own loss beside accuracy on all rows, always for both halves, and all of it as a table."""
    st.markdown(f"{words.text('shares_help')} {words.text(halves['one'].verdict())}")
    charts = []
    for name, half in halves.items():
        losses, right, _ = three_ways.pictures(half)
        values = half.values()
        ends = ", ".join(f"{NAMES[way]} {values[way]}" for way in WAYS)
        charts += [
            player.Chart(losses, f"{words.text(name)} · {words.text('loss')}", ends),
            player.Chart(right, f"{words.text(name)} · {words.text('right')}", ends),
        ]
    player.still(charts, words.text("shares"), keys.AVERAGING_CHARTS)
    rows = []
    for name, half in halves.items():
        values = half.values()
        for way in WAYS:
            points = side_by_side.epoch_losses(half.runs[way])
            loss = f"{side_by_side.end_of(points):.3f}" if points else "–"
            told = (values[f"own_{way}"], values[way], values[f"apart_{way}"])
            rows.append([f"{words.text(name)}, {NAMES[way]}", loss, *told])
    heads = ("way", "loss", "own", "all", "apart")
    frame.table([words.text(f"heads_{head}") for head in heads], rows, "three-ways")


def by_hand(words: Words) -> None:
    """The four-row example, summed and averaged, after one step and after two."""
    once = paper.step()
    rows = [
        (words.text("hand_sum"), once.after, paper.step(once.after).after),
        *(
            (words.text("hand_alone", {"replica": r}), paper.alone(r, 1), paper.alone(r, 2))
            for r in range(paper.REPLICAS)
        ),
        (words.text("hand_average"), paper.averaged(1), paper.averaged(2)),
    ]
    heads = [words.text(f"hand_{name}") for name in ("way", "one", "two")]
    table = [[name, number(one, 5), number(two, 5)] for name, one, two in rows]
    frame.table(heads, table, "by-hand")


@functools.lru_cache(maxsize=16)
def _teeth(halves: tuple[tuple[str, ...], ...], title: str) -> list[dict[str, Any]]:
    """One picture for each half; ended runs give the same pictures again."""
    runs = [dict(zip(WAYS, map(services.ended, ids), strict=True)) for ids in halves]
    averaged = [side_by_side.copies_apart_by_epoch(half["epoch"]) for half in runs]
    top = max((y for half in averaged for epoch in half for _, y in epoch), default=0.0)
    return [
        pictures_averaging.saw_teeth(
            by_epoch,
            side_by_side.copies_apart(half["step"]),
            title,
            half["epoch"].shapes.steps,
            1.05 * top or 1.0,
        ).to_dict()
        for by_epoch, half in zip(averaged, runs, strict=True)
    ]


def _most_apart(half: Compared, way: str) -> float:
    points = side_by_side.copies_apart(half.runs[way])
    return max((y for _, y in points), default=0.0)
