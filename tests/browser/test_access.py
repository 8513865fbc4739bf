"""Every page, as somebody with a screen reader, a magnifier or a phone meets it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.quiz import serious_faults
from tests.serving import Server
from ui.contents import CONTENTS, Entry

pytestmark = pytest.mark.browser
THEMES = ("light", "dark")
NARROW = 320
"""Pixels: WCAG 2.2, 1.4.10, what a page of 1,280 is at 400 %."""
DRAWN = """() => {
    const players = [];
    const find = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.player) players.push(node.player);
        if (node.shadowRoot) find(node.shadowRoot);
    });
    find(document);
    return players.every((player) => player.views.length === player.data.charts.length);
}"""


def look_at(page: Page, server: Server, entry: Entry) -> None:
    page.goto(f"{server.url}/{entry.path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    page.wait_for_function(DRAWN)
    assert serious_faults(page) == []
    page.set_viewport_size({"width": NARROW, "height": 800})
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth"), "it scrolls sideways"


@pytest.fixture
def themed(newcomer: Newcomer, request: pytest.FixtureRequest) -> Page:
    viewport = {"width": 1280, "height": 900}
    return newcomer(viewport=viewport, color_scheme=request.param).new_page()


@pytest.mark.parametrize(
    ("entry", "themed"),
    [pytest.param(entry, THEMES[index % 2], id=entry.slug) for index, entry in enumerate(CONTENTS)],
    indirect=["themed"],
)
def test_a_page_has_no_serious_fault_and_fits_a_narrow_window(
    themed: Page, server: Server, entry: Entry
) -> None:
    look_at(themed, server, entry)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("entry", "themed"),
    [
        pytest.param(entry, THEMES[(index + 1) % 2], id=entry.slug)
        for index, entry in enumerate(CONTENTS)
    ],
    indirect=["themed"],
)
def test_a_page_has_no_serious_fault_in_the_other_theme_either(
    themed: Page, server: Server, entry: Entry
) -> None:
    look_at(themed, server, entry)
