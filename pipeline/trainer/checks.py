"""The three proofs, measured on the steps that are kept in full.

1. The replicas' own gradients add up to the all-reduced one.
2. The all-reduced gradient is the gradient of the whole batch on one device.
3. All copies of the weights are equal after the update, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pipeline.events import TOLERANCE, Check
from pipeline.step_records import Floats, StepRecord
from pipeline.trainer.model import example_losses, forward


def single_device_gradient(
    weights: Sequence[Floats], features: Floats, labels: np.ndarray
) -> list[Floats]:
    """Gradient of the mean loss over all rows, on one device, without Keras or a strategy."""
    tensors = [tf.constant(weight) for weight in weights]
    gradient = _traced_gradient(tensors, tf.constant(features), tf.constant(labels))
    return [tensor.numpy() for tensor in gradient]


@tf.function(autograph=False, reduce_retracing=True)
def _traced_gradient(
    weights: list[tf.Tensor], features: tf.Tensor, labels: tf.Tensor
) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_mean(example_losses(labels, forward(weights, features)))
    gradient: list[tf.Tensor] = tape.gradient(loss, weights)
    return gradient


class Checks:
    """Collects the largest difference seen for each proof."""

    def __init__(self) -> None:
        self._worst: dict[str, tuple[float, float]] = {}
        self._identical = True
        self._copies_diff = 0.0

    def look_at(self, record: StepRecord, features: Floats, labels: np.ndarray) -> None:
        """Measure one kept step; `features` and `labels` are its rows, all replicas together."""
        if record.all_reduced:
            scale = max(1.0, max(float(np.abs(g).max()) for g in record.all_reduced))
            total = [
                np.asarray(np.sum(parts, axis=0, dtype=np.float64))
                for parts in zip(*record.own, strict=True)
            ]
            self._note("sum_equals_all_reduced", _largest(total, record.all_reduced), scale)
            alone = single_device_gradient(record.before, features, labels)
            self._note("equals_single_device", _largest(alone, record.all_reduced), scale)
        for copy in record.after[1:]:
            for one, other in zip(copy, record.after[0], strict=True):
                self._identical &= one.tobytes() == other.tobytes()
            self._copies_diff = max(self._copies_diff, _largest(copy, record.after[0]))

    def result(self) -> dict[str, Check]:
        """Each proof's verdict; a run without all-reduce has only the last one."""
        verdicts = {
            name: Check(ok=bool(difference <= TOLERANCE * scale), max_abs_diff=difference)
            for name, (difference, scale) in self._worst.items()
        }
        verdicts["replicas_identical"] = Check(ok=self._identical, max_abs_diff=self._copies_diff)
        return verdicts

    def _note(self, name: str, difference: float, scale: float) -> None:
        before = self._worst.get(name)
        ratio = difference / scale
        # A difference that is no number is the worst there is, and stays.
        if before is None or math.isnan(ratio) or ratio > before[0] / before[1]:
            self._worst[name] = (difference, scale)


def _largest(some: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> float:
    """The largest absolute difference; NaN when any is (Python's `max` would lose it)."""
    differences = [
        np.abs(a.astype(np.float64) - b).max() for a, b in zip(some, others, strict=True)
    ]
    return float(np.max(differences))
