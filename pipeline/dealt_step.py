"""One kept step of a run, its rows dealt to any number of replicas.

The sum of the parts is the gradient of the whole global batch, however the rows are dealt. So the
all-reduce that TensorFlow recorded is what any dealing must add up to, within float32 rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipeline import backward, distribute
from pipeline.run_view import RunView
from pipeline.step_records import Floats, StepRecord


@dataclass(frozen=True)
class Dealt:
    """A step's gradient in parts. `own[r]` (values,) float32: replica r's part, flattened.

    `total` (values,): the sum as TensorFlow's replicas got it. `rows[r]`: how many rows replica r
    has. `recorded`: the parts are TensorFlow's too; else they were computed here, with NumPy.
    """

    own: list[Floats]
    total: Floats
    rows: tuple[int, ...]
    recorded: bool
    shapes: tuple[tuple[int, ...], ...]
    """The tensors that were flattened, one after the other."""

    @property
    def finite(self) -> bool:
        """Whether every value is a number; a run whose loss grew beyond all bounds has others."""
        return all(bool(np.isfinite(values).all()) for values in (self.total, *self.own))

    def place_of(self, value: int) -> tuple[int, tuple[int, ...]]:
        """Where a value lies: its tensor and its place there, from 0. Raises IndexError."""
        begin = 0
        for tensor, shape in enumerate(self.shapes):
            end = begin + int(np.prod(shape))
            if value < end:
                return tensor, tuple(int(at) for at in np.unravel_index(value - begin, shape))
            begin = end
        raise IndexError(f"the gradient has {begin:,} values, no value {value:,}")


def deal(run: RunView, record: StepRecord, replicas: int) -> Dealt:
    """The step's gradient in `replicas` parts: as recorded, or dealt anew as `distribute.cut` does.

    Raises ValueError when the run does not all-reduce.
    """
    if not record.sums:
        raise ValueError("the run does not all-reduce, so there is no sum to compare with")
    recorded = replicas == len(record.rows)
    sizes = [len(part) for part in record.rows]
    own = [flat(tensors) for tensors in record.own]
    if not recorded:
        rows = np.concatenate(record.rows)
        sizes = list(distribute.shares(len(rows), replicas))
        traced = backward.trace(record.before, run.scaled[rows], run.data.y_train[rows])
        ends = np.cumsum(sizes)
        parts = [traced.of(slice(end - size, end)) for end, size in zip(ends, sizes, strict=True)]
        own = [flat(part.gradient(len(rows))) for part in parts]
    return Dealt(
        own=own,
        total=flat(record.all_reduced),
        rows=tuple(sizes),
        recorded=recorded,
        shapes=tuple(tensor.shape for tensor in record.before),
    )


def flat(tensors: Sequence[NDArray[np.floating]]) -> Floats:
    """All values of some tensors in one row, shape (values,), as float32."""
    with np.errstate(over="ignore"):  # a run that has burst
        return np.concatenate([tensor.ravel() for tensor in tensors]).astype(np.float32)


def strongest(values: Floats, bounds: NDArray[np.int64]) -> list[int | None]:
    """In each chunk the place of the value furthest from 0; None where a chunk is empty."""
    return [
        int(start + np.argmax(np.abs(values[start:stop]))) if stop > start else None
        for start, stop in pairwise(bounds)
    ]
