"""Convert it in a browser, by keyboard and on a phone; TensorFlow's answer is put in its place."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from pipeline import convert
from pipeline.answers import RECORDED, question_key, recorded_key
from pipeline.run_log import FILE_NAME, RESULT_NAME
from tests.serving import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def answered(server: Server) -> Server:
    """A server whose TensorFlow has answered what it is recorded to answer."""
    folder = server.data / "answers" / question_key(convert.TASK, {})
    folder.mkdir(parents=True, exist_ok=True)
    shipped = RECORDED / recorded_key(convert.TASK, {}) / RESULT_NAME
    (folder / RESULT_NAME).write_bytes(shipped.read_bytes())
    (folder / "request.json").write_text(json.dumps({"task": convert.TASK}))
    (folder / FILE_NAME).write_text('{"event":"run_finished","checks":{}}\n')
    return server


def test_marked_by_keyboard_and_run_the_board_says_which_calls_were_right(
    page: Page, answered: Server
) -> None:
    page.goto(f"{answered.url}/convert-it")
    page.locator("h1").wait_for()
    marks = page.get_by_role("checkbox")
    expect(marks).to_have_count(8)
    for letter in (3, 7):
        marks.nth(letter).press("Space")
        expect(marks.nth(letter)).to_be_checked()
    assert page.locator(".outcome").count() == 0
    page.get_by_role("button", name="Run all eight").press("Enter")
    expect(page.get_by_text("You called 8 of 8 as TensorFlow did.")).to_be_visible()
    expect(page.locator(".outcome.right")).to_have_count(2)
    expect(page.get_by_text("Run here, with TensorFlow")).to_be_visible()

    page.locator(".st-key-convert_choose_B button").press("Enter")
    shown = page.locator(".st-key-convert_shown")
    expect(shown).to_contain_text('RuntimeError: Need to be inside "with strategy.scope()"')
    expect(page.get_by_text("Nothing was trained by program B")).to_be_visible()
    page.get_by_role("radio", name="SGD").click()
    expect(shown).to_contain_text("AssertionError")
    page.get_by_role("radiogroup", name="build").get_by_role("radio", name="inside").click()
    expect(shown).to_contain_text("The optimizer counted 8 of 8 steps.")
    expect(page.get_by_test_id("stCode").first).to_contain_text('compile(optimizer="sgd"')


def test_on_a_phone_nothing_is_cut_off_sideways(page: Page, answered: Server) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{answered.url}/convert-it")
    page.get_by_role("button", name="Run all eight").click()
    expect(page.locator(".outcome")).to_have_count(8)
    for part in page.locator(".st-key-convert_board .outcome, table.programs").all():
        box = part.bounding_box()
        assert box is None or box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
