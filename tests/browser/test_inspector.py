"""The step inspector and Averaging instead on screen: scrubbed by keyboard, read value by value."""

from __future__ import annotations

import io

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from pipeline import recordings, runs
from pipeline.step_records import StepRecord, record_path
from tests.serving import Server

pytestmark = pytest.mark.browser

CELLS = """async node => {
    const found = {};
    for (const {view, vgSpec} of node.player.views) {
        await view.runAsync();
        const rows = vgSpec.data.map(({name}) => view.data(name)).find(
            ([row]) => row?.shade !== undefined && row.name);
        for (const {name, v} of rows) (found[name] ??= []).push(v);
    }
    return found;
}"""


def pictures(page: Page, key: str) -> Locator:
    shown = page.locator(f".st-key-{key} .still")
    shown.locator("canvas").first.wait_for()
    return shown


def test_a_step_is_scrubbed_to_and_every_value_drawn_is_the_recorded_one(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/inspector")
    shown = pictures(page, "inspected")
    page.wait_for_function("node => node.player.views.length === 2", arg=shown.element_handle())
    shown.evaluate("node => { window.before = node.player.views[0]; }")
    slider = page.locator("[class*=st-key-inspected_step] input")
    slider.press("ArrowRight")
    expect(page.get_by_text("Step 10 of 200, epoch 1")).to_be_visible()
    page.wait_for_function(
        "node => node.player.views.length === 2 && node.player.views[0] !== window.before",
        arg=shown.element_handle(),
    )
    cells = shown.evaluate(CELLS)

    record = StepRecord.load(record_path(runs.RECORDED / recordings.DEFAULT, 10))
    size = np.abs(record.all_reduced[0]).sum(axis=0)
    units = np.sort(np.argsort(-size, kind="stable")[:32])
    for name, tensors in {
        "R0’s own": record.own[0],
        "R1’s own": record.own[1],
        "sum, on every replica": record.all_reduced,
        "before": record.before,
        "after": record.after[0],
    }.items():
        drawn = np.array(cells[name], np.float32)
        assert drawn.tobytes() == tensors[0][:, units].ravel().tobytes(), name
    moved = np.array(cells["after"]) - np.array(cells["before"])
    np.testing.assert_allclose(cells["update, after − before"], moved, atol=1e-8)

    with page.expect_download() as download:
        page.get_by_role("button", name="Download step 10 (.npz)").click()
    with np.load(io.BytesIO(download.value.path().read_bytes())) as file:
        assert file["sum/output, bias"].tobytes() == record.all_reduced[5].tobytes()


def test_copies_drift_and_meet_again_on_one_scale(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/averaging")
    shown = pictures(page, "saw_teeth")
    page.wait_for_function("node => node.player.views.length === 2", arg=shown.element_handle())
    domains = shown.evaluate("node => node.player.views.map(({view}) => view.scale('y').domain())")
    assert domains[0] == domains[1]
    expect(page.get_by_text("exactly 0 after every step")).to_be_visible()
    expect(page.get_by_role("button", name="Run all three, shuffled")).to_be_enabled()
