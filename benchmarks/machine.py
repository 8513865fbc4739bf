"""What the machine was doing meanwhile: our own CPU time, and everybody else's.

Linux only: it reads /proc. "Own" is this process and all that descend from it; "foreign" is every
other CPU second that the machine spent, time stolen by a hypervisor included. A process that ends
without being waited for moves from own to foreign, as Chromium's do when it is closed: look at
moments while it is open.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

CALM = 0.5
"""Others used at most this many cores: what was measured meanwhile can be believed."""
_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


@dataclass(frozen=True)
class Moment:
    """Seconds since some start: by the clock, of all CPUs busy, of our own processes."""

    wall: float
    busy: float
    own: float

    @classmethod
    def now(cls) -> Self:
        """Read all three at once."""
        return cls(time.monotonic(), _busy(), own_cpu())

    def foreign_load(self, later: Moment) -> float:
        """Cores that others used on average between this moment and a later one."""
        foreign = (later.busy - self.busy) - (later.own - self.own)
        return max(0.0, foreign / (later.wall - self.wall))


def own_cpu() -> float:
    """CPU seconds of this process, its living descendants, and the ended ones they waited for."""
    parents = {
        pid: stat
        for path in _PROC.glob("[0-9]*/stat")
        if (pid := int(path.parts[2])) and (stat := _stat(path))
    }
    mine = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, stat in parents.items() if int(stat[1]) in mine} - mine
        mine |= more
        grown = bool(more)
    return sum(sum(map(int, parents[pid][11:15])) for pid in mine if pid in parents) / _TICK


def process_cpu(pid: int) -> float:
    """CPU seconds of one process, without its children."""
    return sum(map(int, _stat(_PROC / str(pid) / "stat")[11:13])) / _TICK


def children_cpu(pid: int) -> float:
    """CPU seconds of the ended children that a process waited for."""
    return sum(map(int, _stat(_PROC / str(pid) / "stat")[13:15])) / _TICK


def children(pid: int) -> list[int]:
    """The living children of a process's main thread."""
    return [int(child) for child in (_PROC / f"{pid}/task/{pid}/children").read_text().split()]


def private_megabytes(pid: int) -> float:
    """Memory that only this process has (USS), in 10^6 bytes. Raises OSError when it is gone."""
    lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    sizes = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
    return sum(sizes) * 1024 / 1e6


def _stat(path: Path) -> list[str]:
    """The fields of a /proc stat file behind the command's name; empty when it is gone."""
    try:
        return path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _busy() -> float:
    """CPU seconds of all cores that were neither idle nor waiting for a disk."""
    fields = list(map(int, (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]))
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / _TICK
