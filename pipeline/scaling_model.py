"""What a step should take on more devices, foretold from its time on one.

    setup = Setup(batch=256, step_seconds=0.282, parameters=25_636_712, link=Link(31.5e9, 5.7e-6))
    setup.step(devices=8, rows=256).seconds        # weak scaling: rows a device stays
    setup.speed_up(8, weak=False)                  # strong scaling: the global batch stays

    step = compute(rows a device) + all-reduce - what of it is hidden + fixed overhead

Only the step on one device is measured; everything above one device is a prediction. What a model
leaves out (stragglers, input, kernels that are slower for few rows) it cannot foretell, which is
why `pipeline.published` sets it beside published measurements. Nothing is timed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.collectives import VALUE_BYTES, ring_seconds

BACKWARD = 2 / 3
"""Share of the computing that is the backward pass, which an all-reduce can hide behind.

It takes about twice the work of the forward pass: Kaplan and others (2020), arXiv 2001.08361,
section 2.1.
"""
REACHED = 0.8
"""Share of a link's nominal bandwidth that an all-reduce is assumed to reach. An assumption, the
same for every link; NCCL itself counts on 235 of an A100's 300 GB/s (NVIDIA/nccl,
src/graph/tuning.cc)."""
HIDDEN = 0.5
"""Share of the all-reduce that is assumed to hide behind the backward pass: an assumption."""
AGAIN = 0.5
"""Share of the fixed overhead that each further replica is assumed to pay again, since one process
launches them all. An assumption: on this lesson's two cores it was between 0.2 and 0.9."""
COUNTS = (1, 2, 4, 8)
"""Numbers of devices that are compared unless others are asked for."""


@dataclass(frozen=True)
class Link:
    """What connects the devices: bytes a second in one direction, and seconds a move on top."""

    bandwidth: float
    latency: float


@dataclass(frozen=True)
class Step:
    """The parts of one step, in seconds. `hidden` is the share of `all_reduce` nobody waits for."""

    compute: float
    all_reduce: float
    hidden: float
    overhead: float

    @property
    def waiting(self) -> float:
        """Seconds of the all-reduce that the step waits for."""
        return self.all_reduce - self.hidden

    @property
    def seconds(self) -> float:
        """The whole step."""
        return self.compute + self.waiting + self.overhead


@dataclass(frozen=True)
class Setup:
    """A step measured on one device, and the link to the others.

    `batch` rows took `step_seconds` there. `parameters` values are exchanged in each step, of
    `value_bytes` bytes each. `fixed` seconds of a step do not depend on the rows: they are part of
    `step_seconds`. Each further replica pays the share `again` of them once more, because under
    MirroredStrategy one process launches the work of all. Raises ValueError for what cannot be.
    """

    batch: int
    step_seconds: float
    parameters: float
    link: Link
    reached: float = REACHED
    hidden: float = HIDDEN
    fixed: float = 0.0
    again: float = AGAIN
    value_bytes: int = VALUE_BYTES

    def __post_init__(self) -> None:
        if self.batch < 1 or self.step_seconds <= 0 or self.parameters < 0:
            raise ValueError(
                "a setup needs a row, a step above 0 s and no fewer than 0 parameters, not "
                f"{self.batch}, {self.step_seconds} and {self.parameters}"
            )
        if not 0 <= self.fixed <= self.step_seconds:
            raise ValueError(
                f"the fixed overhead is part of the step's {self.step_seconds} s, not {self.fixed}"
            )
        shares = (self.reached, self.hidden, self.again)
        if not all(0 <= share <= 1 for share in shares) or self.reached == 0:
            raise ValueError(f"shares lie between 0 and 1, not {shares}")

    @property
    def row_seconds(self) -> float:
        """Seconds of computing for one row, from the one measured step."""
        return (self.step_seconds - self.fixed) / self.batch

    def step(self, devices: int, rows: float) -> Step:
        """One step of so many devices with `rows` rows each.

        The all-reduce is a ring's (see `collectives.ring_seconds`). What is hidden is its share
        `hidden`, but never more than the backward pass is long. Raises ValueError for no device.
        """
        compute = self.row_seconds * rows
        all_reduce = ring_seconds(
            self.value_bytes * self.parameters,
            devices,
            self.reached * self.link.bandwidth,
            self.link.latency,
        )
        return Step(
            compute=compute,
            all_reduce=all_reduce,
            hidden=min(self.hidden * all_reduce, BACKWARD * compute),
            overhead=self.fixed * (1 + self.again * (devices - 1)),
        )

    def scaled(self, devices: int, *, weak: bool, batch: int | None = None) -> Step:
        """Weak scaling keeps the rows of each device, strong scaling those of the global batch.

        `batch` is what one device would do alone; the measured batch without it. A batch that
        does not divide evenly takes as long as its largest share.
        """
        rows = self.batch if batch is None else batch
        return self.step(devices, rows if weak else math.ceil(rows / devices))

    def speed_up(self, devices: int, *, weak: bool, batch: int | None = None) -> float:
        """Rows a second on so many devices over rows a second on one."""
        alone = self.scaled(1, weak=weak, batch=batch).seconds
        together = self.scaled(devices, weak=weak, batch=batch).seconds
        return (devices if weak else 1) * alone / together

    def efficiency(self, devices: int, *, weak: bool, batch: int | None = None) -> float:
        """The speed-up as a share of the ideal one, which is the number of devices."""
        return self.speed_up(devices, weak=weak, batch=batch) / devices

    def crossover(
        self, counts: Sequence[int] = COUNTS, *, weak: bool = False, batch: int | None = None
    ) -> tuple[int, int] | None:
        """The first two neighbours in `counts` of which the larger handles fewer rows a second."""
        speed = [self.speed_up(count, weak=weak, batch=batch) for count in counts]
        for place in range(1, len(counts)):
            if speed[place] < speed[place - 1]:
                return counts[place - 1], counts[place]
        return None

    def batch_needed(self, few: int, many: int, most: int = 2**20) -> int | None:
        """The smallest power of two as global batch with which `many` devices beat `few`.

        Strong scaling. None when no batch up to `most` will do.
        """
        batch = 1
        while batch <= most:
            if (
                self.scaled(many, weak=False, batch=batch).seconds
                < self.scaled(few, weak=False, batch=batch).seconds
            ):
                return batch
            batch *= 2
        return None
