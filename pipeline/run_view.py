"""A run, read: everything a page tells of it, lazily, whether it is going on, ended or recorded.

Plain reading of the run's folder; nothing is started or changed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from pipeline import distribute, preprocess, run_log, shapes, step_records
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.events import Epoch, Event, RunFinished, RunStarted, Step, Terminal
from pipeline.step_records import Floats, StepRecord


@dataclass(frozen=True)
class RunView:
    """One run in `folder`, made from `data` with `config`."""

    run_id: str
    folder: Path
    config: RunConfig
    data: DataSet
    recorded: bool = False

    @cached_property
    def told(self) -> list[Event]:
        """All events but the steps. Raises LogError."""
        return run_log.outline(self.folder / run_log.FILE_NAME)

    @cached_property
    def started(self) -> RunStarted | None:
        """The first event, once the run's process has begun."""
        return next((event for event in self.told if isinstance(event, RunStarted)), None)

    @cached_property
    def epochs(self) -> list[Epoch]:
        """The epochs so far."""
        return [event for event in self.told if isinstance(event, Epoch)]

    @cached_property
    def last(self) -> Terminal | None:
        """How it ended, if it has."""
        return self.told[-1] if self.told and isinstance(self.told[-1], Terminal) else None

    @property
    def finished(self) -> bool:
        """Whether it went through to its end."""
        return isinstance(self.last, RunFinished)

    @cached_property
    def steps(self) -> list[Step]:
        """Every step so far: reads the whole log, so not for long runs."""
        events = run_log.events(self.folder / run_log.FILE_NAME)
        return [event for event in events if isinstance(event, Step)]

    @cached_property
    def shapes(self) -> shapes.Shapes:
        """The shapes of its stages."""
        return shapes.of(self.data, self.config)

    @cached_property
    def scaled(self) -> Floats:
        """Its training rows, scaled; shape (rows, features)."""
        return preprocess.fit(self.data.x_train).apply(self.data.x_train)

    @property
    def row(self) -> int:
        """The row it follows."""
        return min(self.config.row, len(self.data.x_train) - 1)

    @cached_property
    def kept(self) -> list[int]:
        """The steps it keeps in full."""
        return step_records.recorded_steps(self.folder)

    def record(self, step: int) -> StepRecord:
        """One of the kept steps. Raises OSError when it is not kept."""
        return StepRecord.load(step_records.record_path(self.folder, step))

    def uses_of(self, row: int) -> list[distribute.Use]:
        """Where a row is used, in each epoch that uses it."""
        config = self.config
        orders = distribute.epoch_orders(self.data.y_train, config)
        return list(
            distribute.uses(row, orders, replicas=config.replicas, batch=config.global_batch)
        )

    @property
    def day(self) -> str:
        """The day it was made, for a label: `30 November 2026`."""
        if self.started is None or not self.started.started:
            return "an unknown day"
        made = datetime.fromisoformat(self.started.started)
        return f"{made.day} {made:%B %Y}"
