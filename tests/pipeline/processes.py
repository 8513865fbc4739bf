"""Real processes for tests: start the command line, wait for a condition, see who is alive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """`python -m pipeline` with these arguments, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def until(condition: Callable[[], Any], what: str, timeout: float = 60) -> Any:
    """Wait until `condition` gives something true, and return it."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {timeout} s in vain until {what}"
        time.sleep(0.01)
    return value


def alive(pid: int) -> bool:
    """Whether the process runs (Linux); a dead one that nobody has reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def children(pid: int) -> list[int]:
    """The process's children that run (Linux)."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [child for child in found if alive(child)]


def descendants(pid: int) -> list[int]:
    """Children, their children, and so on (Linux)."""
    found = children(pid)
    for child in list(found):
        found += descendants(child)
    return found
