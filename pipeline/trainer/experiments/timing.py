"""How long steps take and what the processor does meanwhile. Times depend on the machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, small_model, strategy_over


def prepared_step(replicas: int, batch: int) -> tuple[Callable[[], Any], list[int]]:
    """A step that trains on one batch again and again; the list grows when it is prepared."""
    strategy = strategy_over(replicas)
    with strategy.scope():
        model = small_model(units=128)
        optimizer = keras.optimizers.SGD(0.01)
        optimizer.build(model.trainable_variables)
    times = -(-batch // len(ROWS))
    data = (np.tile(ROWS, (times, 1))[:batch], np.tile(LABELS, (times, 1))[:batch])
    batches = tf.data.Dataset.from_tensor_slices(data).batch(batch)
    dealt = next(iter(strategy.experimental_distribute_dataset(batches)))
    prepared: list[int] = []

    def on_my_rows(rows: tf.Tensor, labels: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(rows) - labels) ** 2) / batch
        own = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(own, model.trainable_variables)

    @tf.function
    def step() -> None:
        prepared.append(1)  # Python runs this only while TensorFlow prepares the step
        strategy.run(on_my_rows, args=dealt)

    return step, prepared


@dataclass(frozen=True)
class FirstSeen:
    """The first step that was timed, against the ten after it."""

    first_milliseconds: float
    later_milliseconds: float
    """The median."""
    first_was_prepared: bool
    """Whether TensorFlow had to prepare the step before it could take it."""

    def in_words(self) -> str:
        """Both times, and why."""
        why = "had to prepare the step first" if self.first_was_prepared else "was prepared for it"
        return (
            f"The first step took {self.first_milliseconds:.1f} ms, a later one "
            f"{self.later_milliseconds:.1f} ms. TensorFlow {why}."
        )


def first_and_later(*, skip: int = 0) -> FirstSeen:
    """Time eleven steps on two replicas, after `skip` steps that are not timed."""
    step, prepared = prepared_step(replicas=2, batch=64)
    for _ in range(skip):
        step()
    prepared.clear()
    first, *later = (timed(step) for _ in range(11))
    return FirstSeen(first, median(later), bool(prepared))


def timed(step: Callable[[], Any]) -> float:
    """Milliseconds of one step."""
    began = time.perf_counter()
    step()
    return 1_000 * (time.perf_counter() - began)


@dataclass(frozen=True)
class LaterSeen:
    """The fastest of 60 steps, the first one left out: other programs only make a step slower."""

    batch: int
    milliseconds_on_1: float
    milliseconds_on_2: float

    def in_words(self) -> str:
        """Both, and their ratio."""
        return (
            f"With {self.batch:,} rows, the fastest step took {self.milliseconds_on_1:.2f} ms on 1 "
            f"replica and {self.milliseconds_on_2:.2f} ms on 2: "
            f"{self.milliseconds_on_2 / self.milliseconds_on_1:.1f} times as long."
        )


def later_steps(*, batch: int) -> LaterSeen:
    """Time later steps on one and on two replicas, which share this machine's cores."""
    found = []
    for replicas in (1, 2):
        step, _ = prepared_step(replicas, batch)
        step()
        found.append(min(timed(step) for _ in range(60)))
    return LaterSeen(batch, *found)


@dataclass(frozen=True)
class BusySeen:
    """How long the processor worked on all threads of this program."""

    trained: bool
    busy_seconds: float

    def in_words(self) -> str:
        """The time, and what it was spent on."""
        meanwhile = "300 steps were trained" if self.trained else "the program waited"
        return f"While {meanwhile}, the processor was busy for {self.busy_seconds:.3f} seconds."


def processor_time(*, train: bool = True) -> BusySeen:
    """Train 300 steps on two replicas, or wait as long, and ask how long the processor worked."""
    step, _ = prepared_step(replicas=2, batch=64)
    step()
    began = time.process_time()
    if train:
        for _ in range(300):
            step()
    else:
        time.sleep(0.1)
    return BusySeen(train, time.process_time() - began)


EXPERIMENTS = (
    Experiment(
        "first-step-is-typical",
        claim="The first step does just what later steps do, so its time can stand for theirs.",
        observe=first_and_later,
        also=(prepared_step,),
        holds=lambda seen: not seen.first_was_prepared,
        control=Control("Let one step go by before timing.", {"skip": 1}),
    ),
    Experiment(
        "larger-batch-narrows-gap",
        claim="How much longer a later step takes on 2 replicas than on 1.",
        observe=later_steps,
        also=(prepared_step,),
        given={"batch": 64},
        holds=None,
        control=Control("Take 4,096 rows in a step.", {"batch": 4_096}),
    ),
    Experiment(
        "strategy-avoids-cpu",
        claim="While devices train, the computer's own processor has nothing to do.",
        observe=processor_time,
        also=(prepared_step,),
        holds=lambda seen: seen.busy_seconds < 0.01,
        control=Control("Wait instead of training.", {"train": False}),
    ),
)
