"""The diagnosis by keyboard alone, in a real browser: nothing typed is lost, right or wrong."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.serving import Server
from ui.words import words

pytestmark = pytest.mark.browser

SAID = words("faster-diagnose")


def test_numbers_are_typed_asked_and_mended_without_a_mouse(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/faster")
    answer = page.locator(".st-key-diagnose_result")
    page.get_by_role("tab", name=words("faster").text("tab_diagnose")).press("Enter")
    expect(answer).to_contain_text(SAID.text("cause_open"))
    one = page.get_by_role("textbox", name=SAID.text("one"), exact=True)
    many = page.get_by_role("textbox", name=SAID.text("many"), exact=True)
    one.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("17 ms")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(many).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("20")
    page.keyboard.press("Enter")
    warning = page.get_by_role("alert").filter(has_text=SAID.text("many"))
    expect(warning).to_contain_text("got “20”")
    expect(one).to_have_value("17 ms")
    expect(many).to_have_value("20")
    many.focus()
    page.keyboard.press("End")
    page.keyboard.type(" ms")
    page.keyboard.press("Enter")
    expect(answer).to_contain_text(SAID.text("cause_small_batch"))
    expect(answer).to_contain_text("0.85 times the rows a second")
    expect(warning).to_have_count(0)
