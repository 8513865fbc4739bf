"""A loss that is divided once too often: what the gradient, the sum and the step make of it."""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, small_model, strategy_over


@dataclass(frozen=True)
class FitsSeen:
    """A training with the loss divided, against one without."""

    first_step: float
    """How long its first step is, as a part of the other's."""
    losses: list[float]
    """The true loss of both after 20 more steps: divided, then not."""

    def in_words(self) -> str:
        """The first step, then the losses."""
        return (
            f"The first step is {self.first_step:.3f} times as long as without the division. The "
            f"loss after 20 more is {self.losses[0]:.4f}; without it, {self.losses[1]:.4f}."
        )


def fit_divided(*, optimizer: str, divide_by: float = 2) -> FitsSeen:
    """Fit on two replicas with the loss divided, and once more without."""
    moved, losses = [], []
    for divisor in (divide_by, 1):
        with strategy_over(2).scope():
            model = small_model()
            model.compile(optimizer, lambda y, out, by=divisor: keras.ops.mean((y - out) ** 2) / by)
        start = model.get_weights()
        model.fit(ROWS[:64], LABELS[:64], batch_size=64, verbose=0)  # one step
        moved.append(length([now - w for now, w in zip(model.get_weights(), start, strict=True)]))
        model.fit(*twenty_times(ROWS[:64], LABELS[:64]), batch_size=64, verbose=0, shuffle=False)
        losses.append(float(np.mean((model(ROWS[:64]) - LABELS[:64]) ** 2)))
    return FitsSeen(moved[0] / moved[1], losses)


def twenty_times(*tables: np.ndarray) -> list[np.ndarray]:
    """The same batch again and again, for twenty steps."""
    return [np.tile(table, (20, 1)) for table in tables]


def length(tensors: list[np.ndarray]) -> float:
    """Of all numbers as one arrow."""
    return float(np.sqrt(sum(np.sum(tensor**2) for tensor in tensors)))


@dataclass(frozen=True)
class GradientSeen:
    """What one step printed, and the summed gradient, as parts of what one device gets."""

    printed_loss: float
    summed_gradient: float

    def in_words(self) -> str:
        """Both."""
        return (
            f"The printed loss is {self.printed_loss:.3f} times, and the gradient summed over both "
            f"replicas {self.summed_gradient:.3f} times, what a single device gets."
        )


def gradient_divided(*, halve: str) -> GradientSeen:
    """Halve the loss of 64 rows on two replicas: `the loss`, `only what is printed`, `nothing`."""
    strategy = strategy_over(2)
    with strategy.scope():
        weight = tf.Variable(tf.zeros((20, 1)))

    def on_my_rows(rows: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((rows @ weight - labels) ** 2) / 64
            if halve == "the loss":
                loss = loss / 2
        own = tape.gradient(loss, weight)
        if halve == "only what is printed":
            loss = loss / 2
        replica = tf.distribute.get_replica_context()
        return tuple(replica.all_reduce(tf.distribute.ReduceOp.SUM, [loss, own]))

    batches = tf.data.Dataset.from_tensor_slices((ROWS[:64], LABELS[:64])).batch(64)
    batch = next(iter(strategy.experimental_distribute_dataset(batches)))
    loss, total = map(
        strategy.experimental_local_results, tf.function(strategy.run)(on_my_rows, args=batch)
    )
    right = -2 * ROWS[:64].T @ LABELS[:64] / 64  # of the mean square, at weight 0
    return GradientSeen(
        printed_loss=float(loss[0] / np.mean(LABELS[:64] ** 2)),
        summed_gradient=length([total[0].numpy()]) / length([right]),
    )


def the_same(ratio: float) -> bool:
    """Whether a ratio is 1 to within two percent."""
    return abs(ratio - 1) < 0.02


EXPERIMENTS = (
    Experiment(
        "adam-ignores-scale",
        claim="With Adam, half the loss gives the same step and the same curve, within 2 percent.",
        observe=fit_divided,
        given={"optimizer": "adam"},
        holds=lambda seen: the_same(seen.first_step) and the_same(seen.losses[0] / seen.losses[1]),
        control=Control("Use plain SGD.", {"optimizer": "sgd"}),
    ),
    Experiment(
        "keras-scales-back",
        claim="Keras repairs half the loss, so that even plain SGD takes the same step.",
        observe=fit_divided,
        given={"optimizer": "sgd"},
        holds=lambda seen: the_same(seen.first_step),
        control=Control("Do not divide the loss.", {"divide_by": 1}),
    ),
    Experiment(
        "all-reduce-removes-factor",
        claim="Added up over the replicas, the gradient of half the loss is the whole gradient.",
        observe=gradient_divided,
        given={"halve": "the loss"},
        holds=lambda seen: the_same(seen.summed_gradient),
        control=Control("Halve nothing.", {"halve": "nothing"}),
    ),
    Experiment(
        "only-print-is-halved",
        claim="The printed loss is halved and the gradient is not.",
        observe=gradient_divided,
        given={"halve": "the loss"},
        holds=lambda seen: the_same(2 * seen.printed_loss) and the_same(seen.summed_gradient),
        control=Control(
            "Halve the number after the gradient is taken.", {"halve": "only what is printed"}
        ),
    ),
)
