"""One step with and without one row, read: what that row changed, and on which replica.

Plain NumPy over the two records that the question `what-if` leaves behind. Differences are always
the complete step minus the step without the row; a difference of 0.0 means equal bits or +0 and -0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.run_view import RunView
from pipeline.step_records import FOLDER, StepRecord

Difference = NDArray[np.float64]
MOST_ROWS, MOST_COLUMNS = 20, 32
"""The part of a weight matrix that is drawn has at most this many rows and columns."""


class Use(NamedTuple):
    """A kept step that used a row, the replica that had it, and another (None: nobody else)."""

    step: int
    owner: int
    other: int | None


class Part(NamedTuple):
    """A part of one weight matrix: its place among the tensors, its rows and its columns."""

    tensor: int
    rows: list[int]
    columns: list[int]
    shape: tuple[int, int]

    def of(self, tensors: Sequence[Difference]) -> Difference:
        """The part's values in a list of tensors."""
        return tensors[self.tensor][np.ix_(self.rows, self.columns)]


def first_use(run: RunView, row: int) -> Use | None:
    """The first step kept in full that used `row`; None when there is none."""
    kept = set(run.kept)
    for _, step, owner in run.uses_of(row):
        if step in kept:
            return Use(step, owner, _another(run.record(step).rows, owner))
    return None


@dataclass(frozen=True)
class WhatIf:
    """The same step twice: `complete`, and `without` training row `row`."""

    complete: StepRecord
    without: StepRecord
    row: int

    @classmethod
    def load(cls, folder: Path, row: int) -> WhatIf:
        """Read an answer's folder. Raises OSError or ValueError when it is missing or damaged."""
        both = []
        for name in ("with", "without"):
            found = sorted((folder / name / FOLDER).glob("step-*.npz"))
            if not found:
                raise ValueError(f"{folder.name} holds no step {name} the row")
            both.append(StepRecord.load(found[0]))
        return cls(both[0], both[1], row)

    @property
    def replicas(self) -> int:
        """How many replicas shared the step."""
        return len(self.complete.rows)

    @property
    def parameters(self) -> int:
        """How many weights each copy has."""
        return sum(tensor.size for tensor in self.complete.before)

    @property
    def owner(self) -> int:
        """The replica that had the row."""
        return next(r for r, rows in enumerate(self.complete.rows) if self.row in rows)

    @property
    def other(self) -> int | None:
        """Another replica, one with rows of its own if there is one; None when there is nobody."""
        return _another(self.complete.rows, self.owner)

    @cached_property
    def own(self) -> list[list[Difference]]:
        """What changed in each replica's own gradient."""
        return [_minus(*pair) for pair in zip(self.complete.own, self.without.own, strict=True)]

    @cached_property
    def sums(self) -> list[list[Difference]]:
        """What changed in the sum that every replica got."""
        return [_minus(*pair) for pair in zip(self.complete.sums, self.without.sums, strict=True)]

    @cached_property
    def weights(self) -> list[list[Difference]]:
        """What changed in each copy of the weights after the update."""
        return [_minus(*pair) for pair in zip(self.complete.after, self.without.after, strict=True)]

    def changed(self, replica: int) -> int:
        """How many weights of one copy came out different."""
        return sum(int(np.count_nonzero(tensor)) for tensor in self.weights[replica])

    @cached_property
    def copies_apart(self) -> float:
        """The largest difference between any two copies of any weight, in either step."""
        return max(
            (
                largest(_minus(copy, record.after[0]))
                for record in (self.complete, self.without)
                for copy in record.after[1:]
            ),
            default=0.0,
        )

    def part(self) -> Part | None:
        """The part of the first weight matrix that changes most; None when no matrix changes.

        Rows and columns keep their order. A matrix in which nothing changes is passed over, as
        when the row's scaled values are all 0.
        """
        for place, tensor in enumerate(self.sums[0]):
            if tensor.ndim == 2 and np.any(tensor):
                return strongest_part(place, tensor)
        return None


def strongest_part(place: int, matrix: np.ndarray) -> Part:
    """At most `MOST_ROWS` by `MOST_COLUMNS` of a matrix: those with the largest values, in order.

    `matrix` has shape (inputs, units); `place` is where it stands among the tensors.
    """
    size = np.abs(matrix)
    rows = _strongest(size.sum(axis=1), MOST_ROWS)
    columns = _strongest(size.sum(axis=0), MOST_COLUMNS)
    return Part(place, rows, columns, (matrix.shape[0], matrix.shape[1]))


def largest(tensors: Sequence[Difference]) -> float:
    """The largest absolute value among all tensors."""
    return max(float(np.abs(tensor).max()) for tensor in tensors)


def _minus(some: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> list[Difference]:
    return [a.astype(np.float64) - b for a, b in zip(some, others, strict=True)]


def _another(rows: Sequence[NDArray[np.int64]], owner: int) -> int | None:
    others = [replica for replica in range(len(rows)) if replica != owner]
    busy = [replica for replica in others if len(rows[replica])]
    return next(iter(busy or others), None)


def _strongest(sizes: Difference, most: int) -> list[int]:
    return sorted(int(index) for index in np.argsort(-sizes, kind="stable")[:most])
