"""The real runs that `conftest.trained` makes, and how tests look at one of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline import run_log, step_records
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.events import Epoch, Event, RunFinished, Step, from_line
from pipeline.sources import Csv, is_built_in, open_data
from tests.pipeline.processes import ROOT

CASES = ROOT / "tests/cases/data"
GOOD, WORDS, THREE = (
    str(CASES / name) for name in ("good.csv", "three_class_words.csv", "three_rows.csv")
)
GRID = {
    "synthetic": (1, 2, 8),
    "digits": (1, 2, 3),
    "breast-cancer": (1, 4),
    GOOD: (1, 3),
    WORDS: (2, 4),
    THREE: (2,),
}
"""Data set to replicas; the command line adds others (see `conftest.printed`)."""
APART = {"order": "one-class-each", "data": "breast-cancer", "epochs": 3}

SETTINGS: dict[str, dict[str, Any]] = {
    f"{Path(data).stem} on {replicas}": {
        "data": data,
        "replicas": replicas,
        "epochs": 1 if data == "synthetic" else 2,
    }
    for data, counts in GRID.items()
    for replicas in counts
} | {
    "defaults": {},
    "255 on 2": {"global_batch": 255, "epochs": 1},
    "255 on 3": {"global_batch": 255, "epochs": 2, "replicas": 3, "data": "digits"},
    "batch of 3 on 4": {"data": GOOD, "replicas": 4, "global_batch": 3, "epochs": 1},
    "batch of 1 on 2": {"data": THREE, "replicas": 2, "global_batch": 1, "epochs": 2},
    "33 on 4 with SGD": {
        "data": "breast-cancer",
        "replicas": 4,
        "global_batch": 100,
        "epochs": 2,
        "optimizer": "sgd",
    },
    "one thread": {"data": "digits", "one_thread": True, "epochs": 1},
    "as it stands": {"data": "digits", "order": "as-is", "epochs": 2, "row": 1_000},
    "a row too far": {"data": THREE, "row": 9_999, "epochs": 1},
    "too fast": {"data": "digits", "learning_rate": 10, "optimizer": "sgd", "epochs": 2},
    "apart, never": {**APART, "combine": "never"},
    "apart, epoch": {**APART, "combine": "epoch"},
    "apart, step": {**APART, "combine": "step"},
    "one, never": {"data": "digits", "replicas": 1, "combine": "never", "epochs": 1},
}

ALONE = ("defaults", "255 on 3", "33 on 4 with SGD")
"""The runs that are repeated with plain Keras on one device."""


@dataclass(frozen=True)
class Trained:
    """One real run that has ended: its log as it stands, and what belongs to it."""

    config: RunConfig
    folder: Path
    status: int = 0
    printed: str | None = None

    @cached_property
    def text(self) -> str:
        """The lines a reader gets: what was printed, or else the log."""
        if self.printed is not None:
            return self.printed
        return (self.folder / run_log.FILE_NAME).read_text(encoding="utf-8")

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line, parse_constant=refuse) for line in self.text.splitlines()]

    @cached_property
    def events(self) -> list[Event]:
        found = [from_line(line) for line in self.text.splitlines()]
        assert None not in found
        return [event for event in found if event is not None]

    @cached_property
    def steps(self) -> list[Step]:
        return [event for event in self.events if isinstance(event, Step)]

    @cached_property
    def epochs(self) -> list[Epoch]:
        return [event for event in self.events if isinstance(event, Epoch)]

    @cached_property
    def finished(self) -> RunFinished:
        last = self.events[-1]
        assert isinstance(last, RunFinished), last
        return last

    @cached_property
    def data(self) -> DataSet:
        return open_data(self.config, csv_of(self.config))

    def record(self, step: int) -> step_records.StepRecord:
        return step_records.StepRecord.load(step_records.record_path(self.folder, step))


def csv_of(config: RunConfig) -> Csv | None:
    """The file that a config names, unless its data is built in."""
    path = Path(config.data)
    return None if is_built_in(config.data) else Csv(path.name, path.read_bytes())


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not standard JSON")
