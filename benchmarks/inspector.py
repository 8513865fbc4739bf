"""What the step inspector costs as runs get longer: a run of 200 steps beside one of 2,000.

    python benchmarks/inspector.py [--rounds 5] [--json]

Trains both runs for real, starts the app on a free port and opens the inspector in Chromium: the
time until the first picture is drawn, then until another step's is after an arrow key, and what the
server sent meanwhile over Streamlit's socket. Milliseconds and bytes, medians; nothing else should
be going on.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from pipeline.config import RunConfig
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.runs import Runs
from tests.browser.conftest import CHROMIUM, QUIET
from tests.serving import start_server

CONFIGS = {"200 steps": RunConfig(epochs=5), "2,000 steps": RunConfig(epochs=50)}
DRAWN = """() => {
    const player = window.found();
    return player?.views.length > 0 && player.views[0] !== window.before && player;
}"""
FIND = """window.found = () => {
    for (const node of document.querySelectorAll(".st-key-inspected *")) {
        const inside = node.shadowRoot?.querySelector(".still");
        if (inside) return inside.player;
    }
}"""


class Received:
    """Counts the bytes that the server sends over a page's sockets."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._add)

    def _add(self, frame: str | bytes) -> None:
        self.bytes += len(frame)


def train(folder: Path) -> dict[str, str]:
    """Make the runs for real in a data folder; their ids by name."""
    runs = Runs(folder / "runs", ForkingTrainer(folder / "trainer.log"), Limits())
    runs.open()
    try:
        made = {}
        for name, config in CONFIGS.items():
            made[name] = runs.start(config, "benchmark")
            state = runs.wait(made[name], 600).state
            assert state == "finished", f"{name}: {state}"
        return made
    finally:
        runs.close()


def look(browser: Browser, url: str, run_id: str, scrubs: int) -> tuple[list[float], list[float]]:
    """Open the inspector of one run in a fresh browser context, and go on step by step.

    Returns [milliseconds, bytes] of the opening, and of all scrubs one after the other.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 1200})
    context.set_default_timeout(120_000)
    context.add_init_script(FIND)
    page = context.new_page()
    received = Received(page)
    start = time.perf_counter()
    page.goto(f"{url}/inspector?run={run_id}")
    page.wait_for_function(DRAWN)
    opened = [1000 * (time.perf_counter() - start), float(received.bytes)]
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    slider = page.locator("[class*=st-key-inspected_step] input")
    slider.press("Home")
    page.wait_for_timeout(1500)  # until all of it is drawn
    moved = []
    for _ in range(scrubs):
        page.evaluate("window.before = window.found().views[0]; 0")
        before = received.bytes
        start = time.perf_counter()
        slider.press("ArrowRight")
        page.wait_for_function(DRAWN)
        took = 1000 * (time.perf_counter() - start)
        page.wait_for_timeout(700)  # the rest of the step arrives
        moved += [took, float(received.bytes - before)]
    context.close()
    return opened, moved


def measure(rounds: int) -> dict[str, dict[str, int]]:
    """Both runs, in turn, `rounds` times; the first opening only warms up."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = train(Path(folder) / "data")
        server = start_server(Path(folder) / "data")
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
            look(browser, server.url, made["200 steps"], 1)
            seen: dict[str, list[tuple[list[float], list[float]]]] = {name: [] for name in made}
            for _ in range(rounds):
                for name, run_id in made.items():
                    seen[name].append(look(browser, server.url, run_id, 5))
            browser.close()
        finally:
            server.stop()
        return {name: _summary(looks) for name, looks in seen.items()}


def _summary(looks: list[tuple[list[float], list[float]]]) -> dict[str, int]:
    def median(values: list[float]) -> int:
        return round(statistics.median(values))

    return {
        "first_picture_ms": median([opened[0] for opened, _ in looks]),
        "first_picture_bytes": median([opened[1] for opened, _ in looks]),
        "scrub_ms": median([took for _, moved in looks for took in moved[::2]]),
        "scrub_bytes": median([sent for _, moved in looks for sent in moved[1::2]]),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.rounds)
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'':<22}" + "".join(f"{name:>14}" for name in found))
    for name in next(iter(found.values())):
        print(f"{name:<22}" + "".join(f"{one[name]:>14,}" for one in found.values()))


if __name__ == "__main__":
    main()
