"""The whole lesson with the keyboard alone: every page, and where the keyboard is at every key.

The quiz has such a test of its own (`test_quiz.py`), and so has the presenter view.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.player import PlayerView
from tests.browser.quiz import settle
from tests.serving import Server
from ui.contents import CONTENTS, TEACH

pytestmark = pytest.mark.browser

WHERE = """() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    if (!node || node === document.body) return null;
    const near = [...(node.closest("label")?.querySelectorAll("*") ?? [])];
    for (let up = node; up && near.push(up) && near.length < 40; ) up = up.parentElement;
    const look = () => near.map((one) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(one);
        return outlineStyle === "none" ? boxShadow : outlineWidth + outlineColor + boxShadow;
    }).join();
    const name = node.ariaLabel || node.labels?.[0]?.textContent || node.textContent || node.type;
    const focused = look();
    node.blur();
    const seen = look() !== focused;
    node.focus({ preventScroll: true, focusVisible: true });
    const key = node.closest("[class*=st-key-]")?.className.match(/st-key-([\\w-]+)/)?.[1] ?? "";
    return { name: name.trim().replace(/\\s+/g, " "), key, seen, tag: node.tagName };
}"""
"""What has the keyboard, in shadow trees too: its name, its Streamlit key, and whether a ring or a
shadow tells it from its look without the keyboard. null: nothing has it."""


@dataclass(frozen=True)
class Stop:
    """What has the keyboard."""

    name: str
    key: str
    seen: bool
    tag: str


class Keyboard:
    """Presses keys; after each one something must have the keyboard, and be seen to have it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.way: list[Stop] = []
        """Where the keyboard was on this page."""

    @property
    def stop(self) -> Stop:
        """Where the keyboard is now."""
        found = self.page.evaluate(WHERE)
        assert found, f"the keyboard is lost on {self.page.url}, after {self.way[-1:]}"
        assert found["seen"], f"nobody sees that {found} has the keyboard on {self.page.url}"
        self.way.append(Stop(**found))
        return self.way[-1]

    def press(self, key: str, times: int = 1) -> Stop:
        """Press a key; returns where the keyboard is then."""
        for _ in range(times):
            self.page.keyboard.press(key)
        return self.stop

    def to(self, name: str = "", key: str = "", back: bool = False) -> None:
        """Press Tab until something with this name and key has the keyboard."""
        for _ in range(80):
            stop = self.press("Shift+Tab" if back else "Tab")
            if re.match(name, stop.name) and stop.key.startswith(key):
                return
        raise AssertionError(f"Tab does not reach {name or key}: {self.way[-80:]}")

    def stays(self, key: str) -> None:
        """The page is drawn anew, and the keyboard is where it was."""
        settle(self.page)
        self.page.wait_for_function("() => document.activeElement !== document.body")
        assert self.stop.key.startswith(key)

    def next_page(self, title: str, slug: str) -> None:
        """Tab to the link at the page's end and follow it; the new title has the keyboard."""
        self.to(f".*Next: {re.escape(title)}")
        self.way.clear()
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(re.compile(rf"/{slug}(\?|$)"))
        expect(self.page.locator("h1")).to_be_focused()
        assert self.stop.tag == "H1"


def step_the_picture(page: Page, keyboard: Keyboard) -> None:
    """Begin, a step on, a step back: on every page with a picture that moves."""
    player = PlayerView(page)
    at = "([node, at]) => node.dataset.position === at"
    keyboard.to("Play")
    for key, position in (("Home", "0"), ("ArrowRight", "1"), ("ArrowLeft", "0")):
        keyboard.press(key)
        page.wait_for_function(at, arg=[player.root.element_handle(), position])
    keyboard.to("One step on")
    keyboard.to("Position")


def on_overview(page: Page, keyboard: Keyboard) -> None:
    step_the_picture(page, keyboard)
    player = PlayerView(page)
    keyboard.press("End")
    player.wait_for_position(3)
    keyboard.to(key="prediction_overview")
    keyboard.press("Space")
    expect(page.locator(".st-key-reply")).to_be_visible()
    keyboard.stays("prediction_overview")


def on_train(page: Page, keyboard: Keyboard) -> None:
    """A setting is changed, a run is started, heard and stopped."""
    keyboard.to(key="epochs", back=True)
    page.keyboard.type("200")
    keyboard.press("Enter")
    page.wait_for_url("**epochs=200**")
    keyboard.stays("epochs")
    keyboard.to("Train", "train_button")
    player = PlayerView(page)
    player.listen()
    page.keyboard.press("Enter")
    player.wait_for_own_run()
    player.heard(r"^Epoch \d+ of 200: loss \d\.\d{3}\.")
    keyboard.stays("train_button")
    keyboard.to("Stop")
    page.keyboard.press("Enter")
    player.wait_for_phase("stopped")
    told = player.heard("^Stopped")
    assert re.match("Waiting|Starting|Tracing", told[0][0])
    assert told[-1][0] == "Stopped. What was drawn stays."
    assert all(b - a > 2.9 for (_, a), (_, b) in pairwise(told[:-1])), f"it chatters: {told}"
    keyboard.stays("stop_button")
    keyboard.to("Train", "train_button", back=True)


def on_convert_it(page: Page, keyboard: Keyboard) -> None:
    keyboard.to(key="convert_run")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-convert_run")).to_have_count(0)
    keyboard.stays("convert")


def on_break_it(page: Page, keyboard: Keyboard) -> None:
    keyboard.to(key="card_guess")
    keyboard.press("Space")
    keyboard.stays("card_guess")


THERE = {
    "overview": on_overview,
    "train": on_train,
    "convert-it": on_convert_it,
    "break-it": on_break_it,
}


def test_the_whole_lesson_can_be_walked_with_the_keyboard_alone(
    newcomer: Newcomer, server: Server
) -> None:
    page = newcomer(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    keyboard = Keyboard(page)
    page.goto(server.url)
    page.locator("h1").wait_for()
    settle(page)
    assert keyboard.press("Tab").name == "Skip to main content"
    assert keyboard.press("Enter").tag == "MAIN"
    lesson = [entry for entry in CONTENTS if entry.group != TEACH]
    for here, after in pairwise(lesson):
        if here.slug in THERE:
            THERE[here.slug](page, keyboard)
        elif page.locator(".player").count():
            step_the_picture(page, keyboard)
        keyboard.next_page(after.title, after.slug)
        settle(page)
    assert page.url.partition("?")[0].endswith(lesson[-1].slug)
    expect(page.get_by_role("link", name=re.compile("Next: "))).to_have_count(0)
