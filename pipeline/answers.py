"""Questions put to TensorFlow, answered once and kept: what-if steps, experiments, probes.

A question is a task of `pipeline.trainer.tasks` with its arguments. Whoever asks the same again,
or at the same time, gets the same answer; a new TensorFlow asks anew. Answers are folders with a
`result.json`, and share the queue and the limits of the runs through `pipeline.workers`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pipeline
from pipeline import run_log
from pipeline.events import RunFailed, RunFinished, Terminal
from pipeline.run_log import RESULT_NAME
from pipeline.workers import Workers

RECORDED = Path(__file__).parent / "recorded" / "answers"
"""The recorded answers that ship."""
KEPT = 1_000
"""Answers beyond this number are cleared away, the oldest first."""


@dataclass(frozen=True)
class Answer:
    """Where a question stands. `result` is what the task returned, once it is done."""

    key: str
    folder: Path
    state: Literal["asked", "done", "failed"]
    result: Any = None
    error: str = ""


class Answers:
    """All answers under one folder."""

    def __init__(self, folder: Path, workers: Workers, recorded: Path = RECORDED) -> None:
        self.folder, self._workers, self._recorded = folder, workers, recorded

    def ask(
        self, task: str, arguments: Mapping[str, Any], places: Mapping[str, Path] | None = None
    ) -> Answer:
        """Ask, unless it was asked before; returns at once. Raises LimitError when full.

        `places` are folders the task reads, beside the arguments that name what is asked.
        A question that failed is asked again.
        """
        key = question_key(task, arguments)
        folder = self.folder / key
        with self._workers.changed:
            answer = self.get(key)
            if answer is not None and answer.state != "failed":
                return answer
            self._workers.check_room()
            shutil.rmtree(folder, ignore_errors=True)
            self._clear_away()
            folder.mkdir(parents=True)
            read = {name: str(path) for name, path in (places or {}).items()}
            request = {"run_id": key, "task": task, "arguments": {**arguments, **read}}
            (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
            self._workers.submit(folder, _nothing)
        return Answer(key, folder, "asked")

    def get(self, key: str) -> Answer | None:
        """Where the question with this key stands; None when it was never asked."""
        folder = self.folder / key
        if not (folder / "request.json").exists():
            return None
        last = run_log.terminal(folder / run_log.FILE_NAME)
        if isinstance(last, RunFinished):
            result = json.loads((folder / RESULT_NAME).read_text(encoding="utf-8"))
            return Answer(key, folder, "done", result)
        if last is None and folder in self._workers.unfinished():
            return Answer(key, folder, "asked")
        error = last.error if isinstance(last, RunFailed) else "Lockstep was stopped meanwhile."
        return Answer(key, folder, "failed", error=error)

    def known(self, task: str, arguments: Mapping[str, Any]) -> Answer | None:
        """The answer to a question if it was asked, without asking it."""
        return self.get(question_key(task, arguments))

    def asked(self, task: str) -> list[Answer]:
        """Every answer to a question of this task that is kept, the oldest first."""
        if not self.folder.exists():
            return []
        mine = []
        for folder in self.folder.iterdir():
            with contextlib.suppress(OSError, ValueError):  # just asked, or just cleared away
                if _task_of(folder) == task:
                    mine.append(((folder / "request.json").stat().st_mtime, folder.name))
        found = [self.get(key) for _, key in sorted(mine)]
        return [answer for answer in found if answer is not None]

    def recorded(self, task: str, arguments: Mapping[str, Any]) -> Answer | None:
        """The answer that ships with Lockstep, if this question is among them."""
        folder = self._recorded / recorded_key(task, arguments)
        try:
            result = json.loads((folder / RESULT_NAME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Answer(folder.name, folder, "done", result)

    def wait(self, key: str, timeout: float) -> Answer | None:
        """Block until the answer is there or `timeout` seconds have passed."""

        def ended() -> bool:
            answer = self.get(key)
            return answer is None or answer.state != "asked"

        with self._workers.changed:
            self._workers.changed.wait_for(ended, timeout)
        return self.get(key)

    def _clear_away(self) -> None:
        if not self.folder.exists():
            return
        going = set(self._workers.unfinished())
        old = sorted(
            (path for path in self.folder.iterdir() if path not in going),
            key=lambda path: path.stat().st_mtime,
        )
        for path in old[: max(0, len(old) - KEPT)]:
            shutil.rmtree(path, ignore_errors=True)


@functools.lru_cache(maxsize=2 * KEPT)
def _task_of(folder: Path) -> str:
    """The task of a request, which never changes. Raises OSError or ValueError without one."""
    return str(json.loads((folder / "request.json").read_text(encoding="utf-8"))["task"])


def question_key(task: str, arguments: Mapping[str, Any]) -> str:
    """What names a question: its task, its arguments, and the versions that would answer it."""
    asked = json.dumps([task, dict(arguments), _versions()], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:24]


def recorded_key(task: str, arguments: Mapping[str, Any]) -> str:
    """What names a recorded answer: the task and its arguments, whatever the versions were."""
    asked = json.dumps([task, dict(arguments)], sort_keys=True)
    return f"{task}-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"


@functools.cache
def _versions() -> list[str]:
    found = [pipeline.__version__]
    for package in ("tensorflow", "tensorflow-cpu", "keras"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _nothing(_folder: Path, _last: Terminal) -> None:
    """An answer is read from its folder; there is nothing to remember."""
