"""What the trainer can be asked, by name: `train`, and the questions of `pipeline.answers`.

A question takes its arguments as keywords and a folder for files of its own, and returns what
`result.json` shall say.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline import preprocess, sources
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.step_records import StepRecord, record_path
from pipeline.trainer.convert import convert
from pipeline.trainer.experiments.experiment import carry_out
from pipeline.trainer.experiments.registry import EXPERIMENTS
from pipeline.trainer.mirror import mirror
from pipeline.trainer.prediction import traced_prediction
from pipeline.trainer.rate_rule import rate_rule
from pipeline.trainer.scaling import scaling
from pipeline.trainer.what_if import what_if

Question = Callable[..., Any]


def _opened(run: Path) -> tuple[RunConfig, DataSet]:
    """The settings and the data of the run in a folder."""
    request = json.loads((run / "request.json").read_text(encoding="utf-8"))
    config = RunConfig.checked(request["config"])
    return config, sources.open_data(config, sources.read_copy(run), sources.ADMITTED)


def ask_what_if(folder: Path, *, run: str, run_folder: str, step: int, row: int) -> dict[str, Any]:
    """A kept step of a run, with and without one row: two records beside the result."""
    asked = Path(run_folder)
    config, data = _opened(asked)
    record = StepRecord.load(record_path(asked, step))
    complete, without = what_if(config, data, record, row)
    complete.save(folder / "with")
    without.save(folder / "without")
    return {"run": run, "step": step, "row": row}


def ask_prediction(
    folder: Path, *, run: str, run_folder: str, step: int, first: int, rows: int, batch_size: int
) -> dict[str, Any]:
    """`predict` on training rows `first`, ... with the weights after a kept step of a run."""
    asked = Path(run_folder)
    config, data = _opened(asked)
    weights = StepRecord.load(record_path(asked, step)).after[0]
    scaled = preprocess.fit(data.x_train).apply(data.x_train[first : first + rows])
    traced = traced_prediction(folder, config.replicas, weights, scaled, batch_size)
    return {"run": run, "step": step, "first": first, **traced}


def ask_experiment(_folder: Path, *, name: str) -> dict[str, Any]:
    """Whether a claim holds, what was seen, and the same for its control."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment called {name!r}")
    return carry_out(EXPERIMENTS[name])


QUESTIONS: dict[str, Question] = {
    "what-if": ask_what_if,
    "mirror": mirror,
    "prediction": ask_prediction,
    "experiment": ask_experiment,
    "scaling": scaling,
    "rate-rule": rate_rule,
    "convert": convert,
}
