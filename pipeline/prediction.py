"""`predict` with the weights of a run, followed through the layers: what to ask, and the answer.

`trainer.prediction` watches TensorFlow; this module chooses the rows, reads what was left behind
and compares it with plain NumPy. It draws nothing.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline import step_records
from pipeline.datasets import DataSet
from pipeline.run_log import RESULT_NAME
from pipeline.run_view import RunView
from pipeline.step_records import Floats

TASK = "prediction"
SIZES = (64, 63, 65, 1)
"""How many rows can be predicted; 1 is your row alone."""
BATCH_SIZES = (32, 64)
"""What `predict` may be called with; the first is its default."""


class Piece(NamedTuple):
    """Rows that one replica had in one call: `rows` of them from place `start` of the batch."""

    call: int
    replica: int
    start: int
    rows: int


class Row(NamedTuple):
    """One row of the batch: what it is, and what was predicted for it."""

    place: int
    """Counted from 0 in the batch."""
    replica: int
    truth: int
    guess: int
    """The likeliest class."""
    probability: float
    """Given to the true class."""

    @property
    def right(self) -> bool:
        """Whether the likeliest class is the true one."""
        return self.truth == self.guess


@dataclass(frozen=True)
class Prediction:
    """What TensorFlow did with `rows` training rows from row `first` on.

    `layers[k]`, (rows, units) float32: the input and each layer's output, the last one logits.
    `shapes[call][replica][k]`: the shapes that a replica had in a call. `predicted`: what
    `predict` returned.
    """

    first: int
    layers: tuple[Floats, ...]
    predicted: Floats
    shapes: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    gathered_apart: float
    """The largest difference between `predicted` and the replicas' outputs in order."""
    one_device_apart: float
    """The largest difference to `predict` on one device, without a strategy."""
    versions: Mapping[str, str]

    @classmethod
    def load(cls, folder: Path) -> Prediction:
        """Read an answer's folder. Raises OSError, ValueError or KeyError when it is damaged."""
        result = json.loads((folder / RESULT_NAME).read_text(encoding="utf-8"))
        try:
            path = folder / "activations.npz"
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                count = sum(name.startswith("layer/") for name in file.files)
                layers = tuple(file[f"layer/{index}"] for index in range(count))
                predicted = file["predicted"]
        except zipfile.BadZipFile as error:
            raise ValueError(f"{folder.name} is damaged: {error}") from None
        return cls(
            first=result["first"],
            layers=layers,
            predicted=predicted,
            shapes=tuple(
                tuple(tuple((rows, units) for rows, units in layers) for layers in call)
                for call in result["calls"]
            ),
            gathered_apart=result["gathered_max_abs_diff"],
            one_device_apart=result["one_device_max_abs_diff"],
            versions=dict(result["versions"]),
        )

    @property
    def rows(self) -> int:
        """How many rows were predicted."""
        return len(self.predicted)

    @property
    def replicas(self) -> int:
        """How many replicas shared them."""
        return len(self.shapes[0])

    def counts(self, replica: int) -> list[int]:
        """The rows that a replica had in each call."""
        return [call[replica][0][0] for call in self.shapes]

    @cached_property
    def pieces(self) -> list[Piece]:
        """Every piece in the order of the batch: call by call, R0's first. Some have no rows."""
        found: list[Piece] = []
        start = 0
        for call, shapes in enumerate(self.shapes):
            for replica, layers in enumerate(shapes):
                found.append(Piece(call, replica, start, layers[0][0]))
                start += layers[0][0]
        return found

    def piece_of(self, place: int) -> Piece:
        """The piece with a place of the batch."""
        return next(p for p in self.pieces if p.start <= place < p.start + p.rows)

    def numpy_apart(self, weights: list[Floats]) -> float:
        """The largest difference of any activation to the same layers in plain NumPy."""
        plain = activations(weights, self.layers[0])
        return max(
            float(np.abs(ours.astype(np.float64) - theirs).max())
            for ours, theirs in zip(plain, self.layers, strict=True)
        )

    def read(self, data: DataSet) -> list[Row]:
        """Every row with its truth and its prediction, in the order of the batch."""
        chances = step_records.probabilities(self.predicted)
        truths = data.y_train[self.first : self.first + self.rows]
        return [
            Row(
                place,
                self.piece_of(place).replica,
                int(truth),
                int(chance.argmax()),
                float(chance[truth]),
            )
            for place, (truth, chance) in enumerate(zip(truths, chances, strict=True))
        ]


def activations(weights: list[Floats], rows: Floats) -> list[Floats]:
    """The input (n, features) and each layer's output (n, units), float32, in plain NumPy.

    Layer k is max(0, a W + b) of the layer before it, the last one a W + b, as in
    `trainer.model.build_model`; `weights` are kernel, bias, kernel, bias, ...
    """
    found = [rows]
    for last in range(2, len(weights) + 1, 2):
        values = step_records.forward(weights[:last], rows)
        found.append(values if last == len(weights) else np.maximum(values, 0))
    return found


def block(row: int, size: int, rows: int) -> tuple[int, int]:
    """The batch that holds training row `row`: its first row, and how many there are.

    The table of `rows` rows is cut into blocks of `size`; the last block reaches back so that it
    is full. A smaller table is one block.
    """
    size = min(size, rows)
    return min(row // size * size, rows - size), size


def most_wrong(rows: Sequence[Row], most: int = 5) -> list[Row]:
    """The rows whose true class was given the least probability, the worst first."""
    return sorted(rows, key=lambda row: row.probability)[:most]


def question(run: RunView, row: int, size: int, batch_size: int) -> dict[str, Any]:
    """What names the question about a run that keeps its last step in full."""
    first, rows = block(row, size, len(run.data.x_train))
    return {
        "run": run.run_id,
        "step": run.kept[-1],
        "first": first,
        "rows": rows,
        "batch_size": batch_size,
    }
