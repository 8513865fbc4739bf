"""What the pages Load and Normalise say about a table, computed from it: sizes, counts, examples.

Plain NumPy. Sizes are those of the float32 values alone, in bytes of 1,000 to the kB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.datasets import DataSet
from pipeline.preprocess import Float32Array, MinMax

VALUE_BYTES = np.dtype(np.float32).itemsize


@dataclass(frozen=True)
class Example:
    """One column of one row before and after scaling, and a value beyond the training range."""

    column: int
    low: float
    high: float
    value: float
    scaled: float
    beyond: float
    scaled_beyond: float


def size(rows: int, columns: int) -> str:
    """How large so many rows are: `800 kB`, at three digits."""
    count = float(rows * columns * VALUE_BYTES)
    if count < 1000:
        return f"{count:.0f} bytes"
    unit, count = ("kB", count / 1e3) if count < 999_500 else ("MB", count / 1e6)
    digits = max(0, 2 - math.floor(math.log10(count)))
    return f"{round(count, digits):,g} {unit}"


def class_counts(data: DataSet) -> list[tuple[str, int, int]]:
    """Each class with its number of training rows and of held-out rows."""
    kinds = len(data.classes)
    training = np.bincount(data.y_train, minlength=kinds)
    held_out = np.bincount(data.y_validation, minlength=kinds)
    return [(name, int(training[i]), int(held_out[i])) for i, name in enumerate(data.classes)]


def beyond_range(scaler: MinMax, x: Float32Array) -> int:
    """How many rows of `x` have at least one value that scales below 0 or above 1."""
    if not len(x):
        return 0
    scaled = scaler.apply(x)
    return int(((scaled < 0) | (scaled > 1)).any(axis=1).sum())


def example(scaler: MinMax, row: Float32Array, columns: Sequence[int]) -> Example | None:
    """The most telling of `columns` in `row`; None when none can serve.

    That is the one whose value lies furthest from where its scaled value will lie, on an axis
    that all these columns share; one that ends at 0 or 1 only if there is no other. `beyond`
    lies about a tenth of the range above the highest training value, at few digits.
    """
    usable = [i for i in columns if _room_above(float(scaler.low[i]), float(scaler.high[i]))]
    if not usable:
        return None
    shown = np.array(columns)
    least = float(scaler.low[shown].min())
    span = (float(scaler.high[shown].max()) - least) or 1.0
    scaled = scaler.apply(row)

    def telling(i: int) -> tuple[bool, float]:
        moves = abs(float(scaled[i]) - (float(row[i]) - least) / span)
        return 0 < scaled[i] < 1, round(moves, 6)

    column = max(usable, key=telling)
    low, high = float(scaler.low[column]), float(scaler.high[column])
    beyond = _above(high, high - low)
    probe = row.copy()
    probe[column] = beyond
    return Example(
        column=column,
        low=low,
        high=high,
        value=float(row[column]),
        scaled=float(scaled[column]),
        beyond=beyond,
        scaled_beyond=float(scaler.apply(probe)[column]),
    )


def largest_move(scaled: NDArray[np.float32], placed: NDArray[np.float64]) -> float:
    """How far the farthest dot moves when its place on the shared axis becomes its scaled value."""
    return float(np.abs(scaled.astype(np.float64) - placed).max())


def _room_above(low: float, high: float) -> bool:
    """Whether the column changes, and float32 can hold a value clearly beyond its range."""
    if low == high:
        return False
    beyond = _above(high, high - low)
    with np.errstate(over="ignore"):
        return bool(high < np.float32(beyond) < np.inf)


def _above(high: float, width: float) -> float:
    """`high` plus a tenth of `width`, rounded to the first digit of that tenth."""
    tenth = width / 10
    return round(high + tenth, -math.floor(math.log10(tenth)))
