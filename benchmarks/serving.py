"""Streamlit servers for a benchmark: started on a free port, paced runs started in them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paced_run import GO, WRITTEN, Plan
from pipeline.launch import ROOT


@dataclass(frozen=True)
class Server:
    """A running `streamlit run`."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://localhost:{self.port}"


@dataclass(frozen=True)
class PacedRun:
    """A paced run, seen from outside."""

    run_id: str
    folder: Path
    plan: Plan

    def go(self) -> None:
        """Let the steps behind the backlog come."""
        (self.folder / GO).touch()

    def written(self) -> list[tuple[int, float, int]]:
        """Wait for the last step, then (step, time, offset behind it in the log) of each."""
        path = self.folder / WRITTEN
        deadline = time.monotonic() + 30 + self.plan.steps / self.plan.rate
        while not path.exists():
            assert time.monotonic() < deadline, "the paced run does not end"
            time.sleep(0.05)
        time.sleep(0.05)  # until it is whole
        return [(step, moment, end) for step, moment, end in json.loads(path.read_text())]


@contextlib.contextmanager
def serve(script: str, data: Path) -> Iterator[Server]:
    """`streamlit run` of a script in this folder, over a data folder; ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = data.parent / f"{Path(script).stem}.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "LOCKSTEP_DATA": str(data),
                "LOCKSTEP_CONCURRENT_RUNS": "100",
                "LOCKSTEP_RUNS_PER_LEARNER": "100",
            },
        )
    try:
        deadline = time.monotonic() + 60
        while not _answers(port):
            alive = process.poll() is None and time.monotonic() < deadline
            assert alive, f"{script} does not start:\n{log.read_text()}"
            time.sleep(0.1)
        yield Server(process.pid, port)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start_run(server: Server, data: Path, plan: Plan) -> PacedRun:
    """Ask the paced app for a run."""
    query = f"backlog={plan.backlog}&steps={plan.steps}&rate={plan.rate}"
    url = f"{server.url}/benchmark/runs?{query}"
    with urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=30) as answer:
        run_id = json.load(answer)["run"]
    return PacedRun(run_id, data / "runs" / run_id, plan)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1):
            return True
    except OSError:
        return False
