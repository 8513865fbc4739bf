"""The answer to the question `mirror`, read: copies, where they live, and bytes on each device.

`trainer.mirror` observes it in TensorFlow; this module asks for it and does the arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline import distribute, recordings
from pipeline.answers import Answer, Answers
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.step_records import Floats

TASK = "mirror"
MOST = 8
"""Replicas that a run may have at most."""


@dataclass(frozen=True)
class Variable:
    """One variable: its class in TensorFlow, the device of each copy, what each copy holds."""

    kind: str
    devices: tuple[str, ...]
    copies: tuple[Floats, ...]
    identical: bool
    """Whether all copies are equal, bit for bit."""

    @property
    def short_devices(self) -> tuple[str, ...]:
        """`CPU:0` for `/job:localhost/replica:0/task:0/device:CPU:0`."""
        return tuple(device.rsplit("device:", 1)[-1] for device in self.devices)


@dataclass(frozen=True)
class Needs:
    """Bytes that one device needs in a step."""

    replicas: int
    rows: int
    """The most rows that one replica gets."""
    weights: int
    gradients: int
    optimizer: int
    activations: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.gradients + self.optimizer + self.activations


@dataclass(frozen=True)
class MirrorAnswer:
    """The first weight matrix inside and outside the scope, and the bytes of each part."""

    inside: Variable
    outside: Variable
    weights: tuple[int, ...]
    optimizer: tuple[int, ...]
    gradients: int
    activations_per_row: int
    versions: Mapping[str, str]

    @classmethod
    def read(cls, result: Mapping[str, Any]) -> MirrorAnswer:
        """From what `trainer.mirror` returned. Raises KeyError when it is something else."""
        counted = result["bytes"]
        return cls(
            inside=_variable(result["inside"]),
            outside=_variable(result["outside"]),
            weights=tuple(counted["weights"]),
            optimizer=tuple(counted["optimizer"]),
            gradients=counted["gradients"],
            activations_per_row=counted["activations_per_row"],
            versions=dict(result["versions"]),
        )

    @property
    def replicas(self) -> int:
        """How many copies there are inside the scope."""
        return len(self.inside.devices)

    def needs(self, batch: int) -> list[Needs]:
        """What one device needs with 1 to `MOST` replicas, for global batches of `batch` rows.

        Weights, gradients and optimizer are whole on every device. Activations are those of the
        largest share of the batch.
        """
        found = []
        for replicas in range(1, MOST + 1):
            rows = distribute.shares(batch, replicas)[0]
            found.append(
                Needs(
                    replicas,
                    rows,
                    weights=max(self.weights),
                    gradients=self.gradients,
                    optimizer=max(self.optimizer),
                    activations=rows * self.activations_per_row,
                )
            )
        return found


def question(config: RunConfig, data: DataSet) -> dict[str, Any]:
    """What to ask for these settings and data."""
    return recordings.mirror_question(
        config.replicas,
        data.x_train.shape[1],
        data.output_units,
        config.optimizer,
        config.seed,
    )


def nearest_recorded(answers: Answers, asked: Mapping[str, Any]) -> tuple[Answer | None, bool]:
    """The recorded answer to show for want of another, and whether it answers just this question.

    Without one for these settings, the one for the recorded runs' data and as many replicas.
    """
    exact = answers.recorded(TASK, asked)
    if exact is not None:
        return exact, True
    return answers.recorded(TASK, recordings.recorded_mirror(asked["replicas"])), False


def _variable(told: Mapping[str, Any]) -> Variable:
    devices = tuple(told["devices"])
    held = {
        number: np.asarray(matrix["values"], dtype=np.float32)
        for matrix in told["matrices"]
        for number in matrix["copies"]
    }
    copies = tuple(held[number] for number in range(len(devices)))
    return Variable(told["kind"], devices, copies, len(told["matrices"]) == 1)
