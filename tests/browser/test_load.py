"""A learner brings a table: what the browser shows of it, here and behind a copied link."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.player import PlayerView
from tests.serving import Server

pytestmark = pytest.mark.browser
CASES = Path(__file__).parents[1] / "cases/data"


def choose_file(page: Page, file: Path | FilePayload) -> None:
    page.locator("input[type=file]").set_input_files(file)


def expect_shape(page: Page, shape: str) -> None:
    """The first stage of the ribbon shows this shape."""
    expect(page.locator(".st-key-ribbon a").first).to_contain_text(shape)


def test_a_file_is_mended_in_the_page_and_a_copied_link_shows_it_elsewhere(
    page: Page, server: Server, newcomer: Newcomer
) -> None:
    page.goto(f"{server.url}/load?replicas=3")
    page.locator("canvas").first.wait_for()
    expect_shape(page, "10,000 × 20")
    choose_file(page, CASES / "missing_values.csv")
    expect(page.get_by_role("alert")).to_contain_text("column f2 row 5 is empty")
    expect_shape(page, "10,000 × 20")
    page.get_by_role("button", name="Leave these rows out").click()
    expect(page.get_by_text("30 rows for training")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_text("Your row · 1")).to_be_visible()
    page.wait_for_url("**row=1**")
    elsewhere = newcomer().new_page()
    elsewhere.goto(page.url)
    expect(elsewhere.get_by_text("30 rows for training")).to_be_visible()
    expect(elsewhere.get_by_text("Your row · 1")).to_be_visible()
    expect_shape(elsewhere, "30 × 4")


def test_going_back_shows_the_table_before(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/load?data=digits")
    expect(page.get_by_text("1,438 rows for training")).to_be_visible()
    choose_file(page, CASES / "good.csv")
    expect(page.get_by_text("51 rows for training")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1,438 rows for training")).to_be_visible()
    page.go_forward()
    expect(page.get_by_text("51 rows for training")).to_be_visible()


def test_names_of_the_learner_are_shown_letter_by_letter(page: Page, server: Server) -> None:
    names = "*a*,$b$,:red[c],<b>d</b>,`e`,[f](http://x),k-->l,:smile:,label"
    lines = [f"{n},7,{n},2,{n},3,1,7,{'_x_' if n % 2 else '<i>i</i>'}" for n in range(12)]
    file: FilePayload = {
        "name": "my *file* $1$.csv",
        "mimeType": "text/csv",
        "buffer": "\n".join([names, *lines]).encode(),
    }
    page.goto(f"{server.url}/load")
    page.locator("canvas").first.wait_for()
    choose_file(page, file)
    expect(page.get_by_text("my *file* $1$.csv. Your own file")).to_be_visible()
    expect(page.get_by_text("2 classes (<i>i</i>, _x_)")).to_be_visible()
    expect(page.get_by_text("$b$ (7), <b>d</b> (2), [f](http://x) (3)")).to_be_visible()
    assert page.locator("a[href='http://x']").count() == 0


def test_the_columns_are_stretched_one_step_at_a_time(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/normalise?data=breast-cancer")
    player = PlayerView(page)
    player.root.locator("canvas").wait_for()
    assert player.position == 1
    status = player.root.locator(".status")
    expect(status).to_contain_text("Every column runs from 0 to 1")
    page.get_by_role("button", name="One step back").click()
    player.wait_for_position(0)
    expect(status).to_contain_text("As loaded")
    page.get_by_role("button", name="One step on").click()
    player.wait_for_position(1)
    expect(status).to_contain_text("Every column runs from 0 to 1")
