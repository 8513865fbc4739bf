"""The core pages from Overview to Training trace, on several tables and numbers of replicas."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pipeline.sources import Csv
from pipeline.uploads import Uploads
from tests.browser.late import Late
from tests.serving import ROOT, Server
from ui.contents import CONTENTS, CORE, TRACES

pytestmark = pytest.mark.browser

PAGES = [entry for entry in CONTENTS if entry.group in (CORE, TRACES)]
GOOD_CSV = ROOT / "tests" / "cases" / "data" / "good.csv"
# Rows and columns the way the tables' own descriptions give them: 10,000 x 20; 1,797 digits of 64
# pixels and 64 rows of 4 columns, of which a fifth is held out; classes decide the outputs.
TABLES = {
    "synthetic": (10_000, 20, 1),
    "digits": (1_797 - round(1_797 / 5), 64, 10),
    "csv": (64 - round(64 / 5), 4, 1),
}


def expected_shapes(table: str, replicas: int, batch: int) -> list[str]:
    """The ribbon's five texts, worked out from scratch."""
    rows, columns, outputs = TABLES[table]
    piece = -(-min(batch, rows) // replicas)
    sizes, left = [], min(batch, rows)
    for _ in range(replicas):
        sizes.append(min(piece, left))
        left -= sizes[-1]
    parts = []
    for size in dict.fromkeys(sizes):
        times = sizes.count(size)
        parts.append(f"{times} × " * (times > 1) + f"({size:,} × {columns})")
    weights = (columns * 64 + 64) + (64 * 32 + 32) + (32 * outputs + outputs)
    gradient = f"{replicas} gradient{'s' * (replicas > 1)} of {weights:,}"
    table_shape = f"{rows:,} × {columns}"
    return [table_shape, table_shape, " + ".join(parts), gradient, f"{weights:,} weights"]


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


@pytest.mark.parametrize(
    ("table", "replicas", "batch"),
    [("synthetic", 2, 256), ("synthetic", 8, 255), ("digits", 3, 256), ("csv", 1, 7)],
)
def test_every_core_page_shows_the_right_shapes_and_the_same_row_and_no_exception(
    page: Page, server: Server, table: str, replicas: int, batch: int
) -> None:
    data = table
    if table == "csv":
        uploads = Uploads(server.data / "uploads", hours=24)
        data = uploads.save(Csv("good.csv", GOOD_CSV.read_bytes()))
    shapes = expected_shapes(table, replicas, batch)
    titles, rows = [], set()
    page.goto(f"{server.url}/?data={data}&replicas={replicas}&global_batch={batch}&row=11")
    for number, entry in enumerate(PAGES):
        if number:  # walk as a learner does: by the link at the page's end
            page.get_by_role("link", name=f"Next: {entry.title}").click()
            page.wait_for_url(f"**/{entry.slug}?**")
        page.locator("h1").wait_for()
        settled(page)
        assert page.get_by_test_id("stException").count() == 0, entry.slug
        ribbon = page.locator(".st-key-ribbon a")
        expect(ribbon).to_have_count(5)
        for link, shape in zip(ribbon.all(), shapes, strict=True):
            expect(link).to_contain_text(shape)
        titles.append(page.title())
        for panel in page.locator(".st-key-row_panel").all():
            rows.update(re.findall(r"Your row · ([\d,]+) · label (\S+)", panel.inner_text()))
    assert len(set(titles)) == len(PAGES), "a window title of its own for each page"
    assert len(rows) == 1, f"one row throughout: {rows}"
    assert next(iter(rows))[0] == "11"


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.slug)
def test_a_page_opened_first_works_without_the_ones_before_it(
    page: Page, server: Server, entry
) -> None:
    page.goto(f"{server.url}/{entry.path}?replicas=3")
    page.locator("h1").wait_for()
    settled(page)
    assert page.get_by_test_id("stException").count() == 0
    expect(page.locator(".st-key-ribbon")).to_contain_text("3 gradients")


def test_browser_back_returns_to_the_page_and_the_settings_before(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/load?replicas=3")
    page.get_by_role("link", name="Next: 2 Normalise").click()
    page.wait_for_url("**/normalise?**")
    page.go_back()
    page.wait_for_url("**/load?**")
    expect(page.locator("h1")).to_contain_text("One table")
    expect(page.locator(".st-key-ribbon")).to_contain_text("3 gradients")


def test_a_link_followed_before_the_settings_are_drawn_takes_them_along(
    page: Page, server: Server
) -> None:
    """On a slow line the code of an input arrives after the links of the page."""
    inputs = Late(page, "**/NumberInput.*.js")
    page.goto(f"{server.url}/load?replicas=3")
    page.get_by_role("link", name="Next: 2 Normalise").click()
    expect(page.locator("h1")).to_contain_text("Each column")
    inputs.release()
    page.wait_for_url("**/normalise?replicas=3")
    expect(page.get_by_role("spinbutton", name="Replicas")).to_have_value("3")
