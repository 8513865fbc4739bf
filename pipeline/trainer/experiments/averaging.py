"""Separate models, one on each device, averaged by hand, against one model under the strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, small_model, strategy_over

STEPS, RATE = 100, 0.3
CLASSES = (LABELS[:, 0] > 0).astype(np.float32)[:, None]
TRAIN = slice(0, 512)
KINDS = [np.flatnonzero(CLASSES[TRAIN, 0] == kind)[:200] for kind in (0, 1)]
"""200 rows of each class: device 0 has the one class, device 1 the other."""


@dataclass(frozen=True)
class AveragedSeen:
    """Percent of 512 new rows told right by both, and the largest difference of a weight."""

    averaged_by_hand: float
    under_the_strategy: float
    weights_differ_by: float

    def in_words(self) -> str:
        """Both accuracies, then the weights."""
        return (
            f"Averaged by hand {self.averaged_by_hand:.0f} percent of new rows are told right, "
            f"under the strategy {self.under_the_strategy:.0f} percent. The largest "
            f"difference of a weight is {self.weights_differ_by:.7f}."
        )


def by_hand(*, average: str) -> AveragedSeen:
    """Train a model on each device, on one class each; average the weights when `average` says."""
    models = []
    for device in ("CPU:0", "CPU:1"):
        with tf.device(device):
            models.append(small_model())
    for step in range(STEPS):
        for model, rows in zip(models, KINDS, strict=True):
            move(model, gradient(model, rows, divide_by=len(rows)))
        if average == "after every step" or step == STEPS - 1:
            pairs = zip(*(model.get_weights() for model in models), strict=True)
            mean = [(a + b) / 2 for a, b in pairs]
            for model in models:
                model.set_weights(mean)
    together = under_the_strategy()
    return AveragedSeen(
        percent_right(mean),
        percent_right(together),
        max(float(np.abs(a - b).max()) for a, b in zip(mean, together, strict=True)),
    )


def under_the_strategy() -> list[np.ndarray]:
    """The weights of one model whose replicas have one class each and combine in every step."""
    strategy = strategy_over(2)
    with strategy.scope():
        model = small_model()
        optimizer = keras.optimizers.SGD(RATE)
        optimizer.build(model.trainable_variables)

    @tf.function
    def step(batch: Any) -> None:
        def on_my_rows(rows: tf.Tensor) -> None:
            optimizer.apply(gradient(model, rows, divide_by=400), model.trainable_variables)

        strategy.run(on_my_rows, args=(batch,))

    dealt = tf.data.Dataset.from_tensor_slices(np.concatenate(KINDS)).batch(400).repeat(STEPS)
    for batch in strategy.experimental_distribute_dataset(dealt):
        step(batch)
    return list(model.get_weights())


@tf.function
def gradient(model: keras.Model, rows: tf.Tensor, divide_by: int) -> list[tf.Tensor]:
    """Of the cross-entropy of these rows."""
    with tf.GradientTape() as tape:
        logits = model(tf.gather(ROWS, rows))
        losses = tf.nn.sigmoid_cross_entropy_with_logits(tf.gather(CLASSES, rows), logits)
        loss = tf.reduce_sum(losses) / divide_by
    return tape.gradient(loss, model.trainable_variables)


def move(model: keras.Model, by: list[tf.Tensor]) -> None:
    """One step of plain SGD."""
    for weight, part in zip(model.trainable_variables, by, strict=True):
        weight.assign_sub(RATE * part)


def percent_right(weights: list[np.ndarray]) -> float:
    """Of the rows that nobody trained on."""
    first, bias, last, out = weights
    logits = np.maximum(ROWS[512:] @ first + bias, 0) @ last + out
    return float(100 * np.mean((logits > 0) == CLASSES[512:]))


EXPERIMENTS = (
    Experiment(
        "average-weights-at-end",
        claim="Separate models, averaged once at the end, are the model that the strategy trains.",
        observe=by_hand,
        also=(
            under_the_strategy,
            gradient,
            move,
        ),
        given={"average": "at the end"},
        holds=lambda seen: seen.weights_differ_by < 1e-5,
        control=Control("Average after every step.", {"average": "after every step"}),
    ),
)
