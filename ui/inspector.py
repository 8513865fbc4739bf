"""The step inspector's state: which run is inspected, and whose row is followed in it.

A step stands in the session by its run, a tensor by its place; see `ui.inspector_step` for what a
page shows of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pipeline import inspect_step, recordings
from pipeline.run_view import RunView
from ui import keys, services
from ui.context import Context
from ui.leave_out import SAME_TABLE
from ui.words import small

MANY = 3
"""Of more replicas a sentence tells a range; the table has them all."""


@dataclass(frozen=True)
class Shown:
    """The run that is inspected and the row that is followed in it.

    `why` names a text of the page when it is not the run shown elsewhere; `mine` says whether the
    row is the learner's own, and not the one that the run follows.
    """

    run: RunView
    row: int
    mine: bool
    why: str = ""

    @property
    def claim(self) -> str:
        """The name of the text that is the page's title."""
        if self.run.config.replicas == 1:
            return "claim_one"
        return "claim" if self.run.config.combine == "step" else "claim_apart"

    @property
    def first(self) -> int:
        """The step to begin with: the first kept one that used the row, or the first."""
        return next(iter([*inspect_step.steps_with(self.run, self.row), *self.run.kept]))


def resolve(here: Context) -> Shown:
    """The run shown, if it keeps steps, or the recorded one; your row, if it is in its table."""
    run, why = here.run, ""
    if not run.kept:
        run, why = services.ended(recordings.DEFAULT), "nothing_kept"
    elif services.runs().get(run.run_id).ended:
        run = services.ended(run.run_id)
    mine = all(getattr(run.config, name) == getattr(here.config, name) for name in SAME_TABLE)
    return Shown(run, here.row if mine else run.row, mine, why)


def go_to(run_id: str, step: int) -> None:
    """Show another kept step."""
    st.session_state[keys.inspected_step(run_id)] = step


def value_of(number: float, digits: int = 3) -> str:
    """A number for a text; a run that burst holds some that are none."""
    return small(number, digits) if math.isfinite(number) else "not a number"


def largest(values: NDArray[np.floating]) -> float:
    """The largest absolute value; NaN when there is one."""
    return float(np.abs(values).max())
