"""Keras's progress lines as text, read: how long a step took, epoch by epoch.

    read("350/350 [=====] - 120s 342ms/step - loss: 61.0").steady     # 0.342 seconds

Reads what `fit` prints in Keras 2 and 3. Only complete lines count (`350/350`).
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6}
LINE = re.compile(
    r"(?P<done>\d+)/(?P<of>\d+)\s*(?:\[[=>.]*\]|[━─\s]*)\s*-?\s*"
    r"(?P<whole>\d+)\s*s\b(?:\s+(?P<each>\d+)\s*(?P<unit>s|ms|us|µs|μs)/(?:step|epoch))?"
)
COLOUR = re.compile(r"\x1b?\[[0-9;]*m")
"""What a terminal takes as a colour, in a log that was kept."""
SLOWER = 1.5
"""A first epoch that takes so many times as long as the next holds more than training."""


class ProgressError(ValueError):
    """Text without a complete progress line."""


@dataclass(frozen=True)
class Epoch:
    """One epoch: its steps, the seconds of a step, and how far rounding may be off (seconds)."""

    steps: int
    step_seconds: float
    rounding: float


@dataclass(frozen=True)
class Progress:
    """The epochs that were printed, in order."""

    epochs: tuple[Epoch, ...]

    @property
    def later(self) -> tuple[Epoch, ...]:
        """The epochs after the first, or the first when it is the only one."""
        return self.epochs[1:] or self.epochs

    @property
    def steady(self) -> float:
        """Seconds of a step without the tracing: the median of the later epochs."""
        return statistics.median(epoch.step_seconds for epoch in self.later)

    @property
    def rounding(self) -> float:
        """How far `steady` may be off because Keras rounds what it prints, in seconds."""
        return statistics.median(epoch.rounding for epoch in self.later)

    @property
    def steps(self) -> int:
        """Steps of an epoch."""
        return self.epochs[-1].steps

    @property
    def only_one(self) -> bool:
        """Whether there is but one epoch, so that the first step's tracing is in its time."""
        return len(self.epochs) == 1

    @property
    def first_slower(self) -> float | None:
        """How many times as long a step of the first epoch took, where that is remarkable."""
        times = self.epochs[0].step_seconds / self.steady
        return times if not self.only_one and times >= SLOWER else None


def read(text: str) -> Progress:
    """Read pasted text. Raises ProgressError when no line of it is a finished epoch's."""
    found = []
    for match in LINE.finditer(COLOUR.sub("", text)):
        steps = int(match["of"])
        if match["done"] != match["of"] or steps == 0:
            continue
        of_whole = int(match["whole"]) / steps, 0.5 / steps
        if match["each"]:
            unit = UNITS[match["unit"]]
            printed = int(match["each"]) * unit, 0.5 * unit
            # The finer of the two: 40 steps in 1 s say less than 24 ms/step, 4,000 in 96 s more.
            seconds, rounding = min(printed, of_whole, key=lambda told: told[1])
        else:
            seconds, rounding = of_whole
        if seconds > 0:
            found.append(Epoch(steps, seconds, rounding))
    if not found:
        raise ProgressError(
            "no finished epoch in the text: a line must look like"
            " “350/350 [=====] - 120s 342ms/step”"
        )
    return Progress(tuple(found))
