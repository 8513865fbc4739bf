"""How fast the scaling model answers a slider, in a real Chromium.

    python benchmarks/sliders.py [--moves 200] [--json] [--url http://localhost:8501/faster]

Moves each slider of the picture up and down. A move is over when Vega has drawn and the browser
has come round to its next frame. No server has a part in it, so that a busy one cannot slow it
down: `frames_sent` counts what the page sent to its server meanwhile and should be 0.
`sentence_changed` counts the moves that changed the sentence above the picture; some sliders
change it only in digits that are not shown.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page, sync_playwright

from benchmarks.machine import Moment
from tests.browser.conftest import CHROMIUM, QUIET
from tests.serving import start_server
from ui.words import words

SAID = words("faster-model")
PICTURE = f".still[aria-label='{SAID.text('picture')}']"
MOVE = """async (node, moves) => {
    const view = node.player.views[0].view, times = [];
    const told = node.querySelector(".told");
    const sliders = [...node.querySelectorAll(".vega-bindings input[type=range]")];
    for (let move = 0; move < moves; move += 1) {
        const slider = sliders[move % sliders.length];
        const up = Math.floor(move / sliders.length) % 2 === 0;
        const [low, high] = [Number(slider.min), Number(slider.max)];
        const before = told.textContent, start = performance.now();
        slider.value = low + (up ? 0.7 : 0.3) * (high - low);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await view.runAsync();
        await new Promise(requestAnimationFrame);
        times.push([performance.now() - start, told.textContent !== before]);
    }
    return times;
}"""


def measure(page: Page, url: str, moves: int) -> dict[str, float]:
    """Open the page, move its sliders, and say how long each move took."""
    frames: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda sent: frames.append(sent)))
    page.goto(url)
    page.get_by_role("tab", name=words("faster").text("tab_model")).click()
    page.locator(f"{PICTURE} canvas").wait_for()
    page.locator(PICTURE).evaluate(MOVE, 10)  # warm up
    sent, before = len(frames), Moment.now()
    told = page.locator(PICTURE).evaluate(MOVE, moves)
    times = [one for one, _ in told]
    return {
        "slider_p50_ms": round(statistics.median(times), 1),
        "slider_p95_ms": round(statistics.quantiles(times, n=20)[-1], 1),
        "slider_worst_ms": round(max(times), 1),
        "moves": len(times),
        "sentence_changed": sum(changed for _, changed in told),
        "frames_sent": len(frames) - sent,
        "foreign_load": round(before.foreign_load(Moment.now()), 2),
    }


@contextlib.contextmanager
def _served(url: str | None) -> Iterator[str]:
    """The page's address: the given one, or that of a server of our own."""
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder) / "data")
        try:
            yield f"{server.url}/faster"
        finally:
            server.stop()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--url", help="a page that is already served")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with _served(options.url) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        page = browser.new_page(viewport={"width": 1280, "height": 1200})
        found = measure(page, url, options.moves)
        browser.close()
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:<18} {value:>8}")


if __name__ == "__main__":
    main()
