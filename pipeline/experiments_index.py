"""The experiments there are, read from their source: for whoever checks a bank or draws a page.

    python -m pipeline.experiments_index > names
    python -m quiz check --experiments names quiz/bank.yaml

Carrying one out is a question for `pipeline.answers`: the task `experiment` with its `name`.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "trainer/experiments"


@dataclass(frozen=True)
class Listed:
    """One experiment: its name, the claim it decides, and whether it can decide it."""

    name: str
    claim: str
    testable: bool


@functools.cache
def experiments() -> tuple[Listed, ...]:
    """All experiments, in the order of the files."""
    return tuple(
        _listed(node)
        for path in sorted(FOLDER.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Experiment"
    )


@functools.cache
def names() -> frozenset[str]:
    """The names that `evidence` in a question bank may use."""
    return frozenset(experiment.name for experiment in experiments())


def question(name: str) -> dict[str, Any]:
    """The arguments that ask `pipeline.answers` for an experiment."""
    return {"name": name}


def _listed(node: ast.Call) -> Listed:
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    holds = given["holds"]
    undecided = isinstance(holds, ast.Constant) and holds.value is None
    return Listed(ast.literal_eval(node.args[0]), ast.literal_eval(given["claim"]), not undecided)


if __name__ == "__main__":
    print("\n".join(sorted(names())))
