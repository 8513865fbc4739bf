"""Presenter view in a hall: keys alone, large type, notes on request; and terms that explain."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.late import Late
from tests.browser.player import PlayerView
from tests.browser.quiz import serious_faults, settle
from tests.serving import Server
from ui.contents import CONTENTS

pytestmark = pytest.mark.browser

TOO_SMALL = """() => {
    const found = [];
    const look = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) look(node.shadowRoot);
            const text = [...node.childNodes].find((c) => c.nodeType === 3 && c.data.trim());
            const { fontSize, visibility, clipPath } = getComputedStyle(node);
            const shown = node.getBoundingClientRect().width && visibility !== "hidden";
            if (!text || !shown || clipPath !== "none" || node.closest("style, title")) continue;
            const pixels = parseFloat(fontSize) * node.currentCSSZoom;
            if (pixels < 24) found.push(`${pixels} px: ${text.data.trim().slice(0, 60)}`);
        }
    };
    look(document);
    return found;
}"""
"""Texts on screen, those in shadow trees and in charts too, of less than 24 pixels."""


def present(page: Page, server: Server, path: str) -> PlayerView:
    """Open a page as its presenter does, and wait until its picture has the keyboard."""
    page.goto(f"{server.url}/{path}")
    player = PlayerView(page)
    expect(player.root).to_be_focused()
    player.root.locator(".chart svg").first.wait_for()
    return player


def test_keys_alone_lead_through_the_pages_and_the_steps_of_a_picture(
    page: Page, server: Server
) -> None:
    player = present(page, server, "?view=presenter&replicas=3")
    press = page.keyboard.press
    expect(player.root).to_have_attribute("data-position", "0")
    press("ArrowRight")
    player.wait_for_position(1)
    press("End")
    player.wait_for_position(3)
    press("q")
    press("ArrowRight")
    expect(page.locator(".st-key-reply")).to_be_visible()
    press("q")
    expect(player.root).to_be_focused()

    press("n")
    page.wait_for_url("**/load?**")
    expect(page.locator("h1")).to_contain_text("One table")
    press("n")
    page.wait_for_url("**/normalise?**")
    expect(player.root).to_be_focused()
    expect(player.root).to_have_attribute("data-position", "0")
    press("p")
    page.wait_for_url("**/load?**")
    assert "view=presenter" in page.url
    assert "replicas=3" in page.url

    press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page.locator(".st-key-presenter")).to_have_count(0)
    assert "view=" not in page.url


def test_a_clickers_two_keys_step_the_picture_and_then_turn_the_page(
    page: Page, server: Server
) -> None:
    player = present(page, server, "normalise?view=presenter")
    page.keyboard.press("PageDown")
    player.wait_for_position(1)
    page.keyboard.press("PageDown")
    page.wait_for_url("**/distribute?**")
    expect(page.locator("h1")).to_contain_text("Every step")
    expect(player.root).to_have_attribute("data-position", "0")
    expect(player.root).to_be_focused()
    page.keyboard.press("PageUp")
    page.wait_for_url("**/normalise?**")


def small_and_beside(page: Page) -> list[str]:
    """What a projector must not show."""
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    sideways = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return ["sideways"] * sideways + page.evaluate(TOO_SMALL)


def test_nothing_that_is_projected_is_smaller_than_24_pixels_or_beside_the_page(
    page: Page, server: Server
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    player = present(page, server, "distribute?view=presenter")
    assert small_and_beside(page) == []
    assert serious_faults(page) == []
    page.keyboard.press("End")
    above_the_bar(player)


def above_the_bar(player: PlayerView) -> None:
    """Wait until the picture stands whole between the upper edge and the bar."""
    player.root.page.wait_for_function(
        """node => {
            const { top, bottom } = node.getBoundingClientRect();
            const bar = document.querySelector(".st-key-presenter").getBoundingClientRect();
            return top >= 0 && bottom <= bar.top;
        }""",
        arg=player.root.element_handle(),
    )


@pytest.mark.soak
@pytest.mark.parametrize("path", ["mirror", "aggregate", "prediction-trace", "faster"])
def test_a_picture_gives_way_to_the_bar_in_a_low_hall(
    page: Page, server: Server, path: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    player = present(page, server, f"{path}?view=presenter")
    page.keyboard.press("End")
    above_the_bar(player)


@pytest.mark.soak
@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("entry", CONTENTS, ids=lambda entry: entry.slug)
def test_no_page_is_too_small_in_a_hall(page: Page, server: Server, entry, width: int) -> None:
    page.set_viewport_size({"width": width, "height": width * 9 // 16})
    page.goto(f"{server.url}/{entry.path}?view=presenter")
    page.locator("h1").wait_for()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    for figure in page.locator(".chart").all():
        figure.locator("svg").wait_for()
    assert small_and_beside(page) == []


def test_what_is_too_small_is_found(page: Page) -> None:
    page.set_content("<p style='font-size: 30px'>large <small>quiet</small></p>")
    page.evaluate(
        "document.body.attachShadow({mode: 'open'}).innerHTML = '<b style=font-size:9px>tiny</b>'"
    )
    assert page.evaluate(TOO_SMALL) == ["9 px: tiny"]


def test_notes_come_with_a_key_and_go_with_it_and_never_arrive_before(
    page: Page, server: Server
) -> None:
    received: list[bytes] = []
    page.on(
        "websocket",
        lambda socket: socket.on(
            "framereceived",
            lambda data: received.append(data if isinstance(data, bytes) else data.encode()),
        ),
    )
    present(page, server, "distribute?view=presenter")
    wrong = "The usual wrong answer"
    assert not any(wrong.encode() in frame for frame in received)
    page.keyboard.press("s")
    expect(page.get_by_role("complementary", name="Speaker notes")).to_contain_text(wrong)
    page.keyboard.press("s")
    expect(page.get_by_role("complementary", name="Speaker notes")).to_have_count(0)


def test_the_link_for_the_class_opens_the_same_page_and_settings_as_a_learner(
    page: Page, server: Server, browser: Browser
) -> None:
    present(page, server, "distribute?view=presenter&replicas=4&row=17")
    page.keyboard.press("l")
    link = page.locator(".st-key-presenter_link code").inner_text().strip()

    learner = browser.new_page()
    learner.goto(link)
    expect(learner.locator("h1")).to_have_text("Every step cuts one batch")
    expect(learner.locator(".st-key-ribbon")).to_contain_text("4 gradients")
    expect(learner.locator(".st-key-row_panel")).to_contain_text("Your row · 17")
    expect(learner.locator(".st-key-presenter")).to_have_count(0)
    learner.context.close()


def test_a_picture_that_is_drawn_anew_when_the_presenter_views_style_comes_late_and_when_it_goes(
    page: Page, server: Server
) -> None:
    style = Late(page, "**/Html.*.js")
    page.goto(f"{server.url}/distribute?view=presenter")
    chart = PlayerView(page).root.locator(".chart").first
    expect(chart.locator("canvas")).to_be_visible()
    style.release()
    expect(chart.locator("svg")).to_be_visible()
    settle(page)
    assert small_and_beside(page) == []
    page.keyboard.press("Escape")
    expect(chart.locator("canvas")).to_be_visible()


@pytest.mark.parametrize("width", [700, 1000, 1280])
def test_the_sentence_of_a_term_stays_in_the_window_and_beside_its_term(
    page: Page, server: Server, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{server.url}/distribute?replicas=3")
    settle(page)  # what comes late moves the words below it
    for name in ("step", "global batch", "strategy"):
        term = page.get_by_role("button", name=name, exact=True).first
        term.focus()
        sentence = page.locator(f"[role=tooltip][id='{term.get_attribute('aria-describedby')}']")
        expect(sentence.first).to_be_visible()
        at, said = term.bounding_box(), sentence.first.bounding_box()
        assert at is not None
        assert said is not None
        assert said["x"] >= 0
        assert said["x"] + said["width"] <= width
        assert said["x"] - 20 <= at["x"] <= said["x"] + said["width"]
        assert abs(said["y"] - at["y"] - at["height"]) < 20


def test_a_term_shows_its_sentence_on_hover_on_focus_and_on_a_tap(
    page: Page, server: Server
) -> None:
    page.goto(server.url)
    term = page.get_by_role("button", name="replica", exact=True)
    sentence = page.get_by_text("One copy of the whole model, on one device.")
    expect(term).to_have_accessible_description("One copy of the whole model, on one device.")
    expect(sentence).to_be_hidden()
    term.hover()
    expect(sentence).to_be_visible()
    page.mouse.move(0, 0)
    expect(sentence).to_be_hidden()
    term.focus()
    expect(sentence).to_be_visible()

    page.set_viewport_size({"width": 390, "height": 800})
    page.mouse.click(5, 400)
    expect(sentence).to_be_hidden()
    term.click()  # what a tap becomes
    expect(sentence).to_be_visible()
    box = sentence.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
