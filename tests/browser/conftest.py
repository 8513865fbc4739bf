"""A real server, a real Chromium: what the browser tests share.

The server is the app as a learner starts it, on a free port, with an empty data folder. Chromium
is the system's own; where there is none these tests fail and say how to get it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.serving import PATIENCE

expect.set_options(timeout=1000 * PATIENCE)
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


Newcomer = Callable[..., BrowserContext]


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
def newcomer(browser: Browser) -> Iterator[Newcomer]:
    """Makes a fresh learner: no cookies, nothing stored. Playwright's options may be given."""
    made: list[BrowserContext] = []

    def arrive(**options: Any) -> BrowserContext:
        made.append(browser.new_context(**options))
        made[-1].set_default_timeout(1000 * PATIENCE)
        return made[-1]

    yield arrive
    for context in made:
        context.close()


@pytest.fixture
def context(newcomer: Newcomer) -> BrowserContext:
    """The learner of most tests."""
    return newcomer(viewport={"width": 1280, "height": 1200})


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab that fails its test when the page's own code raises."""
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    yield tab
    assert errors == []
