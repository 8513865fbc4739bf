"""Whose run it is: a cookie that scripts cannot read owns it; others watch and no more."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.player import PlayerView
from tests.serving import Server

pytestmark = pytest.mark.browser


def test_a_browser_gets_an_unguessable_cookie_that_scripts_cannot_read(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/train")
    page.locator(".st-key-train_button button").wait_for()
    cookies = [c for c in page.context.cookies() if c["name"] == "lockstep"]
    assert len(cookies) == 1
    assert cookies[0]["httpOnly"]
    assert cookies[0]["sameSite"] == "Lax"
    assert len(cookies[0]["value"]) >= 32
    assert "lockstep" not in page.evaluate("document.cookie")


def test_a_reload_keeps_the_run_ones_own_and_a_stranger_can_only_watch(
    page: Page, newcomer: Newcomer, server: Server
) -> None:
    page.goto(f"{server.url}/train?epochs=200&global_batch=100")
    page.locator(".st-key-train_button button").click()
    PlayerView(page).wait_for_own_run()
    stop = page.locator(".st-key-stop_button button")
    page.reload()
    expect(stop).to_be_enabled()
    stranger = newcomer().new_page()
    stranger.goto(page.url)
    PlayerView(stranger).wait_for_position(5)
    expect(stranger.locator(".st-key-stop_button button")).to_be_disabled()
    stranger.get_by_text("Experiment: presets").click()
    expect(stranger.get_by_text("Your own runs will be listed here")).to_be_visible()
    stop.click()
    PlayerView(page).wait_for_phase("stopped")


def test_the_event_stream_of_an_unknown_run_is_plainly_refused(server: Server) -> None:
    for run_id in ("0" * 20, "..%2f..%2fetc", "two-replicas%00"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{server.url}/runs/{run_id}/events", timeout=10)
        with caught.value as answer:
            assert answer.code in (400, 404)
            assert b"Traceback" not in answer.read()


def test_the_event_stream_of_the_recorded_run_says_everything_and_ends(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/runs/two-replicas/events", timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.read().decode().splitlines()
    messages = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    rows = [row for told in messages for row in told.get("rows", {}).get("steps", [])]
    assert {row["at"] for row in rows} == set(range(1, 201))
    assert messages[-1]["phase"] == "finished"


def test_a_queue_place_is_shown_while_a_run_waits(newcomer: Newcomer, server: Server) -> None:
    contexts = [newcomer() for _ in range(3)]
    pages = [context.new_page() for context in contexts]
    for tab in pages:
        tab.goto(f"{server.url}/train?epochs=200&global_batch=100")
        tab.locator(".st-key-train_button button").click()
        PlayerView(tab).wait_for_own_run()
    expect(pages[2].locator(".player .status").first).to_contain_text("number 1 in the queue")
    pages[0].locator(".st-key-stop_button button").click()
    PlayerView(pages[2]).wait_for_position(3)
    for tab in pages[1:]:
        tab.locator(".st-key-stop_button button").click()
        PlayerView(tab).wait_for_phase("stopped")
    for context in contexts:
        context.close()


def test_a_run_beyond_a_limit_is_refused_with_a_sentence_that_names_it(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/train?epochs=200&global_batch=8")
    page.locator(".st-key-train_button button").click()
    expect(page.get_by_role("alert")).to_contain_text("this server allows 20,000")
