"""`python benchmarks/live.py`: how live the lesson is, measured side by side in one run.

Prints a table; with `--json` one JSON object on standard output and nothing else there. Progress
goes to standard error. Takes four minutes. What each figure means: docs/benchmarks.md. The parts
are modules of this folder that run in a process of their own; `--part drawing` runs one alone.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks.progress import say  # noqa: E402

PARTS = ("training", "drawing", "viewers")
VERSIONS = ("tensorflow-cpu", "tensorflow", "keras", "streamlit", "altair", "vl-convert-python")


class Figure(NamedTuple):
    """One measured number: its name, what it is in a few words, its aim if it has one."""

    name: str
    meaning: str
    aim: float | None = None


FIGURES = (
    Figure("first_step_ratio", "request to first step: warm trainer / cold plain script", 0.4),
    Figure("run_vs_fit_ratio", "recorded run of 5 epochs / plain Keras fit", 0.6),
    Figure("run_vs_bare_ratio", "the same / bare strategy.run loop, the limit (1)"),
    Figure("draw_p50_ms_500", "ms from written to drawn, 500 steps shown, median"),
    Figure("draw_p95_ms_500", "the same, 95th percentile", 60),
    Figure("fragment_p95_ms_500", "the same, st.altair_chart in a 0.25 s fragment"),
    Figure("bytes_per_update_500", "bytes of the stream for each step, 500 steps shown"),
    Figure("bytes_per_update_5000", "the same, 5,000 steps shown"),
    Figure("cpu_100_viewers", "cores of the server, 100 viewers, 4 updates a second", 0.5),
    Figure("lag_p95_ms_100_viewers", "ms from written to received, 95th percentile"),
    Figure("run_private_mb", "private memory of a run's process, MB", 100),
)
GROWTH = 1.05
"""`bytes_per_update_5000` may be this much of `bytes_per_update_500`: numbers grow a digit."""


def run_part(part: str) -> dict[str, Any]:
    """One part's figures, its foreign load in cores, and its details."""
    say(f"{part} ...")
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{part}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"benchmarks.{part} failed; the lines above say why")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measure(parts: tuple[str, ...]) -> dict[str, Any]:
    """Run the parts one after another; figures first, then what they were measured with."""
    told = {part: run_part(part) for part in parts}
    figures = {name: value for part in told.values() for name, value in part.items()}
    result: dict[str, Any] = {f.name: figures[f.name] for f in FIGURES if f.name in figures}
    result |= {
        "met": verdicts(result),
        "foreign_load": {part: figures["foreign_load"] for part, figures in told.items()},
        "machine": about(),
        "detail": {part: figures["detail"] for part, figures in told.items()},
    }
    return {name: rounded(value) for name, value in result.items()}


def verdicts(figures: dict[str, Any]) -> dict[str, bool]:
    """Which aims were met; of the figures that were measured."""
    met = {
        f.name: figures[f.name] <= f.aim for f in FIGURES if f.aim is not None and f.name in figures
    }
    if "bytes_per_update_5000" in figures:
        limit = GROWTH * figures["bytes_per_update_500"]
        met["bytes_per_update_5000"] = figures["bytes_per_update_5000"] <= limit
    return met


def about() -> dict[str, Any]:
    """When and on what."""
    versions = {}
    for name in VERSIONS:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **versions,
    }


def rounded(value: Any) -> Any:
    """The same with four significant digits: more would be noise."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def table(result: dict[str, Any]) -> str:
    """For a person: figure, value, aim, met or not."""
    lines = []
    for figure in FIGURES:
        if figure.name not in result:
            continue
        aim = "" if figure.aim is None else f"<= {figure.aim:g}"
        if figure.name == "bytes_per_update_5000":
            aim = "no growth"
        verdict = {True: "met", False: "missed", None: ""}[result["met"].get(figure.name)]
        value = f"{result[figure.name]:,.4g}"
        lines.append(f"{figure.name:<23}{value:>9}  {aim:<10}{verdict:<7} {figure.meaning}")
    loads = ", ".join(f"{part} {load:.2f}" for part, load in result["foreign_load"].items())
    lines.append(f"\nCores that others used meanwhile: {loads} (of {os.cpu_count()}).")
    return "\n".join(lines)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--part", choices=PARTS, help="only this part")
    options = parser.parse_args()
    result = measure((options.part,) if options.part else PARTS)
    print(json.dumps(result, indent=2) if options.json else table(result))


if __name__ == "__main__":
    main()
