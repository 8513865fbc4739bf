"""What Distribute tells: how a run's first epochs are dealt, and where one row goes in them.

A plan made from the settings and the labels alone; `distribute` has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pipeline import distribute
from pipeline.config import RunConfig
from pipeline.distribute import Rows, Use

EPOCHS = 5
"""Epochs that are planned at most."""


@dataclass(frozen=True)
class Batch:
    """One step: its epoch, its number in that epoch (both from 1), the rows of each replica."""

    epoch: int
    step: int
    pieces: tuple[Rows, ...]

    @property
    def rows(self) -> int:
        """Rows in the batch."""
        return sum(map(len, self.pieces))

    def owner(self, row: int) -> int | None:
        """The replica that gets this row; None when it is not in the batch."""
        return next((replica for replica, piece in enumerate(self.pieces) if row in piece), None)


@dataclass(frozen=True)
class EpochPlan:
    """The first epochs of a run of `config`, and the uses of `row` in them."""

    config: RunConfig
    row: int
    orders: tuple[Rows, ...]

    @property
    def epochs(self) -> int:
        """How many epochs are planned."""
        return len(self.orders)

    @property
    def rows(self) -> int:
        """Rows that one epoch uses."""
        return len(self.orders[0])

    @property
    def steps(self) -> int:
        """Steps in one epoch."""
        return distribute.steps_per_epoch(self.rows, self.config.global_batch)

    @cached_property
    def uses(self) -> list[Use]:
        """Where the row is used; at most one use an epoch."""
        replicas, batch = self.config.replicas, self.config.global_batch
        return list(distribute.uses(self.row, self.orders, replicas=replicas, batch=batch))

    def use_in(self, epoch: int) -> Use | None:
        """The row's use in this epoch; None when it sits it out."""
        return next((use for use in self.uses if use.epoch == epoch), None)

    def step_of(self, use: Use) -> int:
        """The step of a use, counted in its epoch."""
        return use.step - (use.epoch - 1) * self.steps

    def batch(self, epoch: int, step: int) -> Batch:
        """One step of an epoch."""
        rows = distribute.batch_of(self.orders[epoch - 1], step, self.config.global_batch)
        return Batch(epoch, step, distribute.cut(rows, self.config.replicas))

    @property
    def first_use(self) -> Batch:
        """The first batch with the row; the very first batch when the row is never used."""
        if not self.uses:
            return self.batch(1, 1)
        return self.batch(self.uses[0].epoch, self.step_of(self.uses[0]))

    @property
    def per_replica(self) -> list[tuple[int, int, int, int]]:
        """For each replica: full steps, its rows in each, in the short last step, in the epoch."""
        batch, replicas = self.config.global_batch, self.config.replicas
        full, rest = divmod(self.rows, batch)
        parts = (
            distribute.shares(batch, replicas),
            distribute.shares(rest, replicas),
            distribute.epoch_shares(self.rows, batch, replicas),
        )
        return [(full, *numbers) for numbers in zip(*parts, strict=True)]


def of(labels: NDArray[np.int32], config: RunConfig, row: int) -> EpochPlan:
    """The plan of the first `EPOCHS` epochs. Raises ValueError as `distribute.epoch_order`."""
    epochs = min(config.epochs, EPOCHS)
    return EpochPlan(config, row, tuple(distribute.epoch_orders(labels, config, epochs)))
