"""Break it in a browser: a card is guessed, really run, and finds its place in the picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.player import PlayerView
from tests.serving import Server

pytestmark = pytest.mark.browser


def test_a_card_is_opened_by_a_link_guessed_run_and_placed(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/break-it?card=from-pytorch")
    card = page.locator(".st-key-card")
    expect(card.get_by_role("heading", name="23. Coming from PyTorch?")).to_be_visible()
    expect(page.locator("table.card")).to_have_count(0)
    card.get_by_text("be right", exact=True).click()
    card.get_by_role("button", name="Run it").click()

    expect(card.get_by_text("A silent mistake.")).to_be_visible()
    expect(card.get_by_text("You had guessed that it would be right.")).to_be_visible()
    expect(page.get_by_text("A recorded answer")).to_have_count(0)
    gradient = page.locator("table.card tr", has_text="Combined gradient").locator("td")
    assert gradient.all_inner_texts()[1:] == ["2 × one device", "as on one device"]
    player = PlayerView(page)
    player.wait_for_position(1)
    expect(page.locator(".player .status").first).to_contain_text("23. from PyTorch: silent.")
