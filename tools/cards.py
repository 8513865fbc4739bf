"""`python -m tools.cards [WORD...]`: what TensorFlow does with the cards of Break it.

Runs every card whose slug holds one of the words (all without words) and prints a table as
Markdown. Exit status 1 when TensorFlow contradicts a card; each contradiction is named on
standard error.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import cards
from pipeline.cards import Choice, Ended
from tools import evidence

Results = Mapping[str, Mapping[str, Any]]


def problems(chosen: Iterable[Choice], results: Results) -> list[str]:
    """Where a program did not do what its card claims, or the other run proves nothing."""
    found = []
    for choice in chosen:
        result = results[choice.name]
        here, other = Ended.read(result), Ended.read(result["control"])
        if here.verdict != choice.verdict or not result["holds"]:
            found.append(f"{choice.name} claims {choice.verdict}, but: {here.saw}")
        if choice.verdict != "fine" and other.verdict != "fine":
            found.append(f"{choice.name}: the repair is {other.verdict}: {other.saw}")
        if choice.verdict == "fine" and other.verdict == "fine":
            found.append(f"{choice.name}: the comparison is fine as well")
        if len(evidence.differing(result["call"], result["control"]["call"])) != 1:
            found.append(f"{choice.name}: the other run does not change one thing")
    return found


def table(chosen: Iterable[Choice], results: Results) -> str:
    """One row for each choice of each card."""
    rows = [
        "| card | claim | what TensorFlow did | the other run | seconds |",
        "|---|---|---|---|--:|",
    ]
    for choice in chosen:
        result = results[choice.name]
        other = Ended.read(result["control"])
        cells = (
            choice.name.removeprefix("card-"),
            choice.verdict,
            result["saw"],
            f"{result['control']['what']} {other.verdict}",
            f"{result['seconds']:.1f}",
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, compare."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    chosen = [
        choice
        for choice in cards.choices()
        if not words or any(word in choice.name for word in words)
    ]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        results = evidence.carry_out([choice.name for choice in chosen], Path(folder))
    print(table(chosen, results))
    print(f"\n{len(chosen)} programs with another run each, {time.monotonic() - began:.0f} s.")
    found = problems(chosen, results)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
