"""The shapes of a run before it has run: what each of the five stages will hold.

Computed from the data and the settings, never typed in. `trainer.model` builds the same layers;
a test compares `parameters` with the model TensorFlow builds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from pipeline import distribute
from pipeline.config import RunConfig
from pipeline.datasets import DataSet

HIDDEN = (64, 32)
"""Units of the two hidden layers."""


@dataclass(frozen=True)
class Shapes:
    """What a run holds at each stage; `shares` are the rows of the first step, by replica."""

    rows: int
    features: int
    shares: tuple[int, ...]
    last_shares: tuple[int, ...]
    parameters: int
    steps_per_epoch: int
    steps: int

    def stages(self) -> list[tuple[str, str]]:
        """The five stages and their shapes as text, for the ribbon."""
        table = f"{self.rows:,} × {self.features}"
        replicas = len(self.shares)
        gradients = f"{replicas} gradient{'s' * (replicas > 1)} of {self.parameters:,}"
        return [
            ("1 Load", table),
            ("2 Normalise", table),
            ("3 Distribute", split(self.shares, self.features)),
            ("4 Train", gradients),
            ("5 Aggregate", f"{self.parameters:,} weights"),
        ]


def of(data: DataSet, config: RunConfig) -> Shapes:
    """The shapes a run of `config` on `data` will have."""
    rows, features = data.x_train.shape
    order = distribute.epoch_order(
        data.y_train,
        1,
        seed=config.seed,
        order=config.order,
        replicas=config.replicas,
        batch=config.global_batch,
    )
    per_epoch = distribute.steps_per_epoch(len(order), config.global_batch)
    last = len(order) - (per_epoch - 1) * config.global_batch
    return Shapes(
        rows=rows,
        features=features,
        shares=distribute.shares(min(config.global_batch, len(order)), config.replicas),
        last_shares=distribute.shares(last, config.replicas),
        parameters=parameters(features, data.output_units),
        steps_per_epoch=per_epoch,
        steps=per_epoch * config.epochs,
    )


def parameters(features: int, output_units: int) -> int:
    """Weights and biases of the network: features -> 64 -> 32 -> output units."""
    sizes = (features, *HIDDEN, output_units)
    return sum((wide + 1) * narrow for wide, narrow in pairwise(sizes))


def split(shares: tuple[int, ...], features: int) -> str:
    """`2 × (128 × 20)`, or `3 × (9 × 20) + (6 × 20)` when the cut is uneven."""
    parts = []
    for rows, times in Counter(shares).items():
        shape = f"({rows:,} × {features})"
        parts.append(f"{times} × {shape}" if times > 1 else shape)
    return " + ".join(parts)
