"""The small install: no TensorFlow on the machine, and still a lesson."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.player import PlayerView
from tests.serving import WITHOUT_TENSORFLOW, Server, start_server
from ui.contents import CONTENTS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = start_server(tmp_path_factory.mktemp("small") / "data", **WITHOUT_TENSORFLOW)
    yield started
    started.stop()


def test_every_page_works_on_recorded_runs_and_says_so(page: Page, small_server: Server) -> None:
    for entry in CONTENTS:
        page.goto(f"{small_server.url}/{entry.path}")
        page.locator("h1").wait_for()
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        assert page.get_by_test_id("stException").count() == 0, entry.slug
    page.goto(f"{small_server.url}/train")
    expect(page.get_by_text("TensorFlow is not installed on this server")).to_be_visible()
    expect(page.get_by_text("A recorded run", exact=True)).to_be_visible()
    PlayerView(page).wait_for_position(200)
    assert page.locator(".st-key-train_button").count() == 0
