"""The bank of a running app: read again when its file changes, the last good one kept.

keeper = BankKeeper(Path("quiz/bank.yaml"), known_lessons=LESSONS)
bank = keeper.current()
for line in keeper.problems:      # for the teacher, never for a learner
    ...
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection
from pathlib import Path

from quiz.loading import Examined, examine
from quiz.model import Bank
from quiz.problems import BankError, report

_Stamp = tuple[int, int, int, int] | None


class BankKeeper:
    """Watches one file. Safe to share between threads; looking costs one `stat`."""

    def __init__(
        self,
        path: Path | str,
        *,
        known_lessons: Collection[str] | None = None,
        known_experiments: Collection[str] | None = None,
    ) -> None:
        self._path = Path(path)
        self._lessons = known_lessons
        self._experiments = known_experiments
        self._lock = threading.Lock()
        self._stamp: _Stamp = None
        self._found: Examined | None = None
        self._bank: Bank | None = None

    def current(self) -> Bank:
        """The newest good bank. Raises BankError only while there has never been one."""
        with self._lock:
            self._look()
            if self._bank is None:
                assert self._found is not None
                raise BankError(self._found.file, self._found.problems)
            return self._bank

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file as it is now, a line each; empty when it is in use."""
        with self._lock:
            self._look()
            assert self._found is not None
            return tuple(report(self._found.file, self._found.problems))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could be better in the file as it is now."""
        with self._lock:
            self._look()
            assert self._found is not None
            return tuple(report(self._found.file, self._found.warnings, "warning: "))

    def _look(self) -> None:
        stamp = _stamp(self._path)
        if self._found is not None and stamp == self._stamp:
            return
        found = examine(
            self._path, known_lessons=self._lessons, known_experiments=self._experiments
        )
        # A file that changed while it was read is read again at the next look.
        self._stamp = stamp if stamp == _stamp(self._path) else None
        self._found = found
        self._bank = found.bank or self._bank


def _stamp(path: Path) -> _Stamp:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
