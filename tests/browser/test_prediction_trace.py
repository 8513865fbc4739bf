"""The prediction trace in a browser: a size chosen, layers stepped through, a row asked about."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pipeline import datasets, preprocess, recordings
from pipeline.prediction import activations
from pipeline.runs import RECORDED
from pipeline.step_records import StepRecord, record_path, recorded_steps
from tests.serving import Server

pytestmark = pytest.mark.browser

CELLS = """async node => {
    const {view, vgSpec} = node.player.views[0];
    await view.runAsync();
    const cells = vgSpec.data.map(({name}) => view.data(name)).find(
        ([row]) => row?.unit !== undefined && row.x2 !== undefined);
    const mine = cells.filter(({row}) => row === 7);
    return mine.map(({layer, who, unit, v}) => ({layer, who, unit, v}));
}"""


def test_sizes_are_chosen_and_layers_stepped_through_and_cells_are_the_activations(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/prediction-trace?row=7")
    shown = page.locator(".st-key-picture .player")
    shown.locator("canvas").wait_for()
    expect(shown.locator(".status")).to_contain_text("to shape (64, 1)")
    page.get_by_text("65", exact=True).click()
    expect(shown.locator(".status")).to_contain_text("to shape (65, 1)")
    shapes = page.locator("table.shapes tbody tr")
    expect(shapes).to_have_count(4)
    expect(shapes.nth(3)).to_have_text(re.compile(r"3\s*R1\s*\(0, 20\)\s*\(0, 64\)"))

    shown.locator("canvas").wait_for()
    page.wait_for_function("node => node.player.views.length", arg=shown.element_handle())
    cells = shown.evaluate(CELLS)
    run = RECORDED / recordings.DEFAULT
    weights = StepRecord.load(record_path(run, recorded_steps(run)[-1])).after[0]
    table = datasets.load("synthetic").x_train
    from_numpy = activations(weights, preprocess.fit(table).apply(table[7:8]))
    hidden = {cell["unit"]: cell["v"] for cell in cells if cell["layer"] == "hidden 1"}
    assert {cell["who"] for cell in cells} == {"R0"}
    assert sorted(hidden) == list(range(1, 65))
    for unit, value in hidden.items():
        assert value == pytest.approx(float(from_numpy[1][0, unit - 1]), rel=6e-3, abs=1e-6)

    slider = shown.get_by_role("slider")
    slider.press("Home")
    expect(shown.locator(".status")).to_contain_text("R0: 16 + 16 + 1 rows. R1: 16 + 16 + 0 rows.")
    slider.press("ArrowRight")
    expect(shown.locator(".status")).to_contain_text("all 64 units")
    page.get_by_text("16, twice", exact=True).click()
    expect(page.locator(".st-key-reply")).to_contain_text("Yes.")


def test_a_row_of_another_batch_is_really_predicted_here(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/prediction-trace?row=300")
    expect(page.get_by_text("Observed here, with TensorFlow")).to_be_visible()
    panel = page.locator(".st-key-row_panel")
    expect(panel).to_contain_text("Your row · 300")
    expect(panel).to_contain_text("R0, call 2, row 13 of 16")
    compared = page.locator("table.compared tbody tr")
    expect(compared.nth(0).locator("td").nth(1)).to_have_text("0.0")
