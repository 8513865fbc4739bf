"""Your row left out of one step: which step that is, and what TensorFlow answered.

`resolve` finds the step in the run that is shown, asks for it, and where that cannot be shown
falls back to the recorded answer with a reason. `wait` is what stands on the page meanwhile.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pipeline import recordings
from pipeline.answers import Answer
from pipeline.limits import LimitError
from pipeline.run_view import RunView
from pipeline.what_if_view import Use, WhatIf, first_use, largest
from ui import frame, keys, lesson, pictures_aggregate, services
from ui.context import Context
from ui.words import plain, small

TASK = "what-if"
SAME_TABLE = ("data", "label", "leave_out")
"""The settings that decide which table a row number counts in."""


@dataclass(frozen=True)
class Asked:
    """One row of one run and the kept step that used it. `why`: the reason it is not yours."""

    run: RunView
    row: int
    use: Use
    why: str = ""
    """The name of a text of the page; "" when the row is yours."""
    answer: Answer | None = None
    problem: str = ""
    """Why TensorFlow did not answer about your row, as a sentence."""

    @property
    def found(self) -> WhatIf | None:
        """The step twice, once it has been answered."""
        if self.answer is None or self.answer.state != "done":
            return None
        return _load(self.answer.folder, self.row)

    @property
    def whose(self) -> str:
        """The row in a sentence: yours, or the one that stands for it."""
        return f"row {self.row:,}" if self.why else "your row"

    @property
    def picture(self) -> dict[str, Any]:
        """The maps, when something changes."""
        assert self.answer is not None
        return _picture(self.answer.folder, self.row, self.whose)

    @property
    def arguments(self) -> dict[str, object]:
        """What names the question."""
        return recordings.what_if_question(self.run.run_id, self.use.step, self.row)

    def ask(self) -> Answer:
        """Put the question to TensorFlow, again if it has failed. A full queue is a failure."""
        try:
            return services.answers().ask(
                TASK, self.arguments, {"run_folder": self.run.folder.resolve()}
            )
        except LimitError as error:
            return Answer("", Path(), "failed", error=str(error))


def resolve(here: Context) -> Asked:
    """What the page can show: your row in the run shown, or the recorded row and the reason."""
    mine = _mine(here)
    if isinstance(mine, str):
        return _recorded(mine)
    answer = _answer(mine)
    if answer.state == "failed":
        return _recorded("failed", answer.error)
    return Asked(mine.run, mine.row, mine.use, answer=answer)


def ask_again(here: Context) -> None:
    """Ask anew about your row after a failure."""
    mine = _mine(here)
    if isinstance(mine, Asked):
        mine.ask()


def values(asked: Asked) -> dict[str, object]:
    """What the page's words need; results only once there is an answer."""
    given: dict[str, object] = {
        "owner": f"R{asked.use.owner}",
        "other": f"R{asked.use.other}",
        "row": f"{asked.row:,}",
        "whose": asked.whose,
        "step": f"{asked.use.step:,}",
        "problem": plain(asked.problem),
    }
    found = asked.found
    if found is not None and found.other is not None:
        given |= {
            "own_other": small(largest(found.own[found.other])),
            "copies": small(found.copies_apart),
            "changed": f"{found.changed(found.owner):,}",
            "parameters": f"{found.parameters:,}",
        }
    return given


def row_panel(page: lesson.Page, asked: Asked) -> None:
    """Your row in this step; or the row that is shown while yours cannot be."""
    found = asked.found
    assert found is not None
    assert found.other is not None
    given = values(asked)
    lines = [
        (page.words.text("row_at"), f"{asked.use.step:,}, on R{found.owner}"),
        (page.words.text("row_own", given), small(largest(found.own[found.owner]))),
        (page.words.text("row_other", given), f"exactly {given['own_other']}"),
        (page.words.text("row_weights"), f"{given['changed']} of {given['parameters']}"),
        (page.words.text("row_copies"), f"exactly {given['copies']}"),
    ]
    if not asked.why:
        page.your_row(lines)
        return
    with st.container(border=True, key=keys.INSTEAD):
        st.markdown(f"**Row {asked.row:,}** of the recorded run")
        for name, value in lines:
            st.markdown(f"{name} **{value}**")


def table(found: WhatIf) -> None:
    """The picture's content for every replica, as a table."""
    rows = [
        (
            f"R{replica}" + ", had it" * (replica == found.owner),
            f"{len(found.complete.rows[replica]):,}",
            small(largest(found.own[replica]), 3),
            small(largest(found.sums[replica]), 3),
            small(largest(found.weights[replica]), 3),
            f"{found.changed(replica):,}",
        )
        for replica in range(found.replicas)
    ]
    heads = ("replica", "rows", "own gradient", "the sum", "weights", "how many")
    frame.table(heads, rows, "leave-out")


def _mine(here: Context) -> Asked | str:
    """Your row's step in the run that is shown, or the name of the reason why there is none."""
    run = here.run
    if any(getattr(run.config, name) != getattr(here.config, name) for name in SAME_TABLE):
        return "other_data"
    if run.config.combine != "step":
        return "not_combined"
    if run.config.replicas == 1:
        return "one_replica"
    use = first_use(run, here.row)
    return "not_kept" if use is None else Asked(run, here.row, use)


def _answer(asked: Asked) -> Answer:
    answers = services.answers()
    if asked.run.recorded:
        recorded = answers.recorded(TASK, asked.arguments)
        if recorded is not None:
            return recorded
    return answers.known(TASK, asked.arguments) or asked.ask()


def _recorded(why: str, problem: str = "") -> Asked:
    """The row of the recorded run, whose answer ships."""
    run = services.ended(recordings.DEFAULT)
    use = first_use(run, run.row)
    assert use is not None, "the recorded run keeps the steps of its row"
    arguments = recordings.what_if_question(run.run_id, use.step, run.row)
    answer = services.answers().recorded(TASK, arguments)
    return Asked(run, run.row, use, why, answer, problem)


@functools.lru_cache(maxsize=16)
def _load(folder: Path, row: int) -> WhatIf:
    return WhatIf.load(folder, row)


@functools.lru_cache(maxsize=16)
def _picture(folder: Path, row: int, whose: str) -> dict[str, Any]:
    found = _load(folder, row)
    part = found.part()
    assert part is not None
    return pictures_aggregate.leave_out(found, part, whose).to_dict()
