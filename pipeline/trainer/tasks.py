"""What the trainer can be asked, by name: `train`, and the questions of `pipeline.answers`.

A question takes its arguments as keywords and a folder for files of its own, and returns what
`result.json` shall say.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline import sources
from pipeline.config import RunConfig
from pipeline.step_records import StepRecord, record_path
from pipeline.trainer.experiments.experiment import carry_out
from pipeline.trainer.experiments.registry import EXPERIMENTS
from pipeline.trainer.mirror import mirror
from pipeline.trainer.what_if import what_if

Question = Callable[..., Any]


def ask_what_if(folder: Path, *, run: str, run_folder: str, step: int, row: int) -> dict[str, Any]:
    """A kept step of a run, with and without one row: two records beside the result."""
    asked = Path(run_folder)
    request = json.loads((asked / "request.json").read_text(encoding="utf-8"))
    config = RunConfig.checked(request["config"])
    data = sources.open_data(config, sources.read_copy(asked), sources.ADMITTED)
    record = StepRecord.load(record_path(asked, step))
    complete, without = what_if(config, data, record, row)
    complete.save(folder / "with")
    without.save(folder / "without")
    return {"run": run, "step": step, "row": row}


def ask_experiment(_folder: Path, *, name: str) -> dict[str, Any]:
    """Whether a claim holds, what was seen, and the same for its control."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment called {name!r}")
    return carry_out(EXPERIMENTS[name])


QUESTIONS: dict[str, Question] = {
    "what-if": ask_what_if,
    "mirror": mirror,
    "experiment": ask_experiment,
}
