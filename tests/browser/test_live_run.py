"""A learner presses Train: what the browser shows while a real run is going on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.player import PlayerView
from tests.serving import Server

pytestmark = pytest.mark.browser
LONG = "?epochs=200&global_batch=100"


def open_page(page: Page, server: Server, query: str = "") -> None:
    page.goto(f"{server.url}/train{query}")
    page.locator(".st-key-train_button button").wait_for()


def press_train(page: Page) -> None:
    page.locator(".st-key-train_button button").click()
    PlayerView(page).wait_for_own_run()


def test_the_curve_grows_before_the_run_is_over_and_stop_ends_it(
    page: Page, server: Server
) -> None:
    open_page(page, server, LONG)
    press_train(page)
    player = PlayerView(page)
    player.wait_for_position(20)
    before = player.drawn_points()
    player.wait_for_position(400)
    assert player.drawn_points() > before
    assert player.edge < 20_000, "the run is still going on"
    page.get_by_role("button", name="Stop", exact=True).click()
    player.wait_for_phase("stopped")
    expect(page.locator(".player .status").first).to_have_text("Stopped. What was drawn stays.")
    assert player.edge < 20_000
    expect(page.locator(".st-key-train_button button")).to_be_enabled()


def test_progress_is_told_from_the_first_moment(page: Page, server: Server) -> None:
    seen = []
    open_page(page, server)
    page.expose_function("noteStatus", lambda text: seen.append(text))
    page.evaluate(
        """() => setInterval(() => {
            const host = [...document.querySelectorAll("*")].find(
                node => node.shadowRoot?.querySelector(".player"));
            const text = host?.shadowRoot.querySelector(".status")?.textContent;
            if (text) noteStatus(text);
        }, 20)"""
    )
    press_train(page)
    PlayerView(page).wait_for_position(10)
    told = " ".join(dict.fromkeys(seen))
    assert "Starting" in told
    assert "Tracing" in told
    assert "Step 1 of 200" in told or "Step 2 of 200" in told


def test_a_finished_run_shows_its_checks_devices_and_epochs(page: Page, server: Server) -> None:
    open_page(page, server, "?epochs=2")
    PlayerView(page).listen()
    press_train(page)
    PlayerView(page).wait_for_phase("finished")
    *_, (last, _) = PlayerView(page).heard("finished")
    assert re.fullmatch(r"The run has finished\. Epoch 2 of 2: loss \d\.\d{3}\.", last)
    PlayerView(page).jump_to_the_end()
    expect(page.get_by_role("heading", name="What this run proves")).to_be_visible()
    expect(page.locator("ul.checks li")).to_have_count(3)
    assert page.locator("ul.checks [aria-label='holds']").count() == 3
    expect(page.get_by_text("2 replicas on 2 logical CPU devices of this machine")).to_be_visible()
    expect(page.locator("table.epochs tbody tr")).to_have_count(2)


def test_settings_stand_in_the_url_and_a_copied_link_opens_them_elsewhere(
    page: Page, context: BrowserContext, server: Server
) -> None:
    open_page(page, server)
    replicas = page.get_by_role("spinbutton", name="Replicas")
    replicas.fill("3")
    replicas.press("Enter")
    expect(page.locator(".st-key-ribbon")).to_contain_text("3 gradients")
    page.wait_for_url("**replicas=3**")
    elsewhere = context.new_page()
    elsewhere.goto(page.url)
    expect(elsewhere.locator(".st-key-ribbon")).to_contain_text("3 gradients")


def test_a_link_with_a_value_that_cannot_be_used_says_so(page: Page, server: Server) -> None:
    open_page(page, server, "?replicas=99")
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("must be a whole number from 1 to 8; got '99'")
    expect(page.locator(".st-key-ribbon")).to_contain_text("2 gradients")


def test_a_link_to_a_run_that_is_gone_says_so(page: Page, server: Server) -> None:
    open_page(page, server, "?run=00000000000000000000")
    expect(page.get_by_text("There is no run '00000000000000000000' here")).to_be_visible()
