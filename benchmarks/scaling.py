"""The scaling lab's measurement, repeated: how far its medians spread, and the shares of a step.

    python -m benchmarks.scaling                       # small and wide, three times each
    python -m benchmarks.scaling --size wide --times 5

Each repetition is the question that the page asks, in a process of its own, one after the other.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pipeline import scaling_plan
from pipeline.answers import Answers
from pipeline.launch import default_launcher
from pipeline.limits import Limits
from pipeline.recordings import MEASURED
from pipeline.scaling_plan import REPLICAS, SIZES, TASK
from pipeline.scaling_result import Measurement
from pipeline.workers import Workers

LONGEST = 600
"""Seconds after which a measurement is given up."""


def measured(size: str, times: int) -> list[Measurement]:
    """So many measurements of a model. Raises RuntimeError when one fails."""
    with tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder:
        launcher = default_launcher(Path(folder) / "trainer.log")
        workers = Workers(launcher, Limits(concurrent_runs=1))
        workers.open()
        try:
            answers = Answers(Path(folder) / "answers", workers)
            found = []
            for _ in range(times):
                asked = scaling_plan.question(size, REPLICAS, one_core=True)
                answer = answers.wait(answers.ask(TASK, asked).key, LONGEST)
                if answer is None or answer.state != "done":
                    raise RuntimeError(f"{size}: {answer}")
                found.append(Measurement.read(answer.result))
            return found
        finally:
            workers.close()


def table(found: Sequence[Measurement]) -> str:
    """Per number of replicas: the medians, how far they spread, shares, others' load."""
    lines = ["replicas | ms a step | spread | compute | all-reduce | input | rest | others, cores"]
    for n in REPLICAS:
        steps = [one.step("strong", n) for one in found]
        times = [step.milliseconds for step in steps]
        middle = statistics.median(times)
        shares = [
            statistics.median(one.parts(n).share(part) for one in found)
            for part in ("compute", "all_reduce", "input", "rest")
        ]
        cells = [
            str(n),
            ", ".join(f"{ms:.3g}" for ms in times),
            f"{(max(times) - min(times)) / middle:.0%}",
            *(f"{share:.0%}" for share in shares),
            ", ".join("?" if s.foreign is None else f"{s.foreign:.2f}" for s in steps),
        ]
        lines.append(" | ".join(cells))
    verdicts = ", ".join(one.verdict for one in found)
    return "\n".join([*lines, f"verdicts: {verdicts}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--size", choices=tuple(SIZES), help="only this model")
    parser.add_argument("--times", type=int, default=3, help="repetitions (default 3)")
    options = parser.parse_args(arguments)
    for size in (options.size,) if options.size else MEASURED:
        print(f"{size}, batch {SIZES[size].batch:,}, one core for each device")
        print(table(measured(size, options.times)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
