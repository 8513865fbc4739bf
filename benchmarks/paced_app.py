"""The lesson's own app over paced runs: `streamlit run benchmarks/paced_app.py`.

Pages, routes, feed and player are the app's; only the launcher is another one, which starts
`benchmarks.paced_run` where the app's asks the trainer. `POST /benchmark/runs` starts one.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import ui.charts  # noqa: F401
from benchmarks.paced_run import Plan
from pipeline.config import RunConfig
from pipeline.launch import ROOT, OnExit
from ui import services, web


class Paced:
    """A launcher (`pipeline.launch.Launcher`) of paced runs, all with the plan set last."""

    def __init__(self) -> None:
        self.plan = Plan(0, 0, 1)
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}

    def open(self, on_exit: OnExit) -> None:
        self._on_exit = on_exit

    def launch(self, folder: Path) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.paced_run", str(folder), self.plan.to_json()],
            cwd=ROOT,
        )
        self._processes[folder] = process
        threading.Thread(target=self._wait, args=(folder, process), daemon=True).start()

    def kill(self, folder: Path) -> None:
        self._processes[folder].kill()
        self._processes[folder].wait()

    def close(self) -> None:
        for folder in self._processes:
            self.kill(folder)

    def _wait(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self._on_exit(folder, process.wait())


launcher = Paced()


vars(services)["default_launcher"] = lambda _log, _niceness: launcher  # used by services.runs


async def start(request: Request) -> JSONResponse:
    """Start a paced run; the query holds its plan."""
    query = request.query_params
    launcher.plan = Plan(int(query["backlog"]), int(query["steps"]), float(query["rate"]))
    run_id = services.runs().start(RunConfig(epochs=launcher.plan.epochs), "benchmark")
    return JSONResponse({"run": run_id})


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """As in `app.py`."""
    runs = services.runs()
    services.feed()
    gc.collect()
    gc.freeze()
    yield {}
    runs.close()


app = st.App(
    str(ROOT / "pages" / "main.py"),
    lifespan=lifespan,
    routes=[Route("/benchmark/runs", start, methods=["POST"]), *web.routes()],
    middleware=[Middleware(web.LearnerCookie)],
)
