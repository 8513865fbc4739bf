"""`python -m benchmarks.training`: a recorded run beside a cold script, Keras `fit`, a bare loop.

Each round does all four one after another, in turning order, so that what the machine does
meanwhile meets all of them; figures are medians over the calm rounds' own ratios. Runs go through
`Runs` and the warm trainer as in the app, but with the priority that their opponents have.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.progress import say
from pipeline.config import RunConfig
from pipeline.events import Epoch, RunFinished
from pipeline.launch import ROOT, ForkingTrainer
from pipeline.runs import Runs

FEWEST = 3
"""Rounds that are kept: all calm ones, or the three calmest."""
ROUNDS, SECONDS = 8, 100.0
"""Rounds at most, and no new one after so many seconds."""
OWNER = secrets.token_hex(8)
Timing = dict[str, float]


class Warm:
    """Lockstep's side: `Runs` over a warm trainer, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.trainer = ForkingTrainer(folder / "trainer.log")
        self.runs = Runs(folder / "runs", self.trainer)
        self.runs.open()
        assert self.trainer.ready.wait(60), "the trainer did not start"

    def run(self) -> Timing:
        """One default run: request to first step, to the end, and what it says of itself."""
        cpu = machine.children_cpu(self.trainer.pid)
        asked = time.perf_counter()
        run_id = self.runs.start(RunConfig(), OWNER)
        log = self.runs.log_path(run_id)
        while not (log.exists() and b'{"event":"step"' in log.read_bytes()):
            time.sleep(0.002)
        first = time.perf_counter() - asked
        assert self.runs.wait(run_id, 120).state == "finished"
        total = time.perf_counter() - asked
        events = self.runs.events(run_id)
        assert isinstance(events[-1], RunFinished)
        assert events[-1].seconds is not None
        return {
            "run_first_step": first,
            "run": events[-1].seconds,
            "run_total": total,
            "run_cpu": machine.children_cpu(self.trainer.pid) - cpu,
            "run_after_first_epoch": sum(e.seconds for e in events if isinstance(e, Epoch)),
        }

    def private_megabytes(self) -> float:
        """The most private memory of a default run's process, looked at every 20 ms."""
        run_id = self.runs.start(RunConfig(), OWNER)
        largest = 0.0
        while not self.runs.get(run_id).ended:
            for child in machine.children(self.trainer.pid):
                with contextlib.suppress(OSError):
                    largest = max(largest, machine.private_megabytes(child))
            time.sleep(0.02)
        return largest

    def close(self) -> None:
        """Leave no process behind."""
        self.runs.close()


class Plain:
    """The opponents' side: `benchmarks.plain_training`, as warm as the trainer."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.plain_training"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answer()

    def train(self, how: str) -> Timing:
        """`fit` or `bare`, in a forked process."""
        asked = time.perf_counter()
        assert self.process.stdin is not None
        print(how, file=self.process.stdin, flush=True)
        told = self._answer()
        total = time.perf_counter() - asked
        return {how: told["seconds"], f"{how}_total": total, f"{how}_cpu": told["cpu"]}

    def close(self) -> None:
        """End of its input is its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def cold() -> Timing:
    """The plain script in a fresh Python, from its start to the line after its first step."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.plain_step"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline(), "the plain script failed"
        return {"cold_first_step": time.perf_counter() - began}


def turning(things: list[Callable[[], Timing]]) -> Iterator[list[Callable[[], Timing]]]:
    """The things in an order that changes from round to round."""
    ends = time.monotonic() + SECONDS
    for turn in range(ROUNDS):
        if turn >= FEWEST and time.monotonic() > ends:
            return
        start = turn % len(things)
        yield things[start:] + things[:start]


def measure() -> dict[str, Any]:
    """All figures of this file, and each round's timings."""
    with tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder:
        warm, plain = Warm(Path(folder)), Plain()
        try:
            things = [warm.run, lambda: plain.train("fit"), lambda: plain.train("bare"), cold]
            for thing in things[:3]:
                thing()  # files read once, caches warm
            told: list[Timing] = []
            for number, order in enumerate(turning(things), start=1):
                before = machine.Moment.now()
                timing: Timing = {}
                for thing in order:
                    timing |= thing()
                timing["foreign"] = before.foreign_load(machine.Moment.now())
                told.append(timing)
                say(f"training {number} of {ROUNDS}: " + _short(timing))
            memory = [warm.private_megabytes() for _ in range(3)]
        finally:
            plain.close()
            warm.close()
    calm = [t for t in told if t["foreign"] <= machine.CALM]
    if len(calm) < FEWEST:
        calm = sorted(told, key=lambda t: t["foreign"])[:FEWEST]

    def ratio(one: str, other: str) -> float:
        return statistics.median(timing[one] / timing[other] for timing in calm)

    return {
        "first_step_ratio": ratio("run_first_step", "cold_first_step"),
        "run_vs_fit_ratio": ratio("run", "fit"),
        "run_vs_bare_ratio": ratio("run", "bare"),
        "run_private_mb": statistics.median(memory),
        "foreign_load": statistics.mean(timing["foreign"] for timing in told),
        "detail": {
            "run_vs_fit_ratio_request_to_end": ratio("run_total", "fit_total"),
            "run_vs_fit_ratio_cpu": ratio("run_cpu", "fit_cpu"),
            "run_vs_bare_ratio_cpu": ratio("run_cpu", "bare_cpu"),
            "rounds": len(told),
            "rounds_kept": len(calm),
            "median_seconds": {
                name: statistics.median(timing[name] for timing in calm) for name in calm[0]
            },
        },
    }


def _short(timing: Timing) -> str:
    names = ("run_first_step", "cold_first_step", "run", "fit", "bare", "foreign")
    return ", ".join(f"{name} {timing[name]:.2f}" for name in names)


if __name__ == "__main__":
    print(json.dumps(measure()))
