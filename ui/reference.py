"""The reference example: five epochs of the document this lesson grew from, from no run here."""

from __future__ import annotations

import functools
from typing import NamedTuple

import yaml

from pipeline.observe import Numbers, observe
from ui.words import FOLDER

FILE = FOLDER.parent / "reference.yaml"


class ReferenceEpoch(NamedTuple):
    """One of its epochs; the observation is ours, derived from its numbers."""

    epoch: int
    loss: float
    accuracy: float
    observation: str


@functools.cache
def epochs() -> tuple[ReferenceEpoch, ...]:
    """The five epochs, in order."""
    found = []
    before: Numbers | None = None
    for number, given in enumerate(yaml.safe_load(FILE.read_text(encoding="utf-8"))["epochs"], 1):
        now = Numbers(float(given["loss"]), float(given["accuracy"]), None, None)
        found.append(ReferenceEpoch(number, given["loss"], given["accuracy"], observe(before, now)))
        before = now
    return tuple(found)
