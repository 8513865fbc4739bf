"""What one replica does in one step, and what the strategy does around it.

This is the code the lesson shows: `replica_step` is what runs on every replica, in
`TrainStep.__call__` the strategy hands each its rows. Nothing here records, prints or knows why.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from pipeline.trainer.local_rules import LocalRule
from pipeline.trainer.model import example_losses, is_right

NOBODY = -1
"""No row is left out."""


class ReplicaResult(NamedTuple):
    """What one replica reports: tensors, in the order of the model's variables."""

    loss_sum: tf.Tensor
    right: tf.Tensor
    own_norm: tf.Tensor
    all_reduced_norm: tf.Tensor
    own: list[tf.Tensor]
    all_reduced: list[tf.Tensor]


def replica_step(
    model: keras.Model,
    optimizer: keras.optimizers.Optimizer,
    batch: tuple[tf.Tensor, tf.Tensor, tf.Tensor],
    rows_in_step: tf.Tensor,
    left_out: tf.Tensor,
) -> ReplicaResult:
    """One replica's part of one step: its own rows, its own gradient, then the same update."""
    rows, features, labels = batch
    weight = tf.cast(rows != left_out, tf.float32)
    with tf.GradientTape() as tape:
        logits = model(features, training=True)
        losses = example_losses(labels, logits) * weight
        loss = tf.reduce_sum(losses) / rows_in_step  # the rows of all replicas, not only mine
    own = tape.gradient(loss, model.trainable_variables)
    all_reduced = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, own)
    optimizer.apply(own, model.trainable_variables)  # Keras sums over the replicas itself
    return ReplicaResult(
        tf.reduce_sum(losses),
        tf.reduce_sum(is_right(labels, logits)),
        tf.linalg.global_norm(own),
        tf.linalg.global_norm(all_reduced),
        own,
        all_reduced,
    )


def replica_step_alone(
    model: keras.Model, rule: LocalRule, batch: tuple[tf.Tensor, tf.Tensor, tf.Tensor]
) -> ReplicaResult:
    """The same without the all-reduce: each copy follows its own rows and drifts away."""
    _rows, features, labels = batch
    with tf.GradientTape() as tape:
        logits = model(features, training=True)
        losses = example_losses(labels, logits)
        loss = tf.reduce_sum(losses) / tf.maximum(1.0, tf.cast(tf.size(losses), tf.float32))
    own = tape.gradient(loss, model.trainable_variables)
    rule.apply(own, model.trainable_variables)
    return ReplicaResult(
        tf.reduce_sum(losses),
        tf.reduce_sum(is_right(labels, logits)),
        tf.linalg.global_norm(own),
        tf.constant(float("nan")),
        own,
        [],
    )


class StepResult(NamedTuple):
    """One step over all replicas; lists have one entry for each replica."""

    rows: list[tf.Tensor]
    numbers: list[tf.Tensor]
    """Each (4,): loss sum, right answers, own gradient norm, all-reduced gradient norm."""
    own: list[list[tf.Tensor]]
    sums: list[list[tf.Tensor]]
    """The all-reduced gradient as each replica got it; empty without an all-reduce."""
    copies_max_abs_diff: tf.Tensor


class TrainStep:
    """One step of the whole strategy, traced once by `tf.function`."""

    def __init__(
        self,
        strategy: tf.distribute.Strategy,
        model: keras.Model,
        optimizer: keras.optimizers.Optimizer | LocalRule,
    ) -> None:
        self.strategy, self.model, self.optimizer = strategy, model, optimizer
        # No autograph: nothing here branches on a tensor, and converting the source costs 0.5 s.
        self._traced = tf.function(self._step, autograph=False, reduce_retracing=True)

    def __call__(self, batches: Any, left_out: int = NOBODY) -> StepResult:
        """Take the next global batch of a distributed iterator and train on it."""
        return self._traced(batches, tf.constant(left_out, tf.int64))

    def _step(self, batches: Any, left_out: tf.Tensor) -> StepResult:
        strategy, model, optimizer = self.strategy, self.model, self.optimizer
        batch = next(batches)
        rows = strategy.experimental_local_results(batch[0])
        rows_in_step = tf.cast(tf.add_n([tf.size(part) for part in rows]), tf.float32)
        if isinstance(optimizer, LocalRule):
            result = strategy.run(replica_step_alone, args=(model, optimizer, batch))
        else:
            result = strategy.run(
                replica_step, args=(model, optimizer, batch, rows_in_step, left_out)
            )
        numbers = [
            tf.stack(four)
            for four in zip(
                *(strategy.experimental_local_results(value) for value in result[:4]), strict=True
            )
        ]
        own = [strategy.experimental_local_results(tensor) for tensor in result.own]
        sums = [strategy.experimental_local_results(tensor) for tensor in result.all_reduced]
        return StepResult(
            list(rows),
            numbers,
            [list(tensors) for tensors in zip(*own, strict=True)],
            [list(tensors) for tensors in zip(*sums, strict=True)],
            self._largest_difference(),
        )

    def _largest_difference(self) -> tf.Tensor:
        """The largest difference between any copy of any weight and copy 0; 0.0 when equal."""
        largest = tf.constant(0.0)
        for variable in self.model.trainable_variables:
            first, *others = self.strategy.experimental_local_results(variable.value)
            for copy in others:
                largest = tf.maximum(largest, tf.reduce_max(tf.abs(copy - first)))
        return largest
