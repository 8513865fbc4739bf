"""How long a step takes on 1, 2, 4 and 8 replicas, and what it spends its time on.

One process, as many devices as the largest number of replicas needs, one strategy for each number.
Every setting (`pipeline.scaling_plan`) is a step of its own, traced first and timed afterwards, in
short blocks that take turns, forwards and backwards, so that a machine that slows down slows all
of them. Beside each block stand the CPU time of this process and of everybody else.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline import datasets, preprocess
from pipeline.run_log import PROGRESS_NAME
from pipeline.scaling_plan import FEATURES, ROUNDS, SIZES, Setting, settings
from pipeline.trainer import devices
from pipeline.trainer.model import example_losses

_alive: list[object] = []
"""Keeps what was measured until the process ends: to take down many distributed iterators at once
hung here, again and again (TensorFlow 2.21)."""
RATE = 1e-4
"""Learning rate: small, so that a model that is trained for a minute stays well-behaved."""
LEAST_ROUNDS = 3
"""So many rounds are made even when time is up."""


def scaling(
    folder: Path,
    *,
    size: str,
    replicas: Sequence[int],
    one_core: bool,
    seconds: float,
    token: str,
) -> dict[str, Any]:
    """Measure; returns every block of every setting, and what they were measured on.

    `one_core` gives each logical device one thread and one core, as long as there are cores.
    `token` only tells measurements apart. Progress goes to a file in `folder`.
    """
    tell = _Progress(folder)
    lab = _Lab(size, replicas, one_core=one_core)
    _alive.append(lab)
    plan = settings(size, lab.counts)
    began = time.perf_counter()
    prepared = []
    for number, setting in enumerate(plan):
        tell("preparing", setting, 0.25 * number / len(plan))
        prepared.append(lab.prepare(setting))
    preparing = time.perf_counter() - began
    blocks: list[list[_Block]] = [[] for _ in plan]
    block_seconds = seconds / (ROUNDS * len(plan))
    for at, number in _turns(len(plan), time.perf_counter() + 1.2 * seconds):
        tell("timing", plan[number], 0.25 + 0.75 * at)
        blocks[number].append(lab.time_block(plan[number], prepared[number], block_seconds))
    return {
        "size": size,
        "one_core": one_core,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": _cpu_name(),
            "cores": len(lab.cores),
            "system": f"{platform.system()} {platform.machine()}",
            "devices": list(lab.names),
        },
        "versions": {
            "python": platform.python_version(),
            "tensorflow": tf.__version__,
            "keras": keras.__version__,
        },
        "seconds": {"preparing": preparing, "timing": time.perf_counter() - began - preparing},
        "settings": [
            {
                **vars(setting),
                "tracing_seconds": step.tracing,
                "blocks": [block.rounded() for block in timed],
            }
            for setting, step, timed in zip(plan, prepared, blocks, strict=True)
        ],
    }


def replica_step(
    model: keras.Model, batch: tuple[tf.Tensor, tf.Tensor], rows: float, *, combine: bool
) -> tf.Tensor:
    """One replica's part of a step by plain gradient descent; returns its part of the loss.

    Without `combine` each copy follows its own rows: wrong, and only good for timing the rest.
    """
    features, labels = batch
    variables = [variable.value for variable in model.trainable_variables]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(example_losses(labels, model(features, training=True))) / rows
    gradients = tape.gradient(loss, variables)
    if combine:
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(RATE * gradient)
    return loss


@dataclass(frozen=True)
class _Step:
    """A traced step: call it to take one; `tracing` is how long the first call took (seconds)."""

    take: Callable[[], tuple[tf.Tensor, ...]]
    tracing: float
    later: float
    """Seconds of a later call, to plan with."""


@dataclass(frozen=True)
class _Block:
    """Some steps in a row: milliseconds a step, cores this process used, cores others used."""

    milliseconds: float
    own: float
    foreign: float | None

    def rounded(self) -> list[float | None]:
        """For a file: more digits would be noise."""
        foreign = None if self.foreign is None else round(self.foreign, 3)
        return [float(f"{self.milliseconds:.5g}"), round(self.own, 3), foreign]


class _Lab:
    """Strategies over the devices of this process, and a model under each."""

    def __init__(self, size: str, replicas: Sequence[int], *, one_core: bool) -> None:
        self.size = SIZES[size]
        gpus = len(tf.config.list_physical_devices("GPU"))
        self.counts = tuple(n for n in replicas if not gpus or n <= gpus)
        largest = devices.prepare(max(self.counts), one_core and not gpus)
        self.names = largest.names
        self.pinned = one_core and not gpus
        tf.config.list_logical_devices()  # start every thread before any is pinned
        self.cores = _allowed_cores()
        self.models: dict[int, tuple[tf.distribute.Strategy, keras.Model]] = {}
        for count in self.counts:
            strategy = tf.distribute.MirroredStrategy(
                list(self.names[:count]),
                cross_device_ops=None if gpus else tf.distribute.ReductionToOneDevice(),
            )
            with strategy.scope():
                self.models[count] = strategy, _build(self.size.hidden)
        data = datasets.load("synthetic")
        self.dealt: dict[tuple[int, int], Iterator[Any]] = {}
        self.rows = tf.constant(preprocess.fit(data.x_train).apply(data.x_train))
        self.labels = tf.constant(data.y_train)

    def prepare(self, setting: Setting) -> _Step:
        """Trace a setting's step: its first call, and three more."""
        strategy, model = self.models[setting.replicas]
        combine = setting.variant in ("full", "ready input")
        dealt = self._dealt(setting)

        def on_each(batch: Any) -> tf.Tensor:
            return strategy.run(
                lambda *part: replica_step(model, part, float(setting.batch), combine=combine),
                args=batch,
            )

        @tf.function(autograph=False)
        def step(batches: Any) -> tuple[tf.Tensor, ...]:
            return strategy.experimental_local_results(on_each(next(batches)))

        @tf.function(autograph=False)
        def step_on(batch: Any) -> tuple[tf.Tensor, ...]:
            return strategy.experimental_local_results(on_each(batch))

        if setting.variant in ("full", "no all-reduce"):

            def take() -> tuple[tf.Tensor, ...]:
                return step(dealt)
        else:
            ready = next(dealt)

            def take() -> tuple[tf.Tensor, ...]:
                return step_on(ready)

        tracing, *later = (_seconds(take, 1) for _ in range(4))
        return _Step(take, tracing, min(later))

    def time_block(self, setting: Setting, step: _Step, seconds: float) -> _Block:
        """Take steps for about so long, at least two."""
        if self.pinned:
            _pin(self.cores[: setting.replicas])
        times = max(2, round(seconds / step.later))
        busy, own = _busy(), time.process_time()
        wall = _seconds(step.take, times)
        own = time.process_time() - own
        foreign = None
        if busy is not None and (after := _busy()) is not None:
            foreign = max(0.0, (after - busy - own) / wall)
        return _Block(1000 * wall / times, own / wall, foreign)

    def _dealt(self, setting: Setting) -> Iterator[Any]:
        """The batches of a strategy, dealt to its replicas; one iterator for each batch size."""
        key = setting.replicas, setting.batch
        if key not in self.dealt:
            strategy, _ = self.models[setting.replicas]
            batches = strategy.experimental_distribute_dataset(self._batches(setting.batch))
            self.dealt[key] = iter(batches)
        return self.dealt[key]

    def _batches(self, batch: int) -> tf.data.Dataset:
        """Global batches of (scaled rows, labels), for ever, gathered as a run gathers them."""
        order = np.random.default_rng(0).permutation(len(self.rows))

        def with_values(rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return tf.gather(self.rows, rows), tf.gather(self.labels, rows)

        numbers = tf.data.Dataset.from_tensor_slices(order).repeat()
        return numbers.batch(batch, drop_remainder=True).map(with_values)


class _Progress:
    """Lines in a file of the answer's folder: for the page, and a sign of life for the watch."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / PROGRESS_NAME

    def __call__(self, what: str, setting: Setting, share: float) -> None:
        line = {"what": what, "replicas": setting.replicas, "share": round(share, 3)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _build(hidden: Sequence[int]) -> keras.Model:
    layers = [keras.layers.Dense(units, activation="relu") for units in hidden]
    return keras.Sequential([keras.Input((FEATURES,)), *layers, keras.layers.Dense(1)])


def _turns(count: int, deadline: float) -> Iterator[tuple[float, int]]:
    """(share done, which setting): there and back again, so that drift cancels."""
    for turn in range(ROUNDS):
        if turn >= LEAST_ROUNDS and time.perf_counter() > deadline:
            return
        order = range(count) if turn % 2 == 0 else reversed(range(count))
        for at, number in enumerate(order):
            yield (turn + at / count) / ROUNDS, number


def _seconds(take: Callable[[], tuple[tf.Tensor, ...]], times: int) -> float:
    """How long so many steps take, the last one's result on the host included."""
    began = time.perf_counter()
    for _ in range(times):
        losses = take()
    for loss in losses:
        loss.numpy()
    return time.perf_counter() - began


def _allowed_cores() -> list[int]:
    """The cores this process may use; only their number counts where they cannot be chosen."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _pin(cores: Sequence[int]) -> None:
    """Keep all threads of this process on these cores. Does nothing where that is not possible."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError):  # it may have ended
            os.sched_setaffinity(int(thread), cores)


def _busy() -> float | None:
    """CPU seconds of all cores of the machine that were not idle; None where nobody says."""
    with suppress(OSError, ValueError):
        line = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, line.split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return None


def _cpu_name() -> str:
    """The processor's name, as the system gives it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
