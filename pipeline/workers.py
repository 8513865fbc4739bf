"""The queue of work for the trainer: start in turn, watch, end. One folder, one piece of work.

A folder is handed over with `submit` and waits for its turn; its process then appends to the log
in it. `Workers` sees to it that no work outlasts its limits, and it alone writes a log's end: once
the process is gone it cuts a half-written last line and appends the terminal event. What the work
is about (a training run, an experiment) is for `pipeline.runs` and `pipeline.answers` to know.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline import run_log
from pipeline.events import RunFailed, Terminal
from pipeline.launch import TRAINER_BROKEN, TRAINER_DIED, Launcher
from pipeline.limits import LimitError, Limits

OnEnd = Callable[[Path, Terminal], None]
"""Called, from any thread, with the folder and the event that ends its log."""
_TICK = 0.2
_log = logging.getLogger(__name__)


@dataclass
class _Active:
    """Work that has a process, and when it last gave a sign of life (monotonic seconds)."""

    on_end: OnEnd
    launched: float
    sign: float
    size: int = 0
    ending: Terminal | None = None
    closing: bool = False


class Workers:
    """Runs at most `limits.concurrent_runs` folders at a time. `open` before use, then `close`."""

    def __init__(
        self, launcher: Launcher, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.launcher, self.limits = launcher, limits
        self.changed = threading.Condition()
        """Notified whenever work is submitted, begins or ends."""
        self._clock = clock
        self._queue: list[tuple[Path, OnEnd]] = []
        self._active: dict[Path, _Active] = {}
        self._closed = False

    def open(self) -> None:
        """Start the launcher and the thread that watches."""
        self.launcher.open(self._exited)
        threading.Thread(target=self._supervise, name="workers", daemon=True).start()

    def close(self) -> None:
        """End everything; returns when no process is left and every log has an end."""
        with self.changed:
            self._closed = True
            waiting, self._queue = self._queue, []
            going = list(self._active)
            self.changed.notify_all()
        for folder, on_end in waiting:
            closed = RunFailed(error="Lockstep was closed before this run's turn came.")
            self._end(folder, closed, on_end)
        for folder in going:
            self._finish(folder, RunFailed(error="Lockstep was closed while this run was going."))
        self.launcher.close()

    def submit(self, folder: Path, on_end: OnEnd) -> None:
        """Queue a folder, or begin it at once. Raises LimitError when the queue is full."""
        with self.changed:
            self.check_room()
            self._queue.append((folder, on_end))
            self._admit()
            self.changed.notify_all()

    def check_room(self) -> None:
        """Raise LimitError when there is no place for one more."""
        with self.changed:
            if self._closed:
                raise LimitError("Lockstep is closing; no new runs.")
            busy = len(self._active) >= self.limits.concurrent_runs
            if busy and len(self._queue) >= self.limits.queue_length:
                raise LimitError(
                    f"{len(self._queue)} runs are waiting already, as many as this server queues. "
                    "Try again in a minute."
                )

    def cancel(self, folder: Path, ending: Terminal) -> None:
        """End work now, waiting or going; returns when its log has an end."""
        with self.changed:
            mine = next((item for item in self._queue if item[0] == folder), None)
            if mine is not None:
                self._queue.remove(mine)
        if mine is not None:
            self._end(folder, ending, mine[1])
        else:
            self._finish(folder, ending)

    def place(self, folder: Path) -> int | None:
        """The place in the queue, from 1; None when it is not waiting."""
        with self.changed:
            folders = [queued for queued, _ in self._queue]
        return folders.index(folder) + 1 if folder in folders else None

    def unfinished(self) -> list[Path]:
        """All folders that wait or are going."""
        with self.changed:
            return [*(folder for folder, _ in self._queue), *self._active]

    def _admit(self) -> None:
        """Launch what waits while there is room. The lock is held."""
        while self._queue and len(self._active) < self.limits.concurrent_runs:
            folder, on_end = self._queue.pop(0)
            now = self._clock()
            self._active[folder] = _Active(on_end, now, now)
            try:
                self.launcher.launch(folder)
            except OSError as error:
                problem = f"The run's process could not be started ({error.strerror or error})."
                self._close_active(folder, RunFailed(error=problem))

    def _supervise(self) -> None:
        while True:
            with self.changed:
                if self._closed:
                    return
                self._admit()
                self.changed.wait(_TICK if self._active else None)
                going = list(self._active.items())
            for folder, active in going:
                problem = self._overdue(folder, active)
                if problem:
                    self._finish(folder, RunFailed(error=problem))

    def _overdue(self, folder: Path, active: _Active) -> str | None:
        now = self._clock()
        size = 0
        for name in (run_log.FILE_NAME, run_log.PROGRESS_NAME):
            with contextlib.suppress(FileNotFoundError):
                size += (folder / name).stat().st_size
        if size != active.size:
            active.size, active.sign = size, now
        wall, silent = self.limits.wall_seconds, self.limits.silent_seconds
        if now - active.launched > wall:
            return f"The run passed the {wall:,.0f} seconds one run may take here."
        if now - active.sign > silent:
            return f"The run gave no sign of life for {silent:,.0f} seconds and was ended."
        return None

    def _finish(self, folder: Path, ending: Terminal) -> None:
        """Kill the process and end its log. Returns when both are done."""
        with self.changed:
            active = self._active.get(folder)
            if active is None:
                return
            active.ending = active.ending or ending
        self.launcher.kill(folder)
        self._close_active(folder, ending)

    def _exited(self, folder: Path, status: int) -> None:
        """The launcher's word that a process is gone."""
        self._close_active(folder, RunFailed(error=_why(status)))

    def _close_active(self, folder: Path, ending: Terminal) -> None:
        """End the log once: who comes second waits, as the folder may be deleted next."""
        with self.changed:
            active = self._active.get(folder)
            if active is None:
                return
            if active.closing:
                self.changed.wait_for(lambda: self._active.get(folder) is not active)
                return
            active.closing = True
        try:
            self._end(folder, active.ending or ending, active.on_end)
        finally:
            with self.changed:
                self._active.pop(folder, None)
                self.changed.notify_all()

    def _end(self, folder: Path, ending: Terminal, on_end: OnEnd) -> None:
        last = run_log.read_outcome(folder) or ending
        try:
            for half_written in folder.rglob("*.partial"):
                half_written.unlink()  # on a full disk this makes the room for the last line
            last = run_log.end(folder / run_log.FILE_NAME, last)
        except (run_log.LogError, OSError):
            _log.exception("the log in %s could not be ended", folder)
        on_end(folder, last)
        with self.changed:
            self.changed.notify_all()


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
