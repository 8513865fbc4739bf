"""A real server, a real Chromium: what the browser tests share.

The server is the app as a learner starts it, on a free port, with an empty data folder. Chromium
is the system's own; where there is none these tests fail and say how to get it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# Condition, not timing: on a busy machine a page may take its time.
expect.set_options(timeout=20_000)
ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Server:
    """One `streamlit run app.py`, in a process of its own."""

    process: subprocess.Popen[bytes]
    url: str
    data: Path

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
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
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1):
                return server
        except OSError:
            time.sleep(0.1)
    server.stop()
    raise AssertionError(f"the server did not start; see {log}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The one server that most browser tests share."""
    started = start_server(tmp_path_factory.mktemp("browser") / "data")
    yield started
    started.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, headless."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert path, "no Chromium found: install Debian's package chromium, or Google Chrome"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh learner: no cookies, nothing stored."""
    made = browser.new_context(viewport={"width": 1280, "height": 1200})
    made.set_default_timeout(30_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab that fails its test when the page's own code raises."""
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    yield tab
    assert errors == []
