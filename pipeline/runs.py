"""Start, queue, watch, stop, list and delete runs: the only code that ends a run's log.

A run is a folder: `request.json` (what was asked), `data.csv` (when the data is the learner's),
`events.jsonl` (the log), `steps/` (kept steps), `outcome.json` (the run's own last word). `Runs`
hands folders to a launcher, keeps an eye on the logs, and when a run's process is gone writes the
event that ends its log. It knows the trainer only through `pipeline.launch`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pipeline import distribute, run_log, sources
from pipeline.config import RunConfig
from pipeline.csv_data import CsvLimits
from pipeline.events import Event, RunFailed, RunFinished, RunStopped, Terminal
from pipeline.launch import TRAINER_BROKEN, TRAINER_DIED, Launcher
from pipeline.limits import LimitError, Limits

REQUEST_NAME = "request.json"
State = Literal["waiting", "running", "finished", "stopped", "failed"]
_RUN_ID = re.compile(r"[0-9a-f]{20}")
_TICK = 0.2
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
    """What is remembered of each run folder."""

    config: RunConfig
    owner: str
    created: str
    state: State


@dataclass
class _Active:
    """A run that has a process, and when it last gave a sign of life (monotonic seconds)."""

    launched: float
    sign: float
    size: int = 0
    ending: Terminal | None = None
    done: threading.Event = field(default_factory=threading.Event)


class Runs:
    """All runs under one folder. Call `open` before use and `close` at the end."""

    def __init__(
        self,
        folder: Path,
        launcher: Launcher,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.launcher, self.limits = folder, launcher, limits or Limits()
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._queue: list[str] = []
        self._active: dict[str, _Active] = {}
        self._changed = threading.Condition()
        self._closed = False

    def open(self) -> None:
        """Read what is there, end logs that a crash left open, start the launcher."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(self.folder.iterdir()):
            if _RUN_ID.fullmatch(path.name):
                self._remember(path)
        self._known = dict(sorted(self._known.items(), key=lambda item: item[1].created))
        self.launcher.open(self._exited)
        threading.Thread(target=self._supervise, name="runs", daemon=True).start()

    def close(self) -> None:
        """Stop everything; returns when no run's process is left and every log has an end."""
        with self._changed:
            self._closed = True
            waiting, self._queue = self._queue, []
            going = list(self._active)
            self._changed.notify_all()
        for run_id in waiting:
            self._end(run_id, RunFailed(error="Lockstep was closed before this run's turn came."))
        for run_id in going:
            self._finish(run_id, RunFailed(error="Lockstep was closed while this run was going."))
        self.launcher.close()

    def start(self, config: RunConfig, owner: str, csv: bytes | None = None) -> str:
        """Ask for a run; it begins now or waits for its turn. Returns its id.

        `owner` is the learner's secret; only its hash is kept. Raises LimitError or DataError.
        """
        data = sources.open_data(config, csv, self._csv_limits())
        try:
            per_epoch = distribute.steps_per_epoch(
                len(
                    distribute.epoch_order(
                        data.y_train,
                        1,
                        seed=config.seed,
                        order=config.order,
                        replicas=config.replicas,
                        batch=config.global_batch,
                    )
                ),
                config.global_batch,
            )
        except ValueError as error:
            raise LimitError(str(error)) from None
        self.limits.check(config, per_epoch * config.epochs)
        run_id = secrets.token_hex(10)
        known = _Known(
            config, _hashed(owner), datetime.now(UTC).isoformat(timespec="milliseconds"), "waiting"
        )
        with self._changed:
            self._check_room(known.owner)
            self._write_request(run_id, known, csv)
            self._known[run_id] = known
            self._queue.append(run_id)
            self._admit()
            self._changed.notify_all()
        return run_id

    def stop(self, run_id: str, owner: str) -> None:
        """End a run now, waiting or running. Raises UnknownRun or NotYours."""
        self._owned(run_id, owner)
        with self._changed:
            waiting = run_id in self._queue
            if waiting:
                self._queue.remove(run_id)
        if waiting:
            self._end(run_id, RunStopped())
        else:
            self._finish(run_id, RunStopped())

    def delete(self, run_id: str, owner: str) -> None:
        """Stop a run if need be and remove all that was kept of it."""
        self.stop(run_id, owner)
        with self._changed:
            self._known.pop(run_id, None)
        with contextlib.suppress(FileNotFoundError):  # cleared away in the meantime
            shutil.rmtree(self.path(run_id))

    def get(self, run_id: str) -> RunInfo:
        """One run as it stands. Raises UnknownRun."""
        with self._changed:
            try:
                known = self._known[run_id]
            except KeyError:
                raise UnknownRun(run_id) from None
            place = self._queue.index(run_id) + 1 if run_id in self._queue else None
            return RunInfo(run_id, known.config, known.owner, known.created, known.state, place)

    def of(self, owner: str) -> list[RunInfo]:
        """A learner's runs, newest first."""
        mine = _hashed(owner)
        with self._changed:
            ids = [run_id for run_id, known in self._known.items() if known.owner == mine]
        return [self.get(run_id) for run_id in reversed(ids)]

    def is_owner(self, run_id: str, owner: str) -> bool:
        """Whether this learner started the run."""
        return secrets.compare_digest(self.get(run_id).owner, _hashed(owner))

    def path(self, run_id: str) -> Path:
        """The run's folder."""
        return self.folder / run_id

    def log_path(self, run_id: str) -> Path:
        """The run's log."""
        return self.path(run_id) / run_log.FILE_NAME

    def events(self, run_id: str) -> list[Event]:
        """All events so far."""
        return run_log.events(self.log_path(run_id))

    def csv(self, run_id: str) -> bytes | None:
        """The bytes of the learner's CSV this run was made from, if it was."""
        path = self.path(run_id) / sources.CSV_NAME
        return path.read_bytes() if path.exists() else None

    def wait(self, run_id: str, timeout: float) -> RunInfo:
        """Block until the run has ended or `timeout` seconds have passed."""
        with self._changed:
            self._changed.wait_for(lambda: self.get(run_id).ended, timeout)
        return self.get(run_id)

    def _csv_limits(self) -> CsvLimits:
        limits = self.limits
        return CsvLimits(
            rows=limits.rows, columns=limits.columns, megabytes=limits.upload_megabytes
        )

    def _check_room(self, owner: str) -> None:
        if self._closed:
            raise LimitError("Lockstep is closing; no new runs.")
        unfinished = [*self._queue, *self._active]
        mine = sum(self._known[run_id].owner == owner for run_id in unfinished)
        if mine >= self.limits.runs_per_learner:
            raise LimitError(
                f"You have {mine} unfinished runs, as many as one learner may have here. "
                "Stop one, or wait until it is done."
            )
        busy = len(self._active) >= self.limits.concurrent_runs
        if busy and len(self._queue) >= self.limits.queue_length:
            raise LimitError(
                f"{len(self._queue)} runs are waiting already, as many as this server queues. "
                "Try again in a minute."
            )

    def _write_request(self, run_id: str, known: _Known, csv: bytes | None) -> None:
        folder = self.path(run_id)
        folder.mkdir()
        if csv is not None:
            (folder / sources.CSV_NAME).write_bytes(csv)
        request = {
            "run_id": run_id,
            "config": known.config.model_dump(),
            "owner": known.owner,
            "created": known.created,
        }
        (folder / REQUEST_NAME).write_text(json.dumps(request), encoding="utf-8")

    def _remember(self, folder: Path) -> None:
        try:
            request = json.loads((folder / REQUEST_NAME).read_text(encoding="utf-8"))
            known = _Known(
                RunConfig.checked(request["config"]), request["owner"], request["created"], "failed"
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.warning("run folder %s is not readable and is left alone: %s", folder.name, error)
            return
        self._known[folder.name] = known
        interrupted = RunFailed(error="Lockstep was stopped while this run was going.")
        try:
            last = run_log.end(
                folder / run_log.FILE_NAME, run_log.read_outcome(folder) or interrupted, wait=1
            )
        except run_log.LogError:  # another Lockstep on the same folder is running it
            del self._known[folder.name]
            return
        except OSError as error:
            _log.warning("the log of run %s could not be ended: %s", folder.name, error)
            return
        known.state = _state(last)

    def _admit(self) -> None:
        """Launch waiting runs while there is room. The lock is held."""
        while self._queue and len(self._active) < self.limits.concurrent_runs:
            run_id = self._queue.pop(0)
            now = self._clock()
            self._active[run_id] = _Active(now, now)
            self._known[run_id].state = "running"
            try:
                self.launcher.launch(self.path(run_id))
            except OSError as error:
                problem = f"The run's process could not be started ({error.strerror or error})."
                self._close_active(run_id, RunFailed(error=problem))

    def _supervise(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                self._admit()
                self._changed.wait(_TICK if self._active else None)
                going = list(self._active.items())
            for run_id, active in going:
                problem = self._overdue(run_id, active)
                if problem:
                    self._finish(run_id, RunFailed(error=problem))

    def _overdue(self, run_id: str, active: _Active) -> str | None:
        now = self._clock()
        with contextlib.suppress(FileNotFoundError):
            size = self.log_path(run_id).stat().st_size
            if size != active.size:
                active.size, active.sign = size, now
        if now - active.launched > self.limits.wall_seconds:
            return (
                f"The run passed the {self.limits.wall_seconds:,.0f} seconds one run may take here."
            )
        if now - active.sign > self.limits.silent_seconds:
            return (
                f"The run gave no sign of life for {self.limits.silent_seconds:,.0f} seconds "
                "and was ended."
            )
        return None

    def _finish(self, run_id: str, ending: Terminal) -> None:
        """Kill the run's process and end its log. Returns when both are done."""
        with self._changed:
            active = self._active.get(run_id)
            if active is None:
                return
            active.ending = active.ending or ending
        self.launcher.kill(self.path(run_id))
        self._close_active(run_id, ending)

    def _exited(self, folder: Path, status: int) -> None:
        """The launcher's word that a run's process is gone."""
        self._close_active(folder.name, RunFailed(error=_why(status)))

    def _close_active(self, run_id: str, ending: Terminal) -> None:
        with self._changed:
            active = self._active.get(run_id)
        if active is None:
            return
        try:
            self._end(run_id, active.ending or ending)
        finally:
            with self._changed:
                self._active.pop(run_id, None)
                self._changed.notify_all()

    def _end(self, run_id: str, ending: Terminal) -> None:
        folder = self.path(run_id)
        try:
            last = run_log.end(folder / run_log.FILE_NAME, run_log.read_outcome(folder) or ending)
        except (run_log.LogError, OSError):
            _log.exception("the log of run %s could not be ended", run_id)
            last = ending
        with self._changed:
            if run_id in self._known:
                self._known[run_id].state = _state(last)
            self._changed.notify_all()
        self._clear_away()

    def _clear_away(self) -> None:
        """Delete the oldest ended runs beyond the limits on number and size."""
        with self._changed:
            ended = [
                r for r, known in self._known.items() if known.state not in ("waiting", "running")
            ]
        sizes = {run_id: _size(self.path(run_id)) for run_id in ended}
        too_many = len(ended) - self.limits.kept_runs
        too_big = sum(sizes.values()) - self.limits.kept_megabytes * 1e6
        for run_id in ended:
            if too_many <= 0 and too_big <= 0:
                return
            with self._changed:
                self._known.pop(run_id, None)
            shutil.rmtree(self.path(run_id), ignore_errors=True)
            too_many -= 1
            too_big -= sizes[run_id]

    def _owned(self, run_id: str, owner: str) -> None:
        if not self.is_owner(run_id, owner):
            raise NotYours


def _hashed(owner: str) -> str:
    return hashlib.sha256(owner.encode()).hexdigest()


def _state(last: Terminal) -> State:
    if isinstance(last, RunFinished):
        return "finished"
    return "stopped" if isinstance(last, RunStopped) else "failed"


def _why(status: int) -> str:
    if status == TRAINER_DIED:
        return "The process that owns TensorFlow ended; it is started anew, so try again."
    if status == TRAINER_BROKEN:
        return (
            "TensorFlow does not start on this server, so nothing can be trained; "
            "the trainer's log says why."
        )
    if status < 0:
        return (
            f"The run's process was ended from outside (signal {-status}); "
            "a machine short of memory does that."
        )
    return f"The run's process ended early (exit status {status})."


def _size(folder: Path) -> int:
    """Bytes in a folder, which may be deleted by another thread while we look."""
    size = 0
    with contextlib.suppress(FileNotFoundError):
        for path in folder.rglob("*"):
            size += path.stat().st_size if path.is_file() else 0
    return size
