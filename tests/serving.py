"""The app as a learner starts it: on a free port, with a data folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiz.attempt import Attempt
from quiz.attempts import AttemptStore
from quiz.database import open_database

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_TENSORFLOW: dict[str, Any] = {"PYTHONPATH": str(ROOT / "tests/without_tensorflow")}
"""Environment of a server where it is not installed; such a server starts with less work."""
PATIENCE = 90
"""Seconds to wait for a condition: on a busy machine a page may take its time."""


@dataclass
class Server:
    """One `streamlit run app.py`, in a process of its own."""

    process: subprocess.Popen[bytes]
    url: str
    data: Path

    def stop(self) -> None:
        """End it as Ctrl-C would, if it has not ended."""
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_server(
    data: Path, port: int | None = None, *, root: Path = ROOT, **environment: str
) -> Server:
    """Start the app and wait until it answers."""
    if port is None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    log = data.parent / f"server-{port}.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "LOCKSTEP_DATA": str(data), **environment},
        )
    server = Server(process, f"http://localhost:{port}", data)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1):
                return server
        except OSError:
            time.sleep(0.1)
    server.stop()
    raise AssertionError(f"the server did not start; see {log}")


Serve = Callable[..., Server]
"""What the fixture `serve` is: `start_server`, for this test only."""


def healthy(server: Server) -> bool:
    """Whether the server answers that it is well."""
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=PATIENCE) as answer:
        return bool(answer.status == 200)


def attempts_in(server: Server) -> list[Attempt]:
    """Every attempt in the server's database, read while the server uses it."""
    engine = open_database(f"sqlite:///{server.data / 'quiz.db'}")
    with engine.connect() as db:
        learners = [row[0] for row in db.exec_driver_sql("SELECT id FROM learners")]
    store = AttemptStore(engine)
    found = [attempt for learner in learners for attempt in store.all_of(learner)]
    engine.dispose()
    return found
