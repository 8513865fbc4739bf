"""The scaling model's sliders: the browser answers alone, with the numbers of the Python model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from pipeline import scaling_presets
from tests.serving import Server
from ui.words import words

pytestmark = pytest.mark.browser

SAID = words("faster-model")
PICTURE = f".still[aria-label='{SAID.text('picture')}']"


def opened(page: Page, server: Server) -> Page:
    """The page with the model's picture drawn."""
    page.goto(f"{server.url}/faster")
    page.get_by_role("tab", name=words("faster").text("tab_model")).click()
    page.locator(f"{PICTURE} canvas").wait_for()
    return page


def signal(page: Page, name: str) -> float:
    """A number of the picture's Vega view, as drawn."""
    script = f"node => node.player.views[0].view.signal('{name}')"
    return float(page.locator(PICTURE).evaluate(script))


def slide(page: Page, name: str, value: float) -> None:
    """Move a slider as a pointer would: its value, and the event that goes with it."""
    slider = page.locator(PICTURE).get_by_label(SAID.text(name))
    slider.evaluate(
        "(node, value) => { node.value = value;"
        " node.dispatchEvent(new Event('input', { bubbles: true })); }",
        str(value),
    )


def test_sliders_give_the_numbers_of_the_python_model_by_keys_too_and_ask_no_server(
    page: Page, server: Server
) -> None:
    frames: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: frames.append(data)))
    opened(page, server)
    preset = scaling_presets.models()["lesson"]
    setup = preset.setup(scaling_presets.links()[preset.link])
    told = page.locator(PICTURE).locator(".told")
    expect(told).to_contain_text("2 devices are slower than 1")
    for count in (1, 2, 4, 8):
        expected = 1000 * setup.scaled(count, weak=False, batch=256).seconds
        assert signal(page, f"t{count}") == pytest.approx(expected)
    sent = len(frames)

    inside = page.get_by_role("group", name="foretold milliseconds a step")
    expect(inside.get_by_role("slider")).to_have_count(5)
    expect(inside.get_by_role("radio")).to_have_count(2)
    page.locator(PICTURE).get_by_label(SAID.text("power")).focus()
    page.keyboard.press("End")
    expect(told).to_contain_text("16,384 cut over 8 devices")
    page.keyboard.press("Tab")
    expect(page.locator(PICTURE).get_by_label(SAID.text("reached"))).to_be_focused()
    page.keyboard.press("ArrowLeft")
    assert signal(page, "reached") == 79

    slide(page, "power", 13)
    slide(page, "reached", 20)
    slide(page, "hidden", 90)
    slide(page, "again", 10)
    moved = replace(setup, reached=0.2, hidden=0.9, again=0.1)
    expect(told).to_contain_text("8,192 cut over 8 devices")
    for count in (1, 2, 4, 8):
        expected = 1000 * moved.scaled(count, weak=False, batch=8192).seconds
        assert signal(page, f"t{count}") == pytest.approx(expected)
    times = moved.speed_up(8, weak=False, batch=8192)
    expect(told).to_contain_text(f"{times:.2f} times the rows a second")

    page.locator(PICTURE).get_by_label(SAID.text("weak")).check()
    expect(told).to_contain_text("8,192 rows on each of 8 devices")
    weak = 1000 * moved.scaled(8, weak=True, batch=8192).seconds
    assert signal(page, "t8") == pytest.approx(weak)
    assert len(frames) == sent
