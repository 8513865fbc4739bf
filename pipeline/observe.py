"""One sentence about an epoch, derived from its numbers: it must be able to say "loss rose".

Pure functions over the numbers of an epoch and of the one before it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

LEVEL = 0.005
"""A change in loss of less than this share counts as level."""


class Numbers(NamedTuple):
    """What an observation is made from. None or NaN: there is no such number."""

    loss: float | None
    accuracy: float | None
    val_loss: float | None
    val_accuracy: float | None


def observe(before: Numbers | None, now: Numbers) -> str:
    """What the numbers of this epoch say, against those of the epoch before."""
    if not _is_number(now.loss):
        return (
            "The loss is no longer a number: the updates were too large. Lower the learning rate."
        )
    assert now.loss is not None
    if before is None or not _is_number(before.loss):
        return f"Starting point: loss {now.loss:.3g}{_accuracy(now)}."
    assert before.loss is not None
    change = (now.loss - before.loss) / max(abs(before.loss), 1e-12)
    size = f"{abs(change):.0%}" if abs(change) >= 0.01 else f"{abs(change):.1%}"
    if abs(change) < LEVEL:
        sentence = f"Loss is level at {now.loss:.3g}{_accuracy_change(before, now)}."
    elif change < 0:
        sentence = f"Loss fell by {size}{_accuracy_change(before, now)}."
    else:
        sentence = f"Loss rose by {size}{_accuracy_change(before, now)}."
    return sentence + _held_out(before, now, change)


def _held_out(before: Numbers, now: Numbers, change: float) -> str:
    if before.val_loss is None or now.val_loss is None:
        return ""
    if change < -LEVEL and now.val_loss > before.val_loss * (1 + LEVEL):
        return " On held-out rows it rose: what is learned here does not carry over."
    if change > LEVEL and now.val_loss < before.val_loss * (1 - LEVEL):
        return " On held-out rows it still fell."
    return ""


def _accuracy(now: Numbers) -> str:
    return f", accuracy {now.accuracy:.2f}" if _is_number(now.accuracy) else ""


def _accuracy_change(before: Numbers, now: Numbers) -> str:
    if not _is_number(before.accuracy) or not _is_number(now.accuracy):
        return ""
    assert before.accuracy is not None
    assert now.accuracy is not None
    points = 100 * (now.accuracy - before.accuracy)
    if abs(points) < 0.5:
        return f", accuracy about the same at {now.accuracy:.2f}"
    return f", accuracy {'rose' if points > 0 else 'fell'} to {now.accuracy:.2f}"


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
