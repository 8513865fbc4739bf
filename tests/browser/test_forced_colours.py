"""High contrast: the reader's own few colours replace the page's, grounds and shadows go.

What a page says by a ground alone is lost then, and a canvas is left as it was drawn. So each of
them is looked at on the screen itself, pixel by pixel.
"""

from __future__ import annotations

import io

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.test_access import DRAWN
from tests.serving import Server
from ui.palette import PALETTES

pytestmark = pytest.mark.browser
Colour = tuple[int, int, int]
IDLE = ("data-test-script-state", "notRunning")
SYSTEM = """name => {
    const probe = document.body.appendChild(document.createElement("span"));
    probe.style.color = name;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found.match(/\\d+/g).slice(0, 3).map(Number);
}"""
"""A colour of the reader's own, as numbers."""
RINGED = """() => {
    const levels = [document.activeElement];
    while (levels.length < 5) levels.push(levels.at(-1).parentElement);
    return levels.some((node) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(node);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
}"""
"""Whether what has the keyboard, or what Streamlit draws in its place, has a ring."""


@pytest.fixture
def forced(newcomer: Newcomer, request: pytest.FixtureRequest) -> Page:
    """A tab with forced colours, on dark or on light ground."""
    scheme = getattr(request, "param", "light")
    options = {"forced_colors": "active", "color_scheme": scheme, "reduced_motion": "reduce"}
    return newcomer(viewport={"width": 1280, "height": 1200}, **options).new_page()


def system(page: Page, name: str) -> Colour:
    red, green, blue = page.evaluate(SYSTEM, name)
    return red, green, blue


def seen(place: Locator) -> Image.Image:
    """What stands on the screen there."""
    return Image.open(io.BytesIO(place.screenshot())).convert("RGB")


def middle(place: Locator) -> Colour:
    image = seen(place)
    found = image.getpixel((image.width // 2, image.height // 2))
    assert isinstance(found, tuple)
    return found[:3]  # type: ignore[return-value]


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""

    def light(colour: Colour) -> float:
        parts = [part / 255 for part in colour]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted([light(one), light(other)])
    return (high + 0.05) / (low + 0.05)


def in_numbers(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@pytest.mark.parametrize("forced", ["light", "dark"], indirect=True)
def test_a_chart_is_drawn_in_the_readers_ink_and_replicas_can_be_told_apart(
    forced: Page, server: Server, request: pytest.FixtureRequest
) -> None:
    forced.goto(f"{server.url}/distribute")
    expect(forced.locator("canvas")).to_have_count(2)
    forced.wait_for_function(DRAWN)
    canvas = forced.locator("canvas").first
    colours = seen(canvas).getcolors(maxcolors=1 << 20)
    assert colours is not None
    shown = {colour: count for count, colour in colours}
    paper, ink = system(forced, "Canvas"), system(forced, "CanvasText")
    palette = PALETTES[request.node.callspec.params["forced"]]
    replicas = [in_numbers(palette[name]) for name in ("R0", "R1")]
    assert contrast(paper, ink) > 7
    assert shown.get(ink, 0) > 50, "labels and the ring around one's own row"
    for colour in replicas:
        assert shown.get(colour, 0) > 1000
        assert contrast(colour, paper) > 3
    # Their letters stand in the table too, as text.
    for name in ("R0", "R1"):
        expect(forced.get_by_role("cell", name=name, exact=True).first).to_be_visible()


def test_what_is_chosen_switched_on_or_has_the_keyboard_can_be_seen(
    forced: Page, server: Server
) -> None:
    forced.goto(f"{server.url}/faster")
    expect(forced.get_by_test_id("stApp")).to_have_attribute(*IDLE)
    paper = system(forced, "Canvas")
    option = forced.get_by_test_id("stRadioOption")
    ring = "> div > div:first-child"
    assert (
        middle(forced.locator(f"[data-testid=stRadioOption][data-selected] {ring}").first) != paper
    )
    assert middle(option.locator(f":scope:not([data-selected]) {ring}").first) == paper

    switch = forced.locator("label:has([role=switch]):visible")
    knob = switch.locator("> div:first-of-type > div")
    places = set()
    for on in (True, False):
        switch.get_by_role("switch").set_checked(on, force=True)
        expect(forced.get_by_test_id("stApp")).to_have_attribute(*IDLE)
        track = system(forced, "Highlight") if on else paper
        assert contrast(middle(knob), track) >= 3
        box = knob.bounding_box()
        assert box
        places.add(round(box["x"]))
    assert len(places) == 2, "on and off look alike"

    chosen = forced.get_by_role("tab", selected=True)
    assert middle(chosen.locator(".react-aria-SelectionIndicator")) != paper

    chosen.focus()
    for _ in range(5):
        forced.keyboard.press("Tab")
        assert forced.evaluate(RINGED), forced.evaluate("document.activeElement.outerHTML")
