"""How many numbers the replicas hand over to be added up, counted where it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, small_model


class Counting(tf.distribute.ReductionToOneDevice):
    """Adds up as usual, and notes how many numbers each replica hands over in a step."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def batch_reduce_implementation(self, op: Any, pairs: Any, options: Any) -> Any:
        """Called by the all-reduce of the gradients, while TensorFlow prepares the step."""
        self.numbers = sum(value.values[0].shape.num_elements() for value, _ in pairs)
        return super().batch_reduce_implementation(op, pairs, options)


@dataclass(frozen=True)
class SentSeen:
    """Numbers that each replica hands over in one step."""

    batch_size: int
    in_a_step: int
    with_64_rows: int
    weights_of_the_model: int
    """Of the model with 64 rows in a step."""

    def in_words(self) -> str:
        """This one and the one with 64 rows."""
        return (
            f"Each replica hands over {self.in_a_step:,} numbers in a step of {self.batch_size} "
            f"rows; with 64 rows {self.with_64_rows:,}, one for each of the "
            f"{self.weights_of_the_model:,} weights."
        )


def numbers_sent(*, batch_size: int = 8, units: int = 32) -> SentSeen:
    """Count for this batch and size of model, and for 64 rows and 32 units."""
    here, _ = sent(batch_size, units)
    there, weights = sent(64, 32)
    return SentSeen(batch_size, here, there, weights)


def sent(batch_size: int, units: int) -> tuple[int, int]:
    """Numbers handed over in a step of Keras's `fit` on two replicas, and weights there are."""
    counting = Counting()
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=counting).scope():
        model = small_model(units=units)
        model.compile(optimizer="sgd", loss="mse")
    model.fit(ROWS[:128], LABELS[:128], batch_size=batch_size, verbose=0)
    return counting.numbers, model.count_params()


EXPERIMENTS = (
    Experiment(
        "smaller-batch-sends-less",
        claim="With 8 rows in a step instead of 64, less is sent in each step.",
        observe=numbers_sent,
        also=(
            Counting,
            sent,
        ),
        holds=lambda seen: seen.in_a_step < seen.with_64_rows,
        control=Control("Make the model smaller.", {"units": 8}),
    ),
)
