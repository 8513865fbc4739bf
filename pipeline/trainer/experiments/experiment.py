"""What an experiment is, and how one is carried out.

The claim and its predicate stand beside each other, so that whoever reads one sees the other. The
control guards the predicate: it changes one argument and must turn the verdict round, so a claim
that holds (or fails) whatever TensorFlow does is found out.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pipeline.trainer.experiments import workbench


class Seen(Protocol):
    """What an experiment saw: a dataclass of plain values that can say itself in a sentence."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def in_words(self) -> str:
        """One or two sentences, for a learner."""


S = TypeVar("S", bound=Seen)


@dataclass(frozen=True)
class Control:
    """What is changed, in words, and the one argument that changes it."""

    what: str
    changed: Mapping[str, Any]


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """A claim, how to look, and when the claim holds.

    `holds` is None where no program can decide, as with advice. Such an experiment shows what is
    nearest to it, and its control is a second look for comparison. `also` are functions that
    `observe` calls and that a reader of its source wants to see.
    """

    name: str
    claim: str
    observe: Callable[..., S]
    holds: Callable[[S], bool] | None
    control: Control
    given: Mapping[str, Any] = field(default_factory=dict)
    devices: int = 2
    also: tuple[Callable[..., Any], ...] = ()

    @property
    def given_to_control(self) -> dict[str, Any]:
        """The arguments of the control: those of the experiment but one."""
        return {**self.given, **self.control.changed}

    def look(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Observe once and judge what was seen."""
        seen = self.observe(**given)
        return {
            "call": call(self.observe, given),
            "code": self.code(given),
            "observation": asdict(seen),
            "saw": seen.in_words(),
            "holds": None if self.holds is None else self.holds(seen),
        }

    def code(self, given: Mapping[str, Any]) -> str:
        """The source that runs: of the function, or of the program that it was given to run."""
        programs: list[Any] = [value for value in given.values() if inspect.isfunction(value)]
        functions = [*self.also, *(programs or [self.observe])]
        return "\n\n\n".join(inspect.getsource(function).rstrip() for function in functions)


def carry_out(experiment: Experiment[Any]) -> dict[str, Any]:
    """Do the experiment and its control in this process, which has not used TensorFlow yet."""
    began = time.perf_counter()
    workbench.lay_out(experiment.devices)
    found = experiment.look(experiment.given)
    control = experiment.look(experiment.given_to_control)
    return {
        "name": experiment.name,
        "claim": experiment.claim,
        **found,
        "control": {"what": experiment.control.what, **control},
        "seconds": round(time.perf_counter() - began, 2),
    }


def call(observe: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """The call as Python writes it."""
    said = ", ".join(f"{name}={_said(value)}" for name, value in given.items())
    return f"{observe.__name__}({said})"


def _said(value: Any) -> str:
    return value.__name__ if inspect.isfunction(value) else repr(value)
