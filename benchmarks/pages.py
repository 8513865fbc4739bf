"""How long a learner waits: page switch and setting change, in a real Chromium.

    python benchmarks/pages.py [--rounds 5] [--json]

Starts the app on a free port, walks the lesson by the sidebar's links and turns the number of
replicas up and down. A switch is over when the new page's heading stands and the script has run;
a change when the ribbon shows it. Milliseconds, one browser, nothing else going on.
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

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, QUIET
from tests.serving import start_server
from ui.contents import CONTENTS, CORE, TRACES
from ui.words import words

PAGES = [entry for entry in CONTENTS if entry.group in (CORE, TRACES)]
DONE = "[data-testid=stApp][data-test-script-state=notRunning]"


def switches(page: Page, rounds: int) -> list[float]:
    """Milliseconds of each page switch; the first round only warms up."""
    found = []
    for number in range(rounds + 1):
        for entry in [*PAGES[1:], PAGES[0]]:
            start = time.perf_counter()
            page.get_by_test_id("stSidebarNav").get_by_role(
                "link", name=entry.title, exact=True
            ).click()
            title = words(entry.slug).title.partition("{")[0]
            heading = page.locator("h1", has_text=title) if title else page.locator("h1")
            heading.wait_for()
            page.wait_for_selector(DONE)
            if number:
                found.append(1000 * (time.perf_counter() - start))
    return found


def changes(page: Page, url: str, rounds: int) -> list[float]:
    """Milliseconds from a turn of the number of replicas to the ribbon that shows it."""
    page.goto(f"{url}/load")
    page.wait_for_selector(DONE)
    found = []
    for turn in range(4 * rounds):
        up = turn % 2 == 0
        button = "stNumberInputStepUp" if up else "stNumberInputStepDown"
        start = time.perf_counter()
        page.locator(f".st-key-replicas [data-testid={button}]").click()
        page.locator(".st-key-ribbon", has_text=f"{3 if up else 2} gradients").wait_for()
        found.append(1000 * (time.perf_counter() - start))
    return found[2:]


def measure(rounds: int) -> dict[str, float]:
    """Start app and browser, measure, stop both."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = start_server(Path(folder) / "data")
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
            page = browser.new_page(viewport={"width": 1280, "height": 1200})
            start = time.perf_counter()
            page.goto(server.url)
            page.locator("h1").wait_for()
            first = 1000 * (time.perf_counter() - start)
            page.wait_for_selector(DONE)
            switched = switches(page, rounds)
            changed = changes(page, server.url, rounds)
            browser.close()
        finally:
            server.stop()
    return {
        "first_page_ms": round(first),
        "switch_p50_ms": round(statistics.median(switched)),
        "switch_p95_ms": round(statistics.quantiles(switched, n=20)[-1]),
        "change_p50_ms": round(statistics.median(changed)),
        "change_p95_ms": round(statistics.quantiles(changed, n=20)[-1]),
        "switches": len(switched),
        "changes": len(changed),
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
    else:
        for name, value in found.items():
            print(f"{name:<16} {value:>8}")


if __name__ == "__main__":
    main()
