"""Runs side by side: their curves, how far they are apart, how long a step took.

Plain reading of ended runs (`RunView`); nothing is started, drawn or worded here.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.events import Step
from pipeline.run_view import RunView

Points = list[tuple[float, float]]
"""(x, y) pairs in order of x."""
BINS = 200
"""A longer curve is thinned: of each of so many bins its lowest and highest point stay."""


class Milliseconds(NamedTuple):
    """How long one step took: the median over epochs, the fastest and the slowest of them."""

    median: float
    low: float
    high: float


def full_steps(run: RunView) -> list[Step]:
    """The steps with a full batch: the short last one of an epoch makes a curve jump."""
    most = max((_rows(step) for step in run.steps), default=0)
    return [step for step in run.steps if _rows(step) == most]


def step_losses(run: RunView) -> Points:
    """Loss of each full step."""
    return [(step.step, step.loss) for step in full_steps(run) if step.loss is not None]


def losses_apart(run: RunView, other: RunView) -> Points:
    """How far the losses of two runs are apart, step by step, for the steps both have."""
    mine = dict(step_losses(run))
    return [(at, abs(loss - mine[at])) for at, loss in step_losses(other) if at in mine]


def copies_apart(run: RunView) -> Points:
    """The largest difference between any two copies of any weight, after each step."""
    return [
        (step.step, step.copies_max_abs_diff)
        for step in run.steps
        if step.copies_max_abs_diff is not None
    ]


def copies_apart_by_epoch(run: RunView) -> list[Points]:
    """The same, one list for each epoch: where weights are averaged, each begins anew."""
    found: list[Points] = []
    for step in run.steps:
        if step.epoch > len(found):
            found.append([])
        if step.copies_max_abs_diff is not None:
            found[-1].append((step.step, step.copies_max_abs_diff))
    return found


def epoch_losses(run: RunView) -> Points:
    """Loss of each epoch, on the rows as the replicas were given them."""
    return [(event.epoch, event.loss) for event in run.epochs if event.loss is not None]


def all_rows_accuracy(run: RunView) -> Points:
    """Accuracy on all training rows at the end of each epoch, the mean over the copies."""
    return [
        (event.epoch, statistics.fmean(right))
        for event in run.epochs
        if (right := [share for share in event.all_rows_accuracy if share is not None])
    ]


def step_milliseconds(run: RunView) -> Milliseconds | None:
    """Time of a step, bookkeeping included, by epochs after the first; None with one epoch.

    The first epoch holds the tracing of the first step, which is made once and not again.
    """
    per_epoch = run.shapes.steps_per_epoch
    times = [1000 * event.seconds / per_epoch for event in run.epochs if event.epoch > 1]
    return Milliseconds(statistics.median(times), min(times), max(times)) if times else None


def thinned(points: Sequence[tuple[float, float]], bins: int = BINS) -> Points:
    """At most two points a bin: its lowest and its highest, in their order."""
    if len(points) <= 2 * bins:
        return list(points)
    kept: Points = []
    for index in range(bins):
        bin_ = points[index * len(points) // bins : (index + 1) * len(points) // bins]
        kept += sorted({min(bin_, key=_height), max(bin_, key=_height)})
    return kept


def end_of(points: Sequence[tuple[float, float]]) -> float:
    """The last y."""
    return points[-1][1]


def _height(point: tuple[float, float]) -> float:
    return point[1]


def _rows(step: Step) -> int:
    return sum(part.batch_shape[0] for part in step.replicas)
