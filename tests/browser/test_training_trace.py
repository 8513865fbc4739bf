"""The training trace: marks glide from epochs to updates, on demand only."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.pipeline.processes import until
from tests.serving import Server

pytestmark = pytest.mark.browser

POINTS = """async node => {
    const {view, vgSpec} = node.player.views[0];
    await view.runAsync();
    const rows = vgSpec.data.map(({name}) => view.data(name)).find(
        ([row]) => row?.update !== undefined && row.x !== undefined);
    return rows.map(({who, update, epoch, x}) => ({who, update, epoch, x}));
}"""


def test_the_axis_glides_from_epochs_to_updates_when_asked(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/training-trace")
    shown = page.locator(".st-key-picture .player")
    shown.locator("canvas").wait_for()
    page.wait_for_function("node => node.player.views.length", arg=shown.element_handle())
    expect(shown.locator(".status")).to_contain_text("Against updates")
    points = shown.evaluate(POINTS)
    assert [p["x"] for p in points] == pytest.approx([p["update"] / 200 for p in points])
    shown.get_by_role("slider").press("Home")
    expect(shown.locator(".status")).to_contain_text("Against epochs")

    def by_epoch() -> bool:
        points = shown.evaluate(POINTS)
        return [p["x"] for p in points] == pytest.approx([p["epoch"] / 5 for p in points])

    until(by_epoch, "the points stand at their epochs")


def test_the_reference_example_stands_beside_the_run_and_is_labelled(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/training-trace")
    expect(page.get_by_text("its numbers come from no run here")).to_be_visible()
    expect(page.locator("table.trace")).to_have_count(2)
    expect(page.locator("table.trace").nth(1).locator("tbody tr")).to_have_count(5)
