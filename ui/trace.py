"""The training trace: epochs of a run beside the reference example, and epochs against updates."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import streamlit as st

from pipeline import side_by_side
from pipeline.events import Epoch
from pipeline.run_view import RunView
from ui import charts, frame, keys, player, reference, services
from ui.palette import DASHES

RECORDED = ("two-replicas", "batch-512", "batch-512-rate-doubled")
"""The recorded runs: a batch, twice that batch, and twice the batch with twice the rate."""
TALL = 12
"""A table of more epochs scrolls in a frame."""


def values() -> dict[str, object]:
    """What the page's words need, from the recorded runs."""
    small, large, doubled = (services.ended(name) for name in RECORDED)
    held_small, held_large = held_out(small), held_out(large)
    both = max(set(dict(held_small)) & set(dict(held_large)))
    return {
        "rows": f"{small.shapes.rows:,}",
        "batch_a": f"{small.config.global_batch:,}",
        "batch_b": f"{large.config.global_batch:,}",
        "steps_a": f"{small.shapes.steps_per_epoch:,}",
        "steps_b": f"{large.shapes.steps_per_epoch:,}",
        "updates_a": f"{small.shapes.steps:,}",
        "updates_b": f"{large.shapes.steps:,}",
        "epochs": small.config.epochs,
        "loss_a": f"{side_by_side.end_of(side_by_side.epoch_losses(small)):.3f}",
        "loss_b": f"{side_by_side.end_of(side_by_side.epoch_losses(large)):.3f}",
        "loss_scaled": f"{side_by_side.end_of(side_by_side.epoch_losses(doubled)):.3f}",
        "held_a": f"{held_small[-1][1]:.3f}",
        "held_b": f"{held_large[-1][1]:.3f}",
        "both": f"{both:,}",
        "held_a_both": f"{dict(held_small)[both]:.3f}",
        "held_b_both": f"{dict(held_large)[both]:.3f}",
    }


def held_out(run: RunView) -> side_by_side.Points:
    """(update, loss on held-out rows) at the end of each epoch."""
    return [(event.last_step, event.val_loss) for event in run.epochs if event.val_loss is not None]


def legend() -> list[player.Line]:
    """The lines of the picture, for the player."""
    return [player.Line(label, "ink", DASHES[place]) for place, label in enumerate(_labels())]


@functools.cache
def picture() -> dict[str, Any]:
    """The three recorded runs, against epochs and then against updates."""
    lines = []
    for place, (name, label) in enumerate(zip(RECORDED, _labels(), strict=True)):
        run = services.ended(name)
        line = charts.Series(label, held_out(run), dash=DASHES[place])
        lines.append((line, run.shapes.steps_per_epoch))
    epochs = services.ended(RECORDED[0]).config.epochs
    return charts.epochs_to_updates(lines, "held-out loss", epochs).to_dict()


def table(epochs: Sequence[Epoch]) -> None:
    """The epochs of the run shown."""
    heads = ("epoch", "loss", "accuracy", "held-out loss", "held-out accuracy", "observation")
    rows = [
        (
            f"{event.epoch:,}",
            _number(event.loss),
            _number(event.accuracy),
            _number(event.val_loss),
            _number(event.val_accuracy),
            event.observation,
        )
        for event in epochs
    ]
    if len(rows) > TALL:
        with st.container(height=440, border=False):
            frame.table(heads, rows, "epochs trace")
    else:
        frame.table(heads, rows, "epochs trace")


def reference_table() -> None:
    """The reference example's epochs."""
    rows = [
        (f"{epoch.epoch}", f"{epoch.loss:.2f}", f"{epoch.accuracy:.2f}", epoch.observation)
        for epoch in reference.epochs()
    ]
    frame.table(("epoch", "loss", "accuracy", "observation"), rows, "epochs trace")


def side_by_side_charts(epochs: Sequence[Epoch]) -> None:
    """Loss and accuracy of the run shown and of the reference example, each on one scale."""
    example = reference.epochs()
    losses = [(event.epoch, event.loss) for event in epochs if event.loss is not None]
    shares = [(event.epoch, event.accuracy) for event in epochs if event.accuracy is not None]
    pictures = []
    for mine, theirs, title in (
        (losses, [(e.epoch, e.loss) for e in example], "Loss"),
        (shares, [(e.epoch, e.accuracy) for e in example], "Accuracy"),
    ):
        top = max(1.0 if title == "Accuracy" else 0.0, *(y for _, y in [*mine, *theirs]))
        lines = [
            charts.Series("reference", theirs, "quiet", DASHES[1]),
            charts.Series("this run", side_by_side.thinned(mine)),
        ]
        described = ", ".join(f"{y:.2f}" for _, y in mine) or "no epoch yet"
        told = f"{title} by epoch. This run: {described}."
        shown = charts.by_epoch([s for s in lines if s.points], title.lower(), (0, top))
        pictures.append(player.Chart(shown, title, told))
    player.still(pictures, "This run and the reference example", keys.TRACE_CHARTS)


def _labels() -> list[str]:
    batches = [services.ended(name).config.global_batch for name in RECORDED]
    return [f"batch {batch:,}" + ", rate doubled" * (i == 2) for i, batch in enumerate(batches)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
