"""Every page, as somebody with a screen reader, a magnifier or a phone meets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.quiz import faults, serious_faults, settle
from tests.serving import ROOT, Server
from ui.contents import CONTENTS, Entry
from ui.web import VEGA_URL

pytestmark = pytest.mark.browser
THEMES = ("light", "dark")
NARROW = 320
"""Pixels: WCAG 2.2, 1.4.10, what a page of 1,280 is at 400 %."""
DRAWN = """() => {
    const players = [];
    const find = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.player) players.push(node.player);
        if (node.shadowRoot) find(node.shadowRoot);
    });
    find(document);
    return players.every((player) => player.views.length === player.data.charts.length);
}"""
UNTOLD = """() => {
    const found = [];
    const told = (text) => (text ?? "").trim().length >= 20;
    const look = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) look(node.shadowRoot);
            if (node.player) {
                const { label, url, frames, total } = node.player.data;
                const named = node.role === "group" && node.ariaLabel;
                const still = node.className === "still";
                if (!named) found.push(`a player without a name: ${label}`);
                if (!still && !url && (frames.length <= total || !frames.every(told)))
                    found.push(`${label}: ${frames.length} sentences, ${total + 1} positions`);
                if (url && !/loss \\d/.test(node.player.slider.ariaValueText))
                    found.push(`${label}: its numbers are not told`);
            }
            if (!["CANVAS", "IMG", "SVG"].includes(node.tagName.toUpperCase())) continue;
            const figure = node.closest("figure");
            const line = figure?.querySelector(".told")?.textContent;
            const said = figure?.role === "img" ? told(figure.ariaLabel) : told(line);
            const inWords = figure ? said : node.closest("[aria-hidden=true], button, a, [alt]");
            const icon = node.closest("[data-testid$=Icon], summary, [data-rac]");
            if (!inWords && !icon && node.getBoundingClientRect().width)
                found.push(`without words: ${node.outerHTML.slice(0, 80)}`);
        }
    };
    look(document.querySelector("[data-testid=stMain]"));
    return found;
}"""
"""Pictures without the same in words: every position of a moving one has its sentence, every chart
its description, every icon a word beside it."""


FITS = """() => {
    const main = document.querySelector("[data-testid=stMain]");
    return document.documentElement.scrollWidth <= innerWidth
        && main.scrollWidth <= main.clientWidth;
}"""
"""Nothing scrolls sideways; charts take a moment to follow a window."""


def open_page(page: Page, server: Server, entry: Entry) -> None:
    """As somebody meets it who opens it first, without the pages before it."""
    page.goto(f"{server.url}/{entry.path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settle(page)
    page.wait_for_function(DRAWN, polling=100)
    assert page.get_by_test_id("stException").count() == 0


@pytest.fixture
def themed(newcomer: Newcomer, request: pytest.FixtureRequest) -> Page:
    viewport = {"width": 1280, "height": 900}
    if request.param == "forced":
        return newcomer(viewport=viewport, forced_colors="active").new_page()
    return newcomer(viewport=viewport, color_scheme=request.param).new_page()


@pytest.mark.parametrize(
    ("entry", "themed"),
    [pytest.param(entry, THEMES[index % 2], id=entry.slug) for index, entry in enumerate(CONTENTS)],
    indirect=["themed"],
)
def test_a_page_has_no_serious_fault_says_its_pictures_in_words_and_fits_a_narrow_window(
    themed: Page, server: Server, entry: Entry
) -> None:
    open_page(themed, server, entry)
    assert serious_faults(themed) == []
    assert themed.evaluate(UNTOLD) == []
    themed.set_viewport_size({"width": NARROW, "height": 800})
    themed.wait_for_function(FITS)


def test_a_picture_without_words_is_found(page: Page) -> None:
    page.set_content(
        """<div data-testid="stMain">
            <figure role="img" aria-label="It falls from 0.7 to 0.3."><canvas></canvas></figure>
            <figure role="img" aria-label="Loss"><canvas id="bare"></canvas></figure>
        </div>"""
    )
    assert page.evaluate(UNTOLD) == ['without words: <canvas id="bare"></canvas>']


FRESH = """async ([source, vega]) => {
    const { default: mount } = await import(URL.createObjectURL(
        new Blob([source], { type: "text/javascript" })
    ));
    const place = document.body.appendChild(document.createElement("div"));
    place.innerHTML = '<div class="player"></div>';
    const palette = { ink: "#000", quiet: "#777", line: "#ccc" };
    const data = {
        source: "new", vega, label: "new", charts: [], words: {}, frames: ["a", "b", "c"], total: 2,
        palettes: { light: palette, dark: palette }, fresh: true,
    };
    mount({ parentElement: place, data });
    const { playing, position } = place.firstChild.player;
    return [playing, position];
}"""


APART = 'document.createElement("div")'


@pytest.mark.parametrize(
    ("motion", "playing", "position"), [("no-preference", True, 0), ("reduce", False, 2)]
)
def test_a_new_picture_rests_at_its_end_for_those_who_want_no_motion(
    page: Page, server: Server, motion, playing: bool, position: int
) -> None:
    page.emulate_media(reduced_motion=motion)
    page.goto(f"{server.url}/_stcore/health")
    source = (ROOT / "ui/player/player.js").read_text(encoding="utf-8")
    assert page.evaluate(FRESH, [source, f"{server.url}{VEGA_URL}"]) == [playing, position]


def test_a_picture_that_is_already_taken_out_of_the_page_raises_nothing(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/_stcore/health")
    source = (ROOT / "ui/player/player.js").read_text(encoding="utf-8")
    apart = FRESH.replace('document.body.appendChild(document.createElement("div"))', APART)
    assert apart != FRESH
    page.evaluate(apart, [source, f"{server.url}{VEGA_URL}"])


def test_nothing_turns_or_slides_for_those_who_want_no_motion(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/teach")
    settle(page)
    turning = """() => {
        const style = document.body.appendChild(document.createElement("div")).style;
        style.animation = "turn 1s infinite";
        style.transition = "left 1s";
        const { animationDuration, transitionDuration } = getComputedStyle(document.body.lastChild);
        return [animationDuration, transitionDuration];
    }"""
    assert page.evaluate(turning) == ["1s", "1s"]
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(turning) == ["0.001s", "0s"]


@pytest.fixture(scope="module")
def report() -> Iterator[list[str]]:
    """Lines of a table that is printed at the end: `pytest -m soak -s` shows it."""
    lines: list[str] = []
    yield lines
    print("\npage | theme | width | critical | serious | moderate | minor", *lines, sep="\n")


@pytest.mark.soak
@pytest.mark.parametrize("entry", CONTENTS, ids=lambda entry: entry.slug)
@pytest.mark.parametrize("themed", [*THEMES, "forced"], indirect=True)
def test_a_page_has_no_serious_fault_in_any_theme_at_any_width(
    themed: Page, server: Server, entry: Entry, report: list[str], request
) -> None:
    theme = request.node.callspec.params["themed"]
    open_page(themed, server, entry)
    serious = []
    for width in (1280, NARROW):
        themed.set_viewport_size({"width": width, "height": 900})
        found = faults(themed)
        if theme == "forced":  # axe-core reads the colours that are not used then
            found = [one for one in found if not one[1].startswith("color-contrast")]
        counts = Counter(impact for impact, _ in found)
        numbers = [str(counts[name]) for name in ("critical", "serious", "moderate", "minor")]
        report.append(" | ".join([entry.slug, theme, str(width), *numbers]))
        report.extend(f"    {impact}: {text}" for impact, text in found)
        serious += [text for impact, text in found if impact in ("critical", "serious")]
    assert serious == []
