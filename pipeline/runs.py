"""Start, watch, stop, list and delete training runs.

A run is a folder: `request.json` (what was asked), `data.csv` (when the data is the learner's),
`events.jsonl` (the log), `steps/` (kept steps), `outcome.json` (the run's own last word).
`pipeline.workers` gives it its turn and ends its log. Recorded runs, which ship with Lockstep, are
read the same way under their names; they belong to nobody.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pipeline import distribute, run_log, sources
from pipeline.config import RunConfig
from pipeline.csv_data import CsvLimits
from pipeline.events import Event, RunFailed, RunFinished, RunStopped, Terminal
from pipeline.launch import Launcher
from pipeline.limits import LimitError, Limits
from pipeline.run_view import RunView
from pipeline.sources import Csv
from pipeline.workers import Workers

REQUEST_NAME = "request.json"
RECORDED = Path(__file__).parent / "recorded" / "runs"
"""The recorded runs that ship: one folder each."""
State = Literal["waiting", "running", "finished", "stopped", "failed"]
_RUN_ID = re.compile(r"[0-9a-f]{20}")
_log = logging.getLogger(__name__)


class UnknownRun(LookupError):
    """There is no such run: mistyped, deleted, or cleared away."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"There is no run {run_id!r} here; it may have been deleted.")


class NotYours(PermissionError):
    """Only whoever started a run may stop or delete it."""

    def __init__(self) -> None:
        super().__init__(
            "This run was started in another browser: you can watch it, not change it."
        )


@dataclass(frozen=True)
class RunInfo:
    """One run from outside. `created` is UTC, ISO 8601; `place` counts from 1 while waiting."""

    run_id: str
    config: RunConfig
    owner: str
    created: str
    state: State
    place: int | None = None

    @property
    def ended(self) -> bool:
        """Whether its log is closed."""
        return self.state in ("finished", "stopped", "failed")


@dataclass
class _Known:
    """What is remembered of each run folder; `ended` is how it ended, None until then."""

    folder: Path
    config: RunConfig
    owner: str
    created: str
    ended: State | None = None


class Runs:
    """All runs under one folder. Call `open` before use and `close` at the end."""

    def __init__(
        self,
        folder: Path,
        launcher: Launcher,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.limits = folder, limits or Limits()
        self.workers = Workers(launcher, self.limits, clock)
        self._known: dict[str, _Known] = {}
        self._recorded: dict[str, _Known] = {}
        # One lock for what is known and what is queued: two would have to be taken in order.
        self._lock = self.workers.changed

    def open(self) -> None:
        """Read what is there, end logs that a crash left open, start the workers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        found = [path for path in self.folder.iterdir() if _RUN_ID.fullmatch(path.name)]
        known = [item for item in map(_remember, found) if item is not None]
        known.sort(key=lambda item: item.created)
        self._known = {item.folder.name: item for item in known}
        self.load_recorded()
        self.workers.open()

    def load_recorded(self) -> None:
        """Read which recorded runs there are."""
        recorded = [_remember(path, repair=False) for path in sorted(RECORDED.glob("*"))]
        self._recorded = {item.folder.name: item for item in recorded if item is not None}

    def close(self) -> None:
        """Stop everything; returns when no run's process is left and every log has an end."""
        self.workers.close()

    def start(self, config: RunConfig, owner: str, csv: Csv | None = None) -> str:
        """Ask for a run; it begins now or waits for its turn. Returns its id.

        `owner` is the learner's secret; only its hash is kept. Raises LimitError or DataError.
        """
        data = sources.open_data(config, csv, self._csv_limits())
        try:
            order = distribute.epoch_order(
                data.y_train,
                1,
                seed=config.seed,
                order=config.order,
                replicas=config.replicas,
                batch=config.global_batch,
            )
        except ValueError as error:
            raise LimitError(str(error)) from None
        per_epoch = distribute.steps_per_epoch(len(order), config.global_batch)
        self.limits.check(config, per_epoch * config.epochs)
        run_id = secrets.token_hex(10)
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        known = _Known(self.folder / run_id, config, _hashed(owner), created)
        with self._lock:
            # The order of runs stands, although the clock may have been set back.
            known.created = max([known.created, *(other.created for other in self._known.values())])
            self._check_share(known.owner)
            self.workers.check_room()
            try:
                _write_request(known, csv)
            except OSError as error:
                shutil.rmtree(known.folder, ignore_errors=True)
                raise LimitError(run_log.no_room(error)) from None
            self._known[run_id] = known
            try:
                self.workers.submit(known.folder, self._ended)
            except LimitError:  # its place was taken a moment ago
                del self._known[run_id]
                shutil.rmtree(known.folder)
                raise
        return run_id

    def stop(self, run_id: str, owner: str) -> None:
        """End a run now, waiting or running. Raises UnknownRun or NotYours."""
        self._owned(run_id, owner)
        self.workers.cancel(self.path(run_id), RunStopped())

    def delete(self, run_id: str, owner: str) -> None:
        """Stop a run if need be and remove all that was kept of it."""
        self.stop(run_id, owner)
        with self._lock:
            known = self._known.pop(run_id, None)
        if known is not None:  # else cleared away in the meantime
            shutil.rmtree(known.folder, ignore_errors=True)

    def get(self, run_id: str) -> RunInfo:
        """One run as it stands. Raises UnknownRun."""
        known = self._find(run_id)
        place = self.workers.place(known.folder)
        state: State = known.ended or ("running" if place is None else "waiting")
        return RunInfo(run_id, known.config, known.owner, known.created, state, place)

    def of(self, owner: str) -> list[RunInfo]:
        """A learner's runs, newest first."""
        mine = _hashed(owner)
        with self._lock:
            ids = [run_id for run_id, known in self._known.items() if known.owner == mine]
        return [self.get(run_id) for run_id in reversed(ids)]

    def is_owner(self, run_id: str, owner: str) -> bool:
        """Whether this learner started the run; a recorded one is nobody's."""
        return not self.is_recorded(run_id) and secrets.compare_digest(
            self.get(run_id).owner, _hashed(owner)
        )

    def is_recorded(self, run_id: str) -> bool:
        """Whether it is one of the runs that ship."""
        return run_id in self._recorded

    def path(self, run_id: str) -> Path:
        """The run's folder. Raises UnknownRun."""
        return self._find(run_id).folder

    def log_path(self, run_id: str) -> Path:
        """The run's log. Raises UnknownRun."""
        return self.path(run_id) / run_log.FILE_NAME

    def events(self, run_id: str) -> list[Event]:
        """All events so far. Raises UnknownRun."""
        return run_log.events(self.log_path(run_id))

    def view(self, run_id: str) -> RunView:
        """The run, to be read. Raises UnknownRun."""
        known = self._find(run_id)
        csv = sources.read_copy(known.folder)
        data = sources.open_data(known.config, csv, sources.ADMITTED)
        return RunView(run_id, known.folder, known.config, data, self.is_recorded(run_id))

    def wait(self, run_id: str, timeout: float) -> RunInfo:
        """Block until the run has ended or `timeout` seconds have passed."""
        with self.workers.changed:
            self.workers.changed.wait_for(lambda: self.get(run_id).ended, timeout)
        return self.get(run_id)

    def _csv_limits(self) -> CsvLimits:
        limits = self.limits
        return CsvLimits(
            rows=limits.rows, columns=limits.columns, megabytes=limits.upload_megabytes
        )

    def _check_share(self, owner: str) -> None:
        unfinished = {folder.name for folder in self.workers.unfinished()}
        mine = sum(
            known.owner == owner for run_id, known in self._known.items() if run_id in unfinished
        )
        if mine >= self.limits.runs_per_learner:
            raise LimitError(
                f"You have {mine} unfinished runs, as many as one learner may have here. "
                "Stop one, or wait until it is done."
            )

    def _find(self, run_id: str) -> _Known:
        with self._lock:
            known = self._known.get(run_id) or self._recorded.get(run_id)
        if known is None:
            raise UnknownRun(run_id)
        return known

    def _ended(self, folder: Path, last: Terminal) -> None:
        with self._lock:
            known = self._known.get(folder.name)
            if known is not None:
                known.ended = _state(last)
        self._clear_away()

    def _clear_away(self) -> None:
        """Delete the oldest ended runs beyond the limits on number and size."""
        with self._lock:
            ended = [run_id for run_id, known in self._known.items() if known.ended]
        sizes = {run_id: _size(self.folder / run_id) for run_id in ended}
        too_many = len(ended) - self.limits.kept_runs
        too_big = sum(sizes.values()) - self.limits.kept_megabytes * 1e6
        for run_id in ended:
            if too_many <= 0 and too_big <= 0:
                return
            with self._lock:
                self._known.pop(run_id, None)
            shutil.rmtree(self.folder / run_id, ignore_errors=True)
            too_many -= 1
            too_big -= sizes[run_id]

    def _owned(self, run_id: str, owner: str) -> None:
        if not self.is_owner(run_id, owner):
            raise NotYours


def _write_request(known: _Known, csv: Csv | None) -> None:
    known.folder.mkdir()
    if csv is not None:
        sources.write_copy(known.folder, csv)
    request = {
        "run_id": known.folder.name,
        "config": known.config.model_dump(),
        "owner": known.owner,
        "created": known.created,
    }
    (known.folder / REQUEST_NAME).write_text(json.dumps(request), encoding="utf-8")


def _remember(folder: Path, *, repair: bool = True) -> _Known | None:
    """Read a run's folder; `repair` ends a log that a crash left open. None: not ours to show."""
    try:
        request = json.loads((folder / REQUEST_NAME).read_text(encoding="utf-8"))
        config = RunConfig.checked(request["config"])
        known = _Known(folder, config, request["owner"], request["created"], "failed")
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("run folder %s is not readable and is left alone: %s", folder.name, error)
        return None
    log = folder / run_log.FILE_NAME
    last = run_log.terminal(log)
    if last is None and repair:
        interrupted = RunFailed(error="Lockstep was stopped while this run was going.")
        try:
            last = run_log.end(log, run_log.read_outcome(folder) or interrupted, wait=1)
        except run_log.LogError:  # another Lockstep on the same folder is running it
            return None
        except OSError as error:
            _log.warning("the log of run %s could not be ended: %s", folder.name, error)
    if last is not None:
        known.ended = _state(last)
    return known


def _hashed(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()


def _state(last: Terminal) -> State:
    if isinstance(last, RunFinished):
        return "finished"
    return "stopped" if isinstance(last, RunStopped) else "failed"


def _size(folder: Path) -> int:
    """Bytes in a folder, which may be deleted by another thread while we look."""
    size = 0
    with contextlib.suppress(FileNotFoundError):
        for path in folder.rglob("*"):
            size += path.stat().st_size if path.is_file() else 0
    return size
