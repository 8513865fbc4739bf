"""A measurement of `trainer.scaling`, read: how long a step takes, its parts, its speed-up.

Times are milliseconds; each setting's is the median of its calm blocks, those during which other
programs used little of the machine. No words here, no TensorFlow.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from pipeline.answers import Answers
from pipeline.scaling_plan import SIZES, TASK, Mode, Size, Variant, recorded_question

CALM = 0.15
"""A block is calm while others use at most this share of the machine's cores."""
ENOUGH = 3
"""Calm blocks of every whole step that a verdict needs."""
COLUMNS = (
    *("model", "one_core_each", "made", "scaling", "replicas", "variant", "global_batch"),
    *("tracing_s", "block", "ms_per_step", "own_cores", "foreign_cores"),
)
"""The columns of the CSV; a row is one block."""
CLEAR = 0.05
"""Times closer than this, relative to each other, are called the same."""


@dataclass(frozen=True)
class Timing:
    """One setting's blocks: milliseconds a step, and the load that stood beside them."""

    batch: int
    tracing_seconds: float
    blocks: tuple[tuple[float, float, float | None], ...]
    """Of each block: milliseconds a step, cores of our own, cores of others (None: unknown)."""
    cores: int

    @cached_property
    def calm(self) -> list[tuple[float, float, float | None]]:
        """The blocks that other programs left alone."""
        return [block for block in self.blocks if (block[2] or 0.0) <= CALM * self.cores]

    @cached_property
    def _kept(self) -> list[float]:
        """The calm blocks' times; all of them when fewer than `ENOUGH` are calm."""
        chosen = self.calm if len(self.calm) >= ENOUGH else self.blocks
        return sorted(block[0] for block in chosen)

    @property
    def milliseconds(self) -> float:
        """The median."""
        return statistics.median(self._kept)

    @property
    def low(self) -> float:
        """A quarter of the blocks were faster."""
        return _quartiles(self._kept)[0]

    @property
    def high(self) -> float:
        """A quarter of the blocks were slower."""
        return _quartiles(self._kept)[1]

    @property
    def own(self) -> float:
        """Cores this process used, the median over all blocks."""
        return statistics.median(block[1] for block in self.blocks)

    @property
    def foreign(self) -> float | None:
        """Cores others used, the median over all blocks; None where the system does not say."""
        told = [block[2] for block in self.blocks if block[2] is not None]
        return statistics.median(told) if told else None


@dataclass(frozen=True)
class Parts:
    """A whole step in milliseconds, and what it is made of.

    `compute` is the step without all-reduce and with its input ready; `all_reduce` and `input`
    are what a whole step saves without the one or with the other. `rest` is what the three leave
    unexplained: negative when parts overlap, so that their sum is more than the whole.
    """

    whole: float
    compute: float
    all_reduce: float
    input: float

    @property
    def rest(self) -> float:
        """What is left of the whole."""
        return self.whole - self.compute - self.all_reduce - self.input

    def share(self, part: str) -> float:
        """One part of the whole step, 1 being all of it."""
        return float(getattr(self, part)) / self.whole


@dataclass(frozen=True, eq=False)
class Measurement:
    """All that one measurement found. `key` names its answer; "" for a recorded one."""

    size_name: str
    one_core: bool
    made: str
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    timings: Mapping[tuple[Mode, int, Variant], Timing]
    result: Mapping[str, Any]
    """As the trainer told it, for a file."""
    key: str = ""

    @classmethod
    def read(cls, result: Mapping[str, Any], key: str = "") -> Measurement:
        """From what `trainer.scaling` returned. Raises KeyError when it is something else."""
        cores = result["machine"]["cores"]
        return cls(
            size_name=result["size"],
            one_core=result["one_core"],
            made=result["made"],
            machine=result["machine"],
            versions=result["versions"],
            timings={
                (one["mode"], one["replicas"], one["variant"]): Timing(
                    one["batch"],
                    one["tracing_seconds"],
                    tuple((ms, own, foreign) for ms, own, foreign in one["blocks"]),
                    cores,
                )
                for one in result["settings"]
            },
            result=result,
            key=key,
        )

    @property
    def size(self) -> Size:
        """The model and its batch."""
        return SIZES[self.size_name]

    @property
    def cores(self) -> int:
        """Cores the measuring process was allowed to use."""
        return int(self.machine["cores"])

    @property
    def on_gpus(self) -> bool:
        """Whether the devices were GPUs."""
        return str(self.machine["devices"][0]).startswith("GPU")

    @property
    def replicas(self) -> list[int]:
        """The numbers of replicas that were measured."""
        return sorted({n for mode, n, _ in self.timings if mode == "strong"})

    def step(self, mode: Mode, replicas: int) -> Timing:
        """A whole step. With one replica strong and weak are the same."""
        return self.timings["strong" if replicas == 1 else mode, replicas, "full"]

    def ideal(self, mode: Mode, replicas: int) -> float:
        """Milliseconds if replicas cost nothing: a share of one replica's time, or the same."""
        one = self.step("strong", 1).milliseconds
        return one / replicas if mode == "strong" else one

    def parts(self, replicas: int) -> Parts:
        """What a step of the same global batch is made of."""
        full, without, ready, bare = (
            self.timings["strong", replicas, variant].milliseconds
            for variant in ("full", "no all-reduce", "ready input", "bare")
        )
        return Parts(full, bare, full - without, full - ready)

    def speed_up(self, mode: Mode, replicas: int) -> float:
        """Examples a second, as a multiple of one replica's."""
        one, many = self.step("strong", 1), self.step(mode, replicas)
        return (many.batch / many.milliseconds) / (one.batch / one.milliseconds)

    def efficiency(self, mode: Mode, replicas: int) -> float:
        """Speed-up for each replica; 1 is ideal."""
        return self.speed_up(mode, replicas) / replicas

    @property
    def steps(self) -> list[Timing]:
        """Every whole step."""
        return [timing for (_, _, variant), timing in self.timings.items() if variant == "full"]

    @property
    def foreign(self) -> float | None:
        """Cores that other programs used meanwhile: the median over the whole steps."""
        told = [timing.foreign for timing in self.steps if timing.foreign is not None]
        return statistics.median(told) if told else None

    @property
    def is_calm(self) -> bool:
        """Whether every whole step has enough calm blocks for a verdict."""
        return all(len(timing.calm) >= ENOUGH for timing in self.steps)

    @property
    def verdict(self) -> str:
        """What two replicas do to the time of a step at the same global batch.

        `faster`, `slower`, `same`, or `refused` when other programs used too much of the machine.
        """
        if not self.is_calm:
            return "refused"
        one, two = self.step("strong", 1), self.step("strong", 2)
        gain = 1 - two.milliseconds / one.milliseconds
        overlap = one.low <= two.high and two.low <= one.high
        if overlap or abs(gain) <= CLEAR:
            return "same"
        return "faster" if gain > 0 else "slower"

    @property
    def day(self) -> str:
        """The day it was made: `30 November 2026`."""
        made = datetime.fromisoformat(self.made)
        return f"{made.day} {made:%B %Y}"

    @property
    def clock(self) -> str:
        """The time it was made, UTC: `14:05`."""
        return f"{datetime.fromisoformat(self.made):%H:%M}"

    def as_csv(self) -> str:
        """Every block as a row, with units in the header."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        for (mode, replicas, variant), timing in self.timings.items():
            for number, (ms, own, foreign) in enumerate(timing.blocks, 1):
                about = [self.size_name, self.one_core, self.made, mode, replicas, variant]
                times = [timing.batch, f"{timing.tracing_seconds:.3f}", number, ms, own]
                rows.writerow([*about, *times, "" if foreign is None else foreign])
        return out.getvalue()


def recorded(answers: Answers, size: str) -> Measurement | None:
    """The measurement of this model that ships, if there is one."""
    answer = answers.recorded(TASK, recorded_question(size))
    return None if answer is None else Measurement.read(answer.result)


def _quartiles(times: Sequence[float]) -> tuple[float, float]:
    if len(times) < 2:
        return times[0], times[0]
    low, _, high = statistics.quantiles(times, n=4, method="inclusive")
    return low, high
