"""Stage 3: which row goes to which replica in which step.

Plain NumPy, no TensorFlow: the pages use it to draw, and the trainer uses `epoch_order` to feed
`strategy.experimental_distribute_dataset`. That TensorFlow then cuts the batches exactly as
`shares` says is tested against the installed version for even and uneven batches, 1-8 replicas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.config import Order, RunConfig

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class StepRows:
    """One step: its number (from 1 over the whole run), its epoch, each replica's row numbers."""

    step: int
    epoch: int
    replicas: tuple[Rows, ...]


class Use(NamedTuple):
    """One use of a row: the epoch, the step (both from 1, over the whole run) and the replica."""

    epoch: int
    step: int
    replica: int


def shares(rows: int, replicas: int) -> tuple[int, ...]:
    """How many of a step's `rows` each replica gets: ceil(rows / replicas), filled in order.

    The last ones may get fewer, or none: 33 over 4 is (9, 9, 9, 6), 1 over 4 is (1, 0, 0, 0).
    """
    piece = -(-rows // replicas)
    return tuple(max(0, min(piece, rows - piece * replica)) for replica in range(replicas))


def cut(batch: Rows, replicas: int) -> tuple[Rows, ...]:
    """Cut one global batch into contiguous pieces, one for each replica (some may be empty)."""
    ends = np.cumsum(shares(len(batch), replicas))
    return tuple(np.split(batch, ends[:-1]))


def epoch_order(
    labels: NDArray[np.int32], epoch: int, *, seed: int, order: Order, replicas: int, batch: int
) -> Rows:
    """The training rows in the order of one epoch (`epoch` counts from 1), as row numbers.

    `shuffled` is a new permutation each epoch, the same for the same seed. `as-is` is the table's
    order. `one-class-each` lays every batch out so that each replica's piece holds only its share
    of the classes; rows beyond the smallest share sit that epoch out (others the next time).
    Raises ValueError when a class has fewer rows than replicas that would share it.
    """
    rng = np.random.default_rng([seed, epoch])
    if order == "as-is":
        return np.arange(len(labels), dtype=np.int64)
    if order == "shuffled" or replicas == 1:
        return rng.permutation(len(labels)).astype(np.int64)
    pools = [rng.permutation(pool) for pool in _pools(labels, replicas, rng)]
    usable = min(len(pool) for pool in pools)
    if usable == 0:
        raise ValueError(
            f"one-class-each with {replicas} replicas needs at least one row for each of them; "
            "a class has too few: use fewer replicas or another row order"
        )
    pieces: list[Rows] = []
    taken = 0
    while taken < usable:
        sizes = shares(min(batch, (usable - taken) * replicas), replicas)
        for pool, size in zip(pools, sizes, strict=True):
            pieces.append(pool[taken : taken + size])
        taken += max(sizes)
    return np.concatenate(pieces).astype(np.int64)


def class_shares(classes: int, replicas: int) -> tuple[tuple[int, ...], ...]:
    """Which classes each replica gets in `one-class-each`: neighbours, as even as can be.

    With more replicas than classes several replicas share one class.
    """
    if replicas <= classes:
        parts = np.array_split(np.arange(classes), replicas)
        return tuple(tuple(int(c) for c in part) for part in parts)
    return tuple((replica * classes // replicas,) for replica in range(replicas))


def steps_per_epoch(rows: int, batch: int) -> int:
    """Steps in one pass over `rows` rows; the last may be short."""
    return -(-rows // batch)


def epoch_orders(
    labels: NDArray[np.int32], config: RunConfig, epochs: int | None = None
) -> list[Rows]:
    """The row order of every epoch of a run, or of its first `epochs`. Raises as `epoch_order`."""
    return [
        epoch_order(
            labels,
            epoch,
            seed=config.seed,
            order=config.order,
            replicas=config.replicas,
            batch=config.global_batch,
        )
        for epoch in range(1, (epochs or config.epochs) + 1)
    ]


def uses(row: int, orders: Iterable[Rows], *, replicas: int, batch: int) -> Iterator[Use]:
    """Where a row is used in the epochs with these orders; an epoch it sits out has no use."""
    for epoch, order in enumerate(orders, start=1):
        per_epoch = steps_per_epoch(len(order), batch)
        for place in np.flatnonzero(order == row):
            step, within = divmod(int(place), batch)
            ends = np.cumsum(shares(min(batch, len(order) - step * batch), replicas))
            replica = int(np.searchsorted(ends, within, side="right"))
            yield Use(epoch, (epoch - 1) * per_epoch + step + 1, replica)


def batch_of(order: Rows, step: int, batch: int) -> Rows:
    """The rows of one step of an epoch (`step` counts from 1 in that epoch)."""
    return order[(step - 1) * batch : step * batch]


def epoch_shares(rows: int, batch: int, replicas: int) -> tuple[int, ...]:
    """How many of an epoch's `rows` each replica sees, all its steps together."""
    full, rest = divmod(rows, batch)
    each = zip(shares(batch, replicas), shares(rest, replicas), strict=True)
    return tuple(full * of_full + of_rest for of_full, of_rest in each)


def plan(
    labels: NDArray[np.int32],
    *,
    replicas: int,
    batch: int,
    epochs: int,
    seed: int,
    order: Order = "shuffled",
) -> Iterator[StepRows]:
    """Every step of a run with the rows each replica gets in it."""
    step = 0
    for epoch in range(1, epochs + 1):
        rows = epoch_order(labels, epoch, seed=seed, order=order, replicas=replicas, batch=batch)
        for start in range(0, len(rows), batch):
            step += 1
            yield StepRows(step, epoch, cut(rows[start : start + batch], replicas))


def _pools(
    labels: NDArray[np.int32], replicas: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """One pool of row numbers for each replica; replicas that share a class split its rows."""
    owners = class_shares(int(labels.max()) + 1, replicas)
    pools: list[NDArray[np.int64]] = []
    for classes in dict.fromkeys(owners):
        rows = rng.permutation(np.flatnonzero(np.isin(labels, classes)))
        pools += np.array_split(rows, owners.count(classes))
    return pools
