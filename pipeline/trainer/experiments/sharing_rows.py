"""Which rows a batched data set gives to which replica."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import ROWS, listed, strategy_over


@dataclass(frozen=True)
class EpochSeen:
    """How many rows there are and how many different ones some replica got in one epoch."""

    rows_in_the_data: int
    rows_used: int
    rows_of_each_replica: list[int]

    def in_words(self) -> str:
        """Used of all, then the shares."""
        shares = listed([f"{rows:,}" for rows in self.rows_of_each_replica])
        return (
            f"{self.rows_used:,} of {self.rows_in_the_data:,} different rows were used in one "
            f"epoch; the replicas had {shares} of them."
        )


def one_epoch(*, keep_every: int = 1) -> EpochSeen:
    """Number 10,000 rows, share them out in batches of 250, and see which numbers arrive."""
    strategy = strategy_over(2)
    rows = tf.data.Dataset.range(10_000).shard(keep_every, 0).batch(250)
    arrived: list[list[int]] = [[], []]
    for batch in strategy.experimental_distribute_dataset(rows):
        for replica, part in enumerate(strategy.experimental_local_results(batch)):
            arrived[replica].extend(part.numpy().tolist())
    return EpochSeen(10_000, len({*arrived[0], *arrived[1]}), [len(part) for part in arrived])


@dataclass(frozen=True)
class BatchSeen:
    """The shape of a batch as the data set has it, and of each replica's part of it."""

    columns_in_the_data: int
    part_shapes: list[list[int]]

    def in_words(self) -> str:
        """The parts against the columns."""
        parts = listed([f"({rows}, {columns})" for rows, columns in self.part_shapes])
        return (
            f"A row has {self.columns_in_the_data} numbers; the replicas' parts of the batch of "
            f"64 rows have the shapes {parts}."
        )


def one_batch(*, add_squares: bool = False) -> BatchSeen:
    """Share out one batch of 64 rows and look at the shapes that arrive."""
    values = np.hstack([ROWS, ROWS**2]) if add_squares else ROWS
    strategy = strategy_over(2)
    batches = tf.data.Dataset.from_tensor_slices(values).batch(64)
    batch = next(iter(strategy.experimental_distribute_dataset(batches)))
    parts = strategy.experimental_local_results(batch)
    return BatchSeen(ROWS.shape[1], [part.shape.as_list() for part in parts])


@dataclass(frozen=True)
class StepsSeen:
    """The first and last row that each replica worked on in each step, and rows on both."""

    rows: list[list[str]]
    """For each step, for each replica."""
    rows_on_both: int

    def in_words(self) -> str:
        """The first step, and what the replicas have in common."""
        return (
            f"Rows in the first step: {listed(self.rows[0])}. Over {len(self.rows)} steps "
            f"{self.rows_on_both} rows were worked on by more than one replica."
        )


def four_steps(*, share: bool = True, replicas: int = 2) -> StepsSeen:
    """Let each replica report the numbers of the rows it works on in four steps of 64 rows."""
    strategy = strategy_over(replicas)
    batches = tf.data.Dataset.range(256).batch(64)
    dealt: Any = strategy.experimental_distribute_dataset(batches) if share else batches
    rows: list[list[str]] = []
    had: list[set[int]] = [set() for _ in range(replicas)]
    run = tf.function(strategy.run)
    for batch in dealt:
        worked_on = run(tf.identity, args=(batch,))
        parts = [part.numpy() for part in strategy.experimental_local_results(worked_on)]
        rows.append([f"{part[0]}-{part[-1]}" for part in parts])
        for replica, part in enumerate(parts):
            had[replica].update(part.tolist())
    return StepsSeen(rows, sum(map(len, had)) - len(set.union(*had)))


EXPERIMENTS = (
    Experiment(
        "strategy-shrinks-data",
        claim="With a strategy, fewer rows than there are get used in an epoch.",
        observe=one_epoch,
        holds=lambda seen: seen.rows_used < seen.rows_in_the_data,
        control=Control(
            "Make the data set smaller: keep every second row only.", {"keep_every": 2}
        ),
    ),
    Experiment(
        "split-adds-columns",
        claim="Shared out, each row has more numbers than before.",
        observe=one_batch,
        holds=lambda seen: all(
            columns > seen.columns_in_the_data for _, columns in seen.part_shapes
        ),
        control=Control("Append the square of each number to its row.", {"add_squares": True}),
    ),
    Experiment(
        "replicas-share-rows",
        claim="What each replica works on in the same step, with 2 replicas and with 1.",
        observe=four_steps,
        holds=None,
        control=Control("One replica.", {"replicas": 1}),
    ),
    Experiment(
        "rows-cross",
        claim="Rows travel, so that some are worked on by both replicas.",
        observe=four_steps,
        holds=lambda seen: seen.rows_on_both > 0,
        control=Control("Give the whole batch to each replica.", {"share": False}),
    ),
)
