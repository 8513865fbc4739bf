"""One rule for every program: two devices share the rows, and the result is what one device gets.

`watch` runs a program on two devices of this machine's CPU, then again on one, and compares. A
program that raises is an error, one that never ends hangs; one that ends and breaks the rule is a
silent mistake; what is left is fine.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments import workbench
from pipeline.trainer.experiments.workbench import Probe, homes, listed, shared, small_model

Program = Callable[..., Any]
"""Called with a `Bench` and its own arguments; returns a model, or results by name."""
Results = Mapping[str, np.ndarray]
UPDATE = "Update of the weights"
ROUNDING = 1e-4
"""Results closer than this part of their length differ by the order of addition only."""
STILL = 12.0
"""Seconds without work for the processor after which a program is said to hang.

Far more than a program takes: on a machine that is very busy one may stand still for a while.
"""
NO_WORK = 0.05
"""Processor seconds in that time that still count as none."""
LONGEST = 240
"""Letters of a message that are told."""


@dataclass(frozen=True)
class Difference:
    """One result on two devices beside the same on one device; lengths are Euclidean."""

    name: str
    times: float
    """Its length as a part of the one on one device."""
    off: float
    """The length of the difference as a part of the one on one device."""

    def in_words(self) -> str:
        """The factor if that is all, else how far off."""
        if self.off > 0.01 and abs(self.off - abs(self.times - 1)) < 0.002:
            return f"{self.name}: {self.times:.3g} times that of one device."
        return f"{self.name}: off by {100 * self.off:.2g} percent from that of one device."


@dataclass(frozen=True)
class ProgramSeen:
    """How a program ended and, if it did, what it left on two devices beside one device."""

    verdict: str
    """`error`, `hangs`, `silent` or `fine`."""
    seconds: float
    """On two devices, TensorFlow's preparation included."""
    raised: str | None = None
    printed: list[str] = field(default_factory=list)
    copies_on: list[str] = field(default_factory=list)
    """The device of each copy of the first weight; empty when no model came back."""
    copies_apart: float = 0.0
    """The largest difference between the copies of a variable."""
    rows_in_a_step: list[int] = field(default_factory=list)
    """For each replica that had rows; of the first step."""
    rows_on_one: list[int] = field(default_factory=list)
    """The same on one device."""
    differences: list[Difference] = field(default_factory=list)
    chance: float = ROUNDING
    """How far off a result may be, as a part of its length."""

    @property
    def broken(self) -> list[str]:
        """Each part of the rule that is broken, as a sentence."""
        found = []
        if self.rows_on_one and len(self.rows_in_a_step) == 1:
            found.append(f"A single device did everything: {shared(self.rows_in_a_step)}.")
        elif sum(self.rows_in_a_step) != sum(self.rows_on_one):
            had, rows = listed(self.rows_in_a_step), sum(self.rows_on_one)
            found.append(f"Nothing was shared out: of {rows} rows in a step, replicas had {had}.")
        if len(self.copies_on) > len(set(self.copies_on)):
            found.append(f"The copies share a device: {listed(self.copies_on)}.")
        if self.copies_apart:
            found.append(f"Copies of one variable differ by up to {self.copies_apart:.2g}.")
        return found + [one.in_words() for one in self.differences if one.off > self.chance]

    def in_words(self) -> str:
        """The end; of a program that came to it, all that breaks the rule, or that nothing does."""
        if self.verdict == "hangs":
            return (
                f"It did not end. After {self.seconds:.0f} seconds it was given up: no message, "
                f"and for {STILL:.0f} seconds the processor had nothing to do."
            )
        if self.raised:
            return f"It ended with {self.raised}"
        if self.broken:
            printed = f"It printed: {self.printed[0]}" if self.printed else "No warning."
            return " ".join(["No error.", printed, *self.broken])
        rows = f" Rows in a step: {shared(self.rows_in_a_step)}." if self.rows_in_a_step else ""
        apart = "chance" if self.chance > ROUNDING else "rounding"
        return f"No error.{rows} The result is what one device gets, apart from {apart}."


class Bench:
    """What a program works with, on so many devices: strategies, and a model with a probe in it."""

    def __init__(self, devices: int) -> None:
        self.devices = devices
        self._probe = Probe()
        self._strategy: Any = None
        self._start: list[np.ndarray] = []

    def make_strategy(self, *names: str) -> tf.distribute.MirroredStrategy:
        """A strategy over the named devices, or over the first ones there are."""
        self._strategy = tf.distribute.MirroredStrategy(
            [*names] or [f"CPU:{index}" for index in range(self.devices)],
            cross_device_ops=tf.distribute.ReductionToOneDevice(),
        )
        return self._strategy

    def build_model(self, *first: keras.layers.Layer) -> keras.Sequential:
        """20 numbers in, 1 out, always the same first weights; `first` are layers before these."""
        model = small_model(self._probe, *first)
        self._start = model.get_weights()
        return model

    @property
    def rows(self) -> list[int]:
        """For each replica that had rows, how many in the first step."""
        return [steps[0] for steps in self._probe.rows]

    def homes(self, model: keras.Model) -> list[str]:
        """The device of each copy of a model's first weight."""
        return homes(self._strategy, model)

    def gap(self, model: keras.Model) -> float:
        """The largest difference between the copies of a model's variables."""
        found = [0.0]
        for variable in model.weights:
            first, *others = self._strategy.experimental_local_results(variable.value)
            found += [float(np.abs(first.numpy() - other.numpy()).max()) for other in others]
        return max(found)

    def update(self, model: keras.Model) -> np.ndarray:
        """How far training moved the weights of a model, all in one row."""
        moved = zip(model.get_weights(), self._start, strict=True)
        return np.hstack([np.ravel(now - before) for now, before in moved])

    def results(self, returned: Any) -> Results:
        """Of a model: how far its variables moved and the optimizer's steps; else what it is."""
        if not isinstance(returned, keras.Model):
            return {name: np.asarray(value) for name, value in returned.items()}
        trained = {variable.path for variable in returned.trainable_variables}
        moved: dict[bool, list[np.ndarray]] = {True: [], False: []}
        values = zip(returned.weights, returned.get_weights(), self._start, strict=True)
        for variable, now, before in values:
            moved[variable.path in trained].append(np.ravel(now - before))
        found = {UPDATE: moved[True], "Change of the moving statistics": moved[False]}
        if getattr(returned, "optimizer", None) is not None:
            found["The optimizer's count of steps"] = [returned.optimizer.iterations.numpy()]
        return {name: np.hstack(parts) for name, parts in found.items() if parts}


def watch(*, program: Program, chance: float = ROUNDING, **given: Any) -> ProgramSeen:
    """Run a program on two devices, then on one, and compare.

    `chance` is how far off a result may be, as a part of its length, where numbers are drawn.
    """
    two, one = Bench(2), Bench(1)
    began = time.perf_counter()
    with workbench.told() as told:
        ended = wait_for(lambda: program(two, **given))
    seconds = round(time.perf_counter() - began, 2)
    if ended is None:
        return ProgramSeen("hangs", seconds)
    if isinstance(ended, Exception):
        return ProgramSeen("error", seconds, said(ended))
    (left,) = ended
    alone = one.results(program(one, **given))
    model = isinstance(left, keras.Model)
    seen = ProgramSeen(
        "fine",
        seconds,
        printed=told.printed,
        copies_on=two.homes(left) if model else [],
        copies_apart=two.gap(left) if model else 0.0,
        rows_in_a_step=two.rows,
        rows_on_one=one.rows,
        differences=compared(two.results(left), alone),
        chance=chance,
    )
    return replace(seen, verdict="silent") if seen.broken else seen


def compared(results: Results, alone: Results) -> list[Difference]:
    """Each result beside the one of the same name."""
    found = []
    for name, value in results.items():
        right = alone[name]
        if value.shape != right.shape:
            times = value.size / right.size
            found.append(Difference(name, times, abs(times - 1)))
            continue
        length = float(np.linalg.norm(right)) or 1.0
        off = float(np.linalg.norm(value - right))
        found.append(Difference(name, float(np.linalg.norm(value)) / length, off / length))
    return found


def wait_for(work: Callable[[], Any]) -> tuple[Any] | Exception | None:
    """Do the work in a thread: what it returned or raised; None when it hangs.

    It hangs once the process has had next to nothing to do for `STILL` seconds. Its thread is left
    behind, so the process must not live for long.
    """
    ended: list[tuple[Any] | Exception] = []

    def go() -> None:
        try:
            ended.append((work(),))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    since, used = time.monotonic(), time.process_time()
    while thread.is_alive():
        thread.join(0.1)
        now, using = time.monotonic(), time.process_time()
        if using - used > NO_WORK:
            since, used = now, using
        elif now - since > STILL:
            return None
    return ended[0]


def said(error: Exception) -> str:
    """The type of an exception and the line of its text that says what is wrong."""
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[0] == "in user code:":  # a traceback follows, the reason comes last
        reasons = [line.partition(": ")[2] for line in lines if re.match(r"\w+Error: ", line)]
        lines = reasons[-1:]
    elif len(lines) > 1 and lines[0].startswith("Exception encountered when calling"):
        lines = lines[1:]
    told = re.sub("0x[0-9a-f]+", "0x…", lines[0]) if lines else "(no text)"
    return f"{type(error).__name__}: {told if len(told) <= LONGEST else told[:LONGEST] + '…'}"
