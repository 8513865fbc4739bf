"""How a run's process is started and ended: from the warm trainer, or fresh.

Two launchers with one interface. `ForkingTrainer` (Linux) talks to one long-lived
`python -m pipeline.trainer` and restarts it when it dies; `FreshProcess` starts a process for
each run, on any system. Neither knows what a run is: they know folders.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parent.parent
OnExit = Callable[[Path, int], None]
"""Called from another thread with the run's folder and its exit status (negative: signal)."""
TRAINER_DIED = -1000
"""The exit status reported when the trainer itself is gone."""
TRAINER_BROKEN = -1001
"""The exit status reported when the trainer is not tried again: see `MOST_FALSE_STARTS`."""
MOST_FALSE_STARTS = 3
"""A trainer that dies this often before it is ready (no TensorFlow, say) is not tried again."""


class Launcher(Protocol):
    """Starts and kills the process of a run."""

    def open(self, on_exit: OnExit) -> None:
        """Get ready; `on_exit` is called once for each launched folder."""

    def launch(self, folder: Path) -> None:
        """Begin the run in `folder`; returns at once."""

    def kill(self, folder: Path) -> None:
        """End the run's process now, if there is one."""

    def close(self) -> None:
        """Kill everything and wait until it is gone."""


class FreshProcess:
    """One `python -m pipeline.trainer FOLDER` for each run."""

    def __init__(self, niceness: int = 0) -> None:
        self._niceness = niceness
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def open(self, on_exit: OnExit) -> None:
        self._on_exit = on_exit

    def launch(self, folder: Path) -> None:
        with (folder / "trainer.log").open("ab") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "pipeline.trainer", str(folder)],
                stdin=subprocess.PIPE,  # closes when this process dies; the run watches it
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=_environment(),
                start_new_session=True,
            )
        if self._niceness and hasattr(os, "setpriority"):
            # Beyond our own: only the superuser may take niceness away.
            mine = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, process.pid, min(19, mine + self._niceness))
        with self._lock:
            self._processes[folder] = process
        threading.Thread(target=self._wait, args=(folder, process), daemon=True).start()

    def kill(self, folder: Path) -> None:
        with self._lock:
            process = self._processes.get(folder)
        if process is not None:
            process.kill()
            process.wait()

    def close(self) -> None:
        with self._lock:
            folders = list(self._processes)
        for folder in folders:
            self.kill(folder)

    def _wait(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        status = process.wait()
        with self._lock:
            del self._processes[folder]
        assert process.stdin is not None
        process.stdin.close()
        self._on_exit(folder, status)


class ForkingTrainer:
    """The warm trainer process, its pipes, and a thread that reads what it says."""

    def __init__(self, log: Path, niceness: int = 0) -> None:
        self._log, self._niceness = log, niceness
        self._lock = threading.Lock()
        self._running: set[Path] = set()
        self._closed = False
        self._false_starts = 0
        self.ready = threading.Event()
        """Set while the trainer has TensorFlow imported."""

    @property
    def pid(self) -> int:
        """The trainer's process id."""
        return self._process.pid

    def open(self, on_exit: OnExit) -> None:
        self._on_exit = on_exit
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._start()

    def launch(self, folder: Path) -> None:
        with self._lock:
            if self._false_starts < MOST_FALSE_STARTS:
                self._running.add(folder)
                self._say(run=str(folder))
                return
        threading.Thread(target=self._on_exit, args=(folder, TRAINER_BROKEN)).start()

    def kill(self, folder: Path) -> None:
        with self._lock:
            if folder in self._running:
                self._say(kill=str(folder))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            process = self._process
            _hang_up(process)
        try:
            process.wait(timeout=5 if self.ready.is_set() else 0)
        except subprocess.TimeoutExpired:  # still importing: nothing of value is lost
            process.kill()
            process.wait()

    def _start(self) -> None:
        with self._log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pipeline.trainer", "--niceness", str(self._niceness)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(),
                start_new_session=True,
            )
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _say(self, **command: str) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(command).encode() + b"\n")
            stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # it has just died; `_listen` reports every running folder

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            message = json.loads(line)
            if "ready" in message:
                self.ready.set()
            elif "exited" in message:
                self._report(Path(message["exited"]), message["status"])
        process.wait()
        process.stdout.close()
        with self._lock:
            _hang_up(process)
            lost = list(self._running)
            self._false_starts = 0 if self.ready.is_set() else self._false_starts + 1
            self.ready.clear()
            broken = self._false_starts >= MOST_FALSE_STARTS
            if not self._closed and not broken:
                self._start()
        for folder in lost:
            self._report(folder, TRAINER_BROKEN if broken else TRAINER_DIED)

    def _report(self, folder: Path, status: int) -> None:
        with self._lock:
            if folder not in self._running:
                return
            self._running.remove(folder)
        self._on_exit(folder, status)


class NoTrainer:
    """Where TensorFlow is not installed: every run is reported as not to be had."""

    def open(self, on_exit: OnExit) -> None:
        self._on_exit = on_exit

    def launch(self, folder: Path) -> None:
        threading.Thread(target=self._on_exit, args=(folder, TRAINER_BROKEN)).start()

    def kill(self, folder: Path) -> None:
        """There is no process."""

    def close(self) -> None:
        """There is nothing to close."""


def tensorflow_is_installed() -> bool:
    """Whether there is a TensorFlow to start; asks without importing it."""
    try:
        return importlib.util.find_spec("tensorflow") is not None
    except ModuleNotFoundError:
        return False


def default_launcher(log: Path, niceness: int = 0) -> Launcher:
    """The warm trainer where forking after importing TensorFlow is safe, else fresh processes."""
    if not tensorflow_is_installed():
        return NoTrainer()
    if sys.platform == "linux":
        return ForkingTrainer(log, niceness)
    return FreshProcess(niceness)


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe to the trainer; what a dead one never read is lost with it."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def _environment() -> dict[str, str]:
    """This process's environment, with the project importable from any working directory."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "2"}
