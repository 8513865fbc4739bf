"""An experiment for every choice of every card: its verdict as a claim, its repair as control."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pipeline import cards
from pipeline.cards import Choice
from pipeline.trainer.experiments.broken import fitting, looping
from pipeline.trainer.experiments.broken.verdict import Program, ProgramSeen, watch
from pipeline.trainer.experiments.experiment import Control, Experiment

MODULES: dict[str, ModuleType] = {"fitting": fitting, "looping": looping}
CLAIMS = {
    "error": "The program ends with an error.",
    "hangs": "The program never ends.",
    "silent": "The program ends without an error, and is wrong.",
    "fine": "The program is right: two devices share the rows, the result is that of one.",
}


def program(name: str) -> Program:
    """The program that a card names, as in `fitting.scope_used`."""
    module, _, function = name.partition(".")
    found: Program = getattr(MODULES[module], function)
    return found


def experiment(choice: Choice) -> Experiment[ProgramSeen]:
    """The experiment of one choice."""
    changed: dict[str, Any] = dict(choice.changed)
    (what,) = changed
    if what == "program":
        changed[what] = program(changed[what])
        told = f"Run `{changed[what].__name__}` instead."
    else:
        told = f"With `{what}={changed[what]!r}`."
    return Experiment(
        choice.name,
        claim=CLAIMS[choice.verdict],
        observe=watch,
        given={"program": program(choice.program), **choice.given},
        holds=lambda seen: seen.verdict == choice.verdict,
        control=Control(told, changed),
    )


EXPERIMENTS = tuple(experiment(choice) for choice in cards.choices())
