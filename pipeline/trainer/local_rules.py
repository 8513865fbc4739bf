"""Update rules for copies that train apart: each replica keeps its own optimizer state.

Keras optimizers always sum gradients over the replicas, so "no all-reduce" needs rules of its
own. The formulas are Keras's (SGD; Adam with bias correction, Kingma and Ba 2015, epsilon 1e-7);
with one replica they give what Keras gives, which a test checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7


class LocalRule:
    """`adam` or `sgd` on each replica's own copy. Built once, outside of `strategy.run`."""

    def __init__(
        self, name: str, learning_rate: float, devices: Sequence[str], variables: Sequence[Any]
    ) -> None:
        self.name, self.learning_rate = name, learning_rate
        self._slots: list[list[tuple[tf.Variable, tf.Variable]]] = []
        self._steps: list[tf.Variable] = []
        for device in devices:
            with tf.device(device):
                self._steps.append(tf.Variable(0.0))
                self._slots.append(
                    [
                        (tf.Variable(tf.zeros(v.shape)), tf.Variable(tf.zeros(v.shape)))
                        for v in variables
                    ]
                )

    def apply(self, gradients: Sequence[tf.Tensor], variables: Sequence[Any]) -> None:
        """Update this replica's copy with its own gradient. Call inside `strategy.run`."""
        context = tf.distribute.get_replica_context()
        replica = int(tf.get_static_value(context.replica_id_in_sync_group))
        copies = [context.strategy.experimental_local_results(v.value)[replica] for v in variables]
        if self.name == "sgd":
            for gradient, copy in zip(gradients, copies, strict=True):
                copy.assign_sub(self.learning_rate * gradient)
            return
        step = self._steps[replica].assign_add(1.0)
        rate = self.learning_rate * tf.sqrt(1 - BETA_2**step) / (1 - BETA_1**step)
        for gradient, copy, (mean, square) in zip(
            gradients, copies, self._slots[replica], strict=True
        ):
            new_mean = mean.assign_add((gradient - mean) * (1 - BETA_1))
            new_square = square.assign_add((tf.square(gradient) - square) * (1 - BETA_2))
            copy.assign_sub(rate * new_mean / (tf.sqrt(new_square) + EPSILON))
