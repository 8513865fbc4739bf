"""What the experiments share: devices, a little data, a small model, and a probe inside it.

Nothing here touches TensorFlow's devices when it is imported. The devices are always parts of the
CPU, with GPUs hidden, so that an experiment says the same on every machine.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
import tensorflow as tf

_random = np.random.default_rng(7)
ROWS = _random.normal(size=(1_024, 20)).astype(np.float32)
LABELS = (ROWS @ _random.normal(size=(20, 1)) / 4).astype(np.float32)
"""1,024 rows of 20 numbers, and for each a number that a model can learn to tell."""
START_UP = ("I0000 ", "I0001 ", "WARNING: All log messages before absl")
"""How TensorFlow's own lines begin that are no warnings."""


def lay_out(devices: int) -> None:
    """Make `devices` devices of this machine's CPU, once and first of all in a process."""
    tf.config.set_visible_devices([], "GPU")
    (cpu, *_) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * devices
    )
    tf.config.list_logical_devices("CPU")


def strategy_over(replicas: int) -> tf.distribute.MirroredStrategy:
    """A strategy over the first `replicas` devices."""
    return tf.distribute.MirroredStrategy(
        [f"CPU:{index}" for index in range(replicas)],
        cross_device_ops=tf.distribute.ReductionToOneDevice(),
    )


class Probe(keras.layers.Layer):
    """A layer that changes nothing and notes how many rows came by at which replica."""

    def __init__(self) -> None:
        super().__init__()
        self.supports_jit = False
        self._noted: dict[int, list[int]] = {}

    def call(self, rows: tf.Tensor) -> tf.Tensor:
        """Let the rows pass."""
        replica = tf.distribute.get_replica_context()
        if replica is not None:  # None while Keras builds the model, before there are rows
            count = [replica.replica_id_in_sync_group, tf.shape(rows)[0]]
            tf.py_function(self._note, count, [])
        return rows

    def _note(self, replica: tf.Tensor, rows: tf.Tensor) -> None:
        self._noted.setdefault(int(replica), []).append(int(rows))

    @property
    def rows(self) -> list[list[int]]:
        """For each replica that had rows, how many in each step."""
        return [steps for _, steps in sorted(self._noted.items()) if any(steps)]


def small_model(*first: keras.layers.Layer, units: int = 8) -> keras.Sequential:
    """20 numbers in, 1 out, always the same first weights; `first` are layers before the rest."""
    keras.utils.set_random_seed(3)
    layers = [keras.layers.Dense(units, "relu"), keras.layers.Dense(1)]
    return keras.Sequential([keras.Input((20,)), *first, *layers])


def homes(strategy: tf.distribute.Strategy, model: keras.Model) -> list[str]:
    """The device of each copy of the model's first weight."""
    found = strategy.experimental_local_results(model.trainable_variables[0].value)
    return [short(copy.device) for copy in found]


def short(device: str) -> str:
    """`CPU:0` for `/job:localhost/replica:0/task:0/device:CPU:0`."""
    return device.rpartition("device:")[2]


@dataclass
class Told:
    """What a program let be known: the exception that ended it, and the lines it printed."""

    raised: str | None = None
    printed: list[str] = field(default_factory=list)


@contextmanager
def told() -> Iterator[Told]:
    """Note what is raised (and go on) and what is printed, by Python or by TensorFlow itself."""
    found = Told()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        sys.stdout.flush()
        sys.stderr.flush()
        before = os.dup(1), os.dup(2)
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                yield found
        except Exception as error:
            found.raised = first_line(error)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for stream, old in zip((1, 2), before, strict=True):
                os.dup2(old, stream)
                os.close(old)
        file.seek(0)
        lines = [line.rstrip() for line in file]
        found.printed = [line for line in lines if line and not line.startswith(START_UP)]


def first_line(error: BaseException) -> str:
    """The type of an exception and the first line of its text."""
    text = re.sub("0x[0-9a-f]+", "0x…", str(error).strip())
    return f"{type(error).__name__}: {text.splitlines()[0] if text else '(no text)'}"


def listed(items: list[Any]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def shared(rows: list[int]) -> str:
    """The rows of each replica: `32 on each of 2 replicas`, `all 64 on one replica`."""
    if len(rows) == 1:
        return f"all {rows[0]:,} on one replica"
    if len(set(rows)) == 1:
        return f"{rows[0]:,} on each of {len(rows)} replicas"
    return f"{listed(rows)} on {len(rows)} replicas"


def count(number: int, what: str) -> str:
    """`1 copy`, `2 copies`."""
    plural = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return f"{number:,} {what if number == 1 else plural}"
