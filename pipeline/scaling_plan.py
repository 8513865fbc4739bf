"""What the scaling lab measures: which models, how many replicas, which variants of a step.

Shared by the trainer (`trainer.scaling`, `trainer.rate_rule`) and by whoever asks or reads the
answer (`pipeline.scaling_result`, `pipeline.rate_rule`). No TensorFlow here.
"""

from __future__ import annotations

import itertools
import secrets
from dataclasses import dataclass
from typing import Any, Literal

TASK = "scaling"
Mode = Literal["strong", "weak"]
"""strong: the global batch stays the same; weak: the rows of each replica stay the same."""
Variant = Literal["full", "no all-reduce", "ready input", "bare"]
"""A whole step; the same without one part; `bare` is without both."""
VARIANTS: tuple[Variant, ...] = ("full", "no all-reduce", "ready input", "bare")
REPLICAS = (1, 2, 4, 8)
FEATURES = 20
"""Columns of the synthetic data, on which every model here is timed."""
SECONDS = 30.0
"""Time for the steps that count; preparing them comes on top."""
ROUNDS = 7
"""Every setting is timed so many times, in turn with all others."""


Way = Literal["base", "same", "scaled", "warm"]
WAYS: tuple[Way, ...] = ("base", "same", "scaled", "warm")
"""The trainings of the learning-rate rule: the batch and rate of one device; the large batch with
the same rate, with n times the rate, and with n times the rate after a warm-up."""
EPOCHS = 10
"""Epochs of each of them."""
WARM_EPOCHS = 2
"""Epochs in which a warm-up reaches the full rate."""


@dataclass(frozen=True)
class Size:
    """A model of three Dense layers, and the rows of its global batch on one replica."""

    hidden: tuple[int, ...]
    batch: int

    @property
    def parameters(self) -> int:
        """Weights and biases, with `FEATURES` inputs and one output."""
        widths = (FEATURES, *self.hidden, 1)
        return sum(a * b + b for a, b in itertools.pairwise(widths))

    @property
    def gradient_bytes(self) -> int:
        """One gradient as 32-bit floats."""
        return 4 * self.parameters


SIZES: dict[str, Size] = {
    "small": Size((64, 32), 256),
    "medium": Size((256, 256), 1024),
    "wide": Size((1024, 1024), 2048),
}
"""`small` is the lesson's own model with its usual batch."""


@dataclass(frozen=True)
class Setting:
    """One thing that is timed: `batch` rows in a step, over all `replicas`."""

    mode: Mode
    replicas: int
    variant: Variant
    batch: int


def settings(size: str, replicas: tuple[int, ...]) -> list[Setting]:
    """Everything one measurement times, in order.

    With one replica nothing is combined, but the all-reduce is called all the same: its cost is
    then what calling it costs. Weak scaling is timed as whole steps only.
    """
    batch = SIZES[size].batch
    found = [Setting("strong", n, variant, batch) for n in replicas for variant in VARIANTS]
    found += [Setting("weak", n, "full", batch * n) for n in replicas if n > 1]
    return found


def question(size: str, replicas: tuple[int, ...], *, one_core: bool) -> dict[str, Any]:
    """The arguments of a new measurement: no two are the same question."""
    return {
        "size": size,
        "replicas": list(replicas),
        "one_core": one_core,
        "seconds": SECONDS,
        "token": secrets.token_hex(6),
    }


def recorded_question(size: str) -> dict[str, Any]:
    """The arguments of the measurement of this model that ships."""
    return {**question(size, REPLICAS, one_core=True), "token": "recorded"}
