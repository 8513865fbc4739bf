"""`python -m pipeline.trainer`: import TensorFlow once, then fork one child for each run.

Speaks JSON lines: in come `{"run": FOLDER}` and `{"kill": FOLDER}`, out go `{"ready": true}`,
`{"started": FOLDER, "pid": ...}` and `{"exited": FOLDER, "status": ...}` (negative: the signal).
It ends, and its children with it, when its standard input closes. Linux only.

`python -m pipeline.trainer FOLDER` does one run without forking, on any system.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import selectors
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
PR_SET_PDEATHSIG = 1


class Server:
    """The warm process: an event loop over standard input and the children's process handles."""

    def __init__(self) -> None:
        self.children: dict[str, int] = {}
        self.selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Loop until standard input closes; then kill what still runs."""
        self._say(ready=True)
        self.selector.register(0, selectors.EVENT_READ, None)
        pending = b""
        while True:
            for key, _ in self.selector.select():
                if key.data is not None:
                    self._reap(key.fd, key.data)
                    continue
                data = os.read(0, 65_536)
                if not data:
                    self._kill_all()
                    return
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self._obey(json.loads(line))

    def _obey(self, command: dict[str, str]) -> None:
        if "run" in command:
            self._fork(command["run"])
        elif command.get("kill") in self.children:
            os.kill(self.children[command["kill"]], signal.SIGKILL)

    def _fork(self, folder: str) -> None:
        trainer = os.getpid()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                _become_child(Path(folder), trainer)
                status = _work(folder)
            finally:
                os._exit(status)
        self.children[folder] = pid
        self.selector.register(os.pidfd_open(pid), selectors.EVENT_READ, folder)
        self._say(started=folder, pid=pid)

    def _reap(self, handle: int, folder: str) -> None:
        self.selector.unregister(handle)
        os.close(handle)
        _, status = os.waitpid(self.children.pop(folder), 0)
        self._say(exited=folder, status=os.waitstatus_to_exitcode(status))

    def _kill_all(self) -> None:
        for pid in self.children.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _say(self, **message: Any) -> None:
        os.write(1, json.dumps(message).encode() + b"\n")


def _become_child(folder: Path, trainer: int) -> None:
    """Die with the trainer, and leave the trainer's pipes alone."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != trainer:  # it died before the line above
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    stderr = os.open(folder / "trainer.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for target, source in ((0, nothing), (1, nothing), (2, stderr)):
        os.dup2(source, target)


def _end_with_parent() -> None:
    """End this process when its standard input closes: the parent is gone."""
    sys.stdin.read()
    os._exit(1)


def _work(folder: str) -> int:
    from pipeline.trainer.run import work

    return work(Path(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, or do one run."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.trainer", description=__doc__)
    parser.add_argument("folder", nargs="?", help="do the one run in this folder")
    parser.add_argument("--niceness", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.folder:
        threading.Thread(target=_end_with_parent, daemon=True).start()
        return _work(options.folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the parent's to handle
    os.nice(options.niceness)  # already now: the first page is opened while TensorFlow is imported
    import pipeline.trainer.run  # noqa: F401  what every child needs, imported once
    from pipeline import datasets

    for name in datasets.BUILT_IN:
        datasets.load(name)
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, every page of what is shared
    Server().serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
