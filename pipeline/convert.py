"""The answer to `convert`, read: what became of the eight programs of Convert it, by optimizer.

`trainer.convert` runs them; this module says which of them are right, from what was observed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipeline.events import TOLERANCE
from pipeline.run_log import PROGRESS_NAME

TASK = "convert"
PARTS = ("build", "compile", "fit")
OPTIMIZERS = ("adam", "sgd")
REPLICAS = 2

Inside = tuple[str, ...]
"""Which of the parts are inside the scope, in the order of `PARTS`."""
CELLS: dict[str, Inside] = {
    letter: tuple(
        part for part, within in zip(PARTS, (build, compiled, fit), strict=True) if within
    )
    for letter, (fit, build, compiled) in zip(
        "ABCDEFGH", itertools.product((False, True), repeat=3), strict=True
    )
}
"""The letter of each cell of the board: A to D with `fit` outside, E to H with it inside."""
Verdict = Literal["right", "alone", "miscounts", "differs", "error"]
CAUSES = {
    "mixing": "Mixing different tf.distribute.Strategy objects",
    "need": "Need to be inside",
    "colocate": "`colocate_vars_with` must only be passed",
    "empty": "(no text)",
}
"""How the errors begin that the lesson has words for."""


@dataclass(frozen=True)
class Program:
    """One program and what it did. `loss_alone`: its final loss without any scope."""

    optimizer: str
    inside: Inside
    code: str
    raised: str | None
    """Type and first line of the exception that ended it."""
    copies_on: tuple[str, ...]
    rows: tuple[int, ...]
    """Of each replica in a step; nothing when no step was taken."""
    steps: int
    counted: int
    """Steps that the optimizer says it took."""
    loss: float | None
    """Of the last epoch; None after an error."""
    loss_alone: float | None
    printed: tuple[str, ...]
    """What the three lines say, pasted below; nothing after an error."""
    seconds: float
    """From its start to its end, the three lines included."""

    @property
    def verdict(self) -> Verdict:
        """An error; or trained, and what is not as it should be; or right."""
        if self.raised is not None:
            return "error"
        if len(self.rows) < REPLICAS:
            return "alone"
        if self.counted != self.steps:
            return "miscounts"
        return "right" if self.loss_agrees else "differs"

    @property
    def loss_agrees(self) -> bool:
        """Whether the final loss is that of one device, but for the order of additions."""
        if self.loss is None or self.loss_alone is None:
            return False
        return abs(self.loss - self.loss_alone) <= TOLERANCE * max(1.0, abs(self.loss_alone))

    @property
    def error(self) -> tuple[str, str]:
        """The exception's type and the first line of its text."""
        kind, _, line = (self.raised or "").partition(": ")
        return kind, line

    @property
    def cause(self) -> str:
        """The name of the error in `CAUSES`, or "other"."""
        _, line = self.error
        return next((name for name, start in CAUSES.items() if line.startswith(start)), "other")


@dataclass(frozen=True)
class Programs:
    """Programs by optimizer and by what is inside: all sixteen, or as many as have ended."""

    all: Mapping[tuple[str, Inside], Program]
    versions: Mapping[str, str]

    @classmethod
    def read(cls, result: Mapping[str, Any]) -> Programs:
        """From what `trainer.convert` returned. Raises KeyError when it is something else."""
        return cls(_programs(result["programs"]), dict(result["versions"]))

    @classmethod
    def so_far(cls, folder: Path) -> Programs:
        """Those that have ended of a question that is still going."""
        try:
            text = (folder / PROGRESS_NAME).read_text(encoding="utf-8")
        except FileNotFoundError:
            text = ""
        whole = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return cls(_programs([json.loads(line) for line in whole]), {})

    @property
    def seconds(self) -> float:
        """What all of them took together, one after the other."""
        return sum(program.seconds for program in self.all.values())

    def at(self, optimizer: str, letter: str) -> Program:
        """The program of one cell. Raises KeyError when it has not ended."""
        return self.all[optimizer, CELLS[letter]]

    def right(self, optimizer: str) -> list[str]:
        """The letters of the programs that train on all replicas and are right."""
        return [letter for letter in CELLS if self.at(optimizer, letter).verdict == "right"]

    def judged(self, optimizer: str, marks: Collection[str]) -> int:
        """How many of the cells were called rightly, marked or not."""
        right = self.right(optimizer)
        return sum((letter in marks) == (letter in right) for letter in CELLS)


def letter_of(inside: Collection[str]) -> str:
    """The cell of a position of the switches."""
    wanted = tuple(part for part in PARTS if part in inside)
    return next(letter for letter, parts in CELLS.items() if parts == wanted)


def _programs(told: list[Mapping[str, Any]]) -> dict[tuple[str, Inside], Program]:
    alone = {
        one["optimizer"]: one["losses"][-1] for one in told if not one["inside"] and one["losses"]
    }
    return {
        (one["optimizer"], tuple(one["inside"])): Program(
            optimizer=one["optimizer"],
            inside=tuple(one["inside"]),
            code=one["code"],
            raised=one["raised"],
            copies_on=tuple(one["copies_on"]),
            rows=tuple(one["rows"]),
            steps=one["steps"],
            counted=one["counted"],
            loss=one["losses"][-1] if one["losses"] else None,
            loss_alone=alone.get(one["optimizer"]),
            printed=tuple(one["printed"]),
            seconds=one["seconds"],
        )
        for one in told
    }
