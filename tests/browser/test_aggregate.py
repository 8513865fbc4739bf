"""Leave your row out, and one class each, as a learner sees them: real answers, real runs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pipeline import recordings, runs
from pipeline.step_records import StepRecord, record_path
from tests.pipeline.processes import until
from tests.serving import Server

pytestmark = pytest.mark.browser

CELLS = """async node => {
    const {view, vgSpec} = node.player.views[0];
    await view.runAsync();
    const rows = vgSpec.data.map(({name}) => view.data(name)).find(
        ([row]) => row?.shade !== undefined && row.who);
    return rows.map(({column, row, cell, v, seen}) => ({column, row, cell, v, seen}));
}"""


def player(page: Page):
    shown = page.locator(".st-key-picture .player")
    shown.locator("canvas").wait_for()
    page.wait_for_function("node => node.player.views.length", arg=shown.element_handle())
    return shown


def panels(page: Page) -> dict[tuple[int, int], list[float]]:
    """The drawn cells of each panel, by (row, column)."""
    found: dict[tuple[int, int], list[float]] = {}
    for cell in player(page).evaluate(CELLS):
        found.setdefault((cell["row"], cell["column"]), []).append(cell["v"])
    return found


def expect_one_blank(found: dict[tuple[int, int], list[float]]) -> None:
    assert len(found) == 6
    blank = [place for place, cells in found.items() if not any(cells)]
    assert len(blank) == 1
    assert blank[0][1] == 0, "the blank panel is an own gradient"
    for column in (1, 2):
        assert found[0, column] == found[1, column]


def test_one_panel_is_exactly_zero_and_the_rows_agree_after_the_all_reduce(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/aggregate")
    expect_one_blank(panels(page))
    status = player(page).locator(".status")
    expect(status).to_contain_text("Weights: every copy takes the same update")
    player(page).get_by_role("button", name="One step back").click()
    expect(status).to_contain_text("After the all-reduce")
    player(page).get_by_role("slider").press("Home")
    expect(status).to_contain_text("Own gradient")

    def seen() -> set[tuple[int, int]]:
        return {(cell["column"], cell["seen"]) for cell in player(page).evaluate(CELLS)}

    until(lambda: seen() == {(0, 1), (1, 0), (2, 0)}, "only the first column is shown")


def test_another_row_is_answered_by_tensorflow_itself(page: Page, server: Server) -> None:
    record = StepRecord.load(record_path(runs.RECORDED / recordings.DEFAULT, 2))
    row = int(record.rows[1][3])
    page.goto(f"{server.url}/aggregate?row={row}")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "R0 never saw your row, and learned from it"
    )
    expect_one_blank(panels(page))
    panel = page.locator(".st-key-row_panel")
    expect(panel).to_contain_text("Used in step 2, on R1")
    expect(panel).to_contain_text("difference between the copies exactly 0.0")


def test_one_class_each_really_runs_three_ways(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/aggregate?data=breast-cancer&epochs=20&global_batch=64")
    page.locator(".st-key-one_class_button button").click()
    result = page.get_by_text("Your three runs, made on this machine: 20 epochs, 2 replicas.")
    expect(result).to_be_visible(timeout=180_000)
    told = page.get_by_text("On all rows it is")
    expect(told).to_have_count(1)  # the recorded runs' sentence is gone
    shares = re.findall(r"(\d+\.\d)%", told.inner_text().split("On all rows")[1])
    every_step, once, never = map(float, shares[:3])
    assert every_step > 80
    assert every_step > max(once, never)
