"""What travels between two replicas: one step, and one epoch, with and without the all-reduce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import (
    LABELS,
    ROWS,
    count,
    listed,
    small_model,
    strategy_over,
)

RATE, BATCH, NOBODY = 0.1, 64, -1


@dataclass(frozen=True)
class Taken:
    """One step: each replica's own gradient, and each copy's weights before and after."""

    own: list[list[np.ndarray]]
    before: list[list[np.ndarray]]
    after: list[list[np.ndarray]]


def train(all_reduce: bool, steps: int, left_out: int = NOBODY) -> Iterator[Taken]:
    """Train on two replicas, 64 rows in a step; the row with the number `left_out` counts zero."""
    strategy = strategy_over(2)
    with strategy.scope():
        model = small_model()
        optimizer = keras.optimizers.SGD(RATE)
        optimizer.build(model.trainable_variables)

    def on_my_rows(numbers: tf.Tensor, rows: tf.Tensor, labels: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            squares = (model(rows) - labels)[:, 0] ** 2
            counted = tf.where(numbers == left_out, 0.0, squares)
            loss = tf.reduce_sum(counted) / BATCH
        own = tape.gradient(loss, model.trainable_variables)
        if all_reduce:
            optimizer.apply(own, model.trainable_variables)  # adds up over the replicas
        else:
            for weight, gradient in zip(model.trainable_variables, own, strict=True):
                weight.value.assign_sub(RATE * gradient)  # this replica's copy alone
        return own

    @tf.function
    def step(batch: Any) -> Any:
        return strategy.run(on_my_rows, args=batch)

    def copies() -> list[list[np.ndarray]]:
        values = [strategy.experimental_local_results(w.value) for w in model.trainable_variables]
        return [[copies[replica].numpy() for copies in values] for replica in (0, 1)]

    numbered = (np.arange(steps * BATCH), ROWS[: steps * BATCH], LABELS[: steps * BATCH])
    batches = tf.data.Dataset.from_tensor_slices(numbered).batch(BATCH)
    for batch in strategy.experimental_distribute_dataset(batches):
        before = copies()
        own = [strategy.experimental_local_results(gradient) for gradient in step(batch)]
        yield Taken([[g[r].numpy() for g in own] for r in (0, 1)], before, copies())


def apart(left: list[np.ndarray], right: list[np.ndarray]) -> float:
    """The largest difference between two lists of tensors."""
    return max(float(np.abs(a - b).max()) for a, b in zip(left, right, strict=True))


@dataclass(frozen=True)
class StepSeen:
    """Largest differences, over all weights, that tell what the copies moved by."""

    moved_by_sum_within: float
    """Between each copy's move and rate × sum of both replicas' gradients."""
    own_gradients_differ_by: float
    copies_differ_by: float
    other_copy_ends_elsewhere_by: float
    """How far replica 0's weights change when a row of replica 1 is left out."""

    def in_words(self) -> str:
        """The sum, the copies, the row that was left out."""
        return (
            f"The replicas' own gradients differ by up to {self.own_gradients_differ_by:.2g}. "
            "The copies moved as the sum of both gradients says, but for up to "
            f"{self.moved_by_sum_within:.2g}; the copies differ from each other by "
            f"{self.copies_differ_by:.2g}. Without one row of replica 1, the weights of replica 0 "
            f"change by up to {self.other_copy_ends_elsewhere_by:.2g}."
        )


def one_step(*, all_reduce: bool = True) -> StepSeen:
    """Take the same step twice, the second time without row 40, which is on replica 1."""
    (whole,) = train(all_reduce, steps=1)
    (without,) = train(all_reduce, steps=1, left_out=40)
    total = [a + b for a, b in zip(*whole.own, strict=True)]
    by_sum = [[w - RATE * g for w, g in zip(copy, total, strict=True)] for copy in whole.before]
    return StepSeen(
        moved_by_sum_within=max(map(apart, whole.after, by_sum)),
        own_gradients_differ_by=apart(*whole.own),
        copies_differ_by=apart(*whole.after),
        other_copy_ends_elsewhere_by=apart(whole.after[0], without.after[0]),
    )


@dataclass(frozen=True)
class EpochSeen:
    """How far the two copies are apart after each step, and when the epoch is over."""

    copies_differ_by: list[float]
    at_the_end: float

    def in_words(self) -> str:
        """The differences in turn."""
        steps = listed([f"{difference:.2g}" for difference in self.copies_differ_by])
        return (
            f"After each of {count(len(self.copies_differ_by), 'step')} the copies differed by "
            f"{steps}; at the end of the epoch by {self.at_the_end:.2g}."
        )


def one_epoch(*, all_reduce: bool = True) -> EpochSeen:
    """Four steps; without an all-reduce in each of them, the weights are averaged at the end."""
    epoch = [step.after for step in train(all_reduce, steps=4)]
    first, second = epoch[-1]
    if not all_reduce:
        first = second = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    return EpochSeen([apart(*copies) for copies in epoch], apart(first, second))


NO_ALL_REDUCE = Control(
    "Leave the all-reduce out: each copy follows its own gradient.", {"all_reduce": False}
)

EXPERIMENTS = (
    Experiment(
        "weights-cross-each-epoch",
        claim="Within an epoch the copies differ, and at its end averaging makes them equal.",
        observe=one_epoch,
        also=(train,),
        holds=lambda seen: max(seen.copies_differ_by) > 0 and seen.at_the_end == 0,
        control=Control(
            "Combine as the claim says: average the weights at the end of the epoch.",
            {"all_reduce": False},
        ),
    ),
    Experiment(
        "only-losses-cross",
        claim="What rows replica 1 has makes no difference to the weights of replica 0.",
        observe=one_step,
        also=(train,),
        holds=lambda seen: seen.other_copy_ends_elsewhere_by == 0,
        control=NO_ALL_REDUCE,
    ),
    Experiment(
        "gradients-cross-each-step",
        claim="In the step both copies move by the sum of the two gradients, and stay equal.",
        observe=one_step,
        also=(train,),
        holds=lambda seen: seen.moved_by_sum_within < 1e-6 and seen.copies_differ_by == 0,
        control=NO_ALL_REDUCE,
    ),
)
