"""Why isn't it faster? on screen: a measurement is begun for real, watched and stopped."""

from __future__ import annotations

import contextlib
import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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
    progress = page.get_by_test_id("stProgress")  # its words are also said to a screen reader
    expect(progress.get_by_text("Preparing the steps of")).to_be_visible()
    expect(measure).to_be_disabled()
    page.get_by_role("button", name="Stop measuring").click()
    expect(page.get_by_text("The measurement was stopped.")).to_be_visible()
    expect(measure).to_be_enabled()
    expect(page.locator("table.parts tbody tr")).to_have_count(4)


def to_the_right(page: Page, name: str) -> None:
    """From the chosen tab to its neighbour. A key pressed while the tabs are drawn anew is lost:
    then press again, as a person does who sees that nothing came of it."""
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    wanted = page.get_by_role("tab", name=name, selected=True)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        with contextlib.suppress(AssertionError):
            expect(wanted).to_be_visible(timeout=15_000)
            return
    expect(wanted).to_be_visible()


def test_every_section_opens_by_the_keyboard(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/faster")
    expect(page.locator(".player canvas")).to_have_count(2)
    expect(page.locator(".st-key-takeaway")).to_be_visible()
    page.get_by_role("tab", name="Measure here").focus()
    for name in ("Work it out", "Diagnose yours", "The learning rate"):
        to_the_right(page, name)
        settle(page)
        # A section is made when it is opened.
        expect(page.get_by_role("tabpanel", name=name)).to_contain_text(re.compile(r"\w"))
    expect(page.locator("table.rates tbody tr")).to_have_count(4)
    expect(page.get_by_text("The rule holds here")).to_be_visible()


class Line:
    """Between the server and the page: what follows a row of tabs can be held back."""

    def __init__(self, page: Page) -> None:
        self.slow = False
        """Hold back what comes after the next row of tabs."""
        self._held: list[str | bytes] | None = None
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, route: WebSocketRoute) -> None:
        self._page = route
        route.connect_to_server().on_message(self._pass)

    def _pass(self, message: str | bytes) -> None:
        if self._held is not None:
            self._held.append(message)
            return
        self._page.send(message)
        if self.slow and ForwardMsg.FromString(message).delta.add_block.HasField("tab_container"):
            self._held = []

    def release(self) -> None:
        """Send what was held back."""
        self.slow = False
        held, self._held = self._held, None
        for message in held or ():
            self._page.send(message)


def test_a_tab_has_the_keyboard_again_when_it_has_been_drawn_anew(
    page: Page, server: Server
) -> None:
    line = Line(page)
    page.goto(f"{server.url}/faster")
    expect(page.locator(".player canvas")).to_have_count(2)
    expect(page.locator(".st-key-takeaway")).to_be_visible()
    settle(page)
    page.get_by_role("tab", name="Measure here").focus()
    line.slow = True
    page.keyboard.press("ArrowRight")
    chosen = page.get_by_role("tab", name="Work it out")
    expect(chosen).to_be_disabled()
    expect(chosen).not_to_be_focused()
    line.release()
    settle(page)
    expect(chosen).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Diagnose yours")).to_be_focused()
