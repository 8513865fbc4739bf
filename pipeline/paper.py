"""The example that can be done by hand: four rows, one weight, half squared error.

Row x has the loss (w x - target)^2 / 2; the loss of the batch is the mean over its four rows. So
row x adds (w x - target) x / 4 to the gradient. `distribute.cut` shares the rows out, as in a real
run; everything the Overview says of this example is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline import distribute

ROWS = (1.0, 2.0, 3.0, 4.0)
TARGET = 2.0
START = 1.0
RATE = 0.1
REPLICAS = 2


@dataclass(frozen=True)
class PaperStep:
    """One step: each replica's rows and part of the gradient, their sum, the weight after."""

    before: float
    rows: tuple[tuple[float, ...], ...]
    parts: tuple[float, ...]
    total: float
    after: float


def step(weight: float = START) -> PaperStep:
    """One step with the all-reduce, from `weight`."""
    pieces = _pieces()
    parts = tuple(_gradient(weight, piece, len(ROWS)) for piece in pieces)
    total = sum(parts)
    return PaperStep(
        weight, tuple(tuple(piece) for piece in pieces), parts, total, weight - RATE * total
    )


def alone(replica: int, steps: int) -> float:
    """The weight after `steps` steps of one replica on its own rows, with their own mean."""
    weight, piece = START, _pieces()[replica]
    for _ in range(steps):
        weight -= RATE * _gradient(weight, piece, len(piece))
    return weight


def averaged(steps: int) -> float:
    """Each replica trains alone for `steps` steps, then the weights are averaged."""
    return sum(alone(replica, steps) for replica in range(REPLICAS)) / REPLICAS


def _pieces() -> list[NDArray[np.float64]]:
    indices = distribute.cut(np.arange(len(ROWS)), REPLICAS)
    return [np.asarray(ROWS)[piece] for piece in indices]


def _gradient(weight: float, rows: NDArray[np.float64], divisor: int) -> float:
    return float(np.sum((weight * rows - TARGET) * rows) / divisor)
