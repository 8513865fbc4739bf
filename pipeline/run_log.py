"""A run's log: events, one JSON line each, appended by one writer and read by anyone.

`LogWriter` is held by the run's own process, which keeps an advisory lock on the file as long as
it lives: whoever gets the lock knows that the writer is gone. `read` starts at a byte offset and
returns whole lines only; a half-written last line waits until it is complete. `end` is how a log
is closed by the process that outlives the run.
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pipeline.damaged import Damaged
from pipeline.events import Event, EventError, Terminal, from_line, to_line

try:
    import fcntl
except ImportError:  # Windows: there the writer is always reaped before `end` is called
    fcntl = None  # type: ignore[assignment]

FILE_NAME = "events.jsonl"
OUTCOME_NAME = "outcome.json"
RESULT_NAME = "result.json"
PROGRESS_NAME = "progress.jsonl"
"""What long work writes on its way: any line is a sign of life."""


DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Why a file can take no more: no space, a quota, a size limit, a file system made read-only."""


def no_room(error: OSError) -> str:
    """What to tell a learner when the server's disk took no more."""
    return (
        f"The server could not keep this on its disk: {error.strerror or error}. What is there is "
        "untouched; whoever runs the server has to make room."
    )


class LogError(Damaged):
    """The log cannot be read, or is still being written."""


class Entry(NamedTuple):
    """One event and the offset just behind its line: where a reader goes on."""

    event: Event
    end: int


class LogWriter:
    """Append events to `path`. Each is in the file, whole, when `write` returns."""

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("ab", buffering=0)
        _lock(self._file, wait=True)

    def write(self, event: Event) -> None:
        """Append one event."""
        self._file.write(to_line(event).encode())

    def close(self) -> None:
        """Let go of the file and its lock."""
        self._file.close()


def read(path: Path, offset: int = 0, limit: int = -1) -> tuple[list[Entry], int]:
    """Events from byte `offset` on, and the offset behind the last whole line.

    Reads at most `limit` bytes (-1: all). A missing file reads as empty. Raises LogError for a
    line that is no event.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(limit)
    except FileNotFoundError:
        return [], offset
    entries: list[Entry] = []
    position = offset
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        position += len(line)
        try:
            event = from_line(line)
        except EventError as error:
            raise LogError(f"{path.name}, byte {position - len(line)}: {error}") from None
        if event is not None:
            entries.append(Entry(event, position))
    return entries, position


def events(path: Path) -> list[Event]:
    """All whole events of a log."""
    return [entry.event for entry in read(path)[0]]


def outline(path: Path) -> list[Event]:
    """All events but the steps: what a page tells of a run, whatever its length.

    A missing file reads as empty. Raises LogError for a line that is no event.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    found = []
    for number, line in enumerate(lines, start=1):
        if line.startswith(b'{"event":"step"'):
            continue
        try:
            event = from_line(line)
        except EventError as error:
            raise LogError(f"{path.name}, line {number}: {error}") from None
        if event is not None:
            found.append(event)
    return found


def ends(events: list[Event]) -> bool:
    """Whether the last of these events ends a log."""
    return bool(events) and isinstance(events[-1], Terminal)


def terminal(path: Path) -> Terminal | None:
    """The event that ended the log, or None while it is open. Reads only the last lines."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    with path.open("rb") as file:
        file.seek(max(0, size - 65_536))
        lines = file.read().split(b"\n")
    if len(lines) < 2:
        return None
    try:
        last = from_line(lines[-2])
    except EventError:
        return None
    return last if isinstance(last, Terminal) else None


def end(path: Path, event: Terminal, wait: float = 10.0) -> Terminal:
    """Close a log whose writer is gone: cut a half-written last line, append the last event.

    A log that already has an end keeps it; the end that stands is returned. Raises LogError when
    the writer still holds the log after `wait` seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        deadline = time.monotonic() + wait
        while not _lock(file, wait=False):
            if time.monotonic() > deadline:
                raise LogError(f"{path}: its run is still writing")
            time.sleep(0.01)
        already = terminal(path)
        if already is not None:
            return already
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)
        file.seek(0, os.SEEK_END)
        file.write(to_line(event).encode())
    return event


def write_outcome(folder: Path, event: Terminal) -> None:
    """Leave word in the run's folder how the run ended, all or nothing."""
    partial = folder / (OUTCOME_NAME + ".partial")
    partial.write_text(to_line(event), encoding="utf-8")
    os.replace(partial, folder / OUTCOME_NAME)


def read_outcome(folder: Path) -> Terminal | None:
    """What the run's own process said about its end, if it got that far."""
    try:
        event = from_line((folder / OUTCOME_NAME).read_bytes())
    except (FileNotFoundError, EventError):
        return None
    return event if isinstance(event, Terminal) else None


def _lock(file: BinaryIO, *, wait: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
