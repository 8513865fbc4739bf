"""Why isn't it faster? on screen: a measurement is begun for real, watched and stopped."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.quiz import settle
from tests.serving import Server

pytestmark = pytest.mark.browser


def test_a_measurement_is_begun_watched_and_stopped_and_the_recorded_one_stays(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/faster")
    expect(page.locator(".player canvas")).to_have_count(2)
    expect(page.locator(".player .status").first).to_contain_text("What was measured.")
    page.get_by_text("hardly less, or even longer").click()
    expect(page.locator(".st-key-reply")).to_contain_text("Yes. Measured:")
    measure = page.get_by_role("button", name="Measure, about")
    measure.click()
    expect(page.get_by_text("Preparing the steps of")).to_be_visible()
    expect(measure).to_be_disabled()
    page.get_by_role("button", name="Stop measuring").click()
    expect(page.get_by_text("The measurement was stopped.")).to_be_visible()
    expect(measure).to_be_enabled()
    expect(page.locator("table.parts tbody tr")).to_have_count(4)


def test_every_section_opens_by_the_keyboard(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/faster")
    expect(page.locator(".player canvas")).to_have_count(2)
    expect(page.locator(".st-key-takeaway")).to_be_visible()
    page.get_by_role("tab", name="Measure here").focus()
    for name in ("Work it out", "Diagnose yours", "The learning rate"):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        settle(page)  # Streamlit loses a key that is pressed while it draws
        # A section is made when it is opened; Streamlit loses keys pressed faster than that.
        expect(page.get_by_role("tabpanel", name=name)).to_contain_text(re.compile(r"\w"))
    expect(page.locator("table.rates tbody tr")).to_have_count(4)
    expect(page.get_by_text("The rule holds here")).to_be_visible()
