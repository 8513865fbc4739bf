"""How an all-reduce works in a browser: a ring stepped by hand, its numbers those of the record."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pipeline import recordings, runs
from pipeline.collectives import chunk_bounds
from pipeline.dealt_step import flat, strongest
from pipeline.step_records import StepRecord, record_path
from tests.pipeline.processes import until
from tests.serving import Server

pytestmark = pytest.mark.browser

SHOWN = """async (node, chart) => {
    const {view, vgSpec} = node.player.views[chart];
    await view.runAsync();
    const position = view.signal("position");
    const rows = vgSpec.data.map(({name}) => view.data(name)).find(
        ([row]) => row?.begin !== undefined);
    return rows.filter(row => row.begin <= position && position < row.end).map(row => row.value);
}"""
TO_ONE, RING = 0, 1


def test_a_ring_is_stepped_and_every_number_is_the_records(page: Page, server: Server) -> None:
    record = StepRecord.load(record_path(runs.RECORDED / recordings.DEFAULT, 1))
    own, total = [flat(tensors) for tensors in record.own], flat(record.all_reduced)
    first, second = strongest(total, chunk_bounds(len(total), 2))
    page.goto(f"{server.url}/all-reduce")
    count = page.get_by_role("slider", name="Replicas in the")
    count.press("ArrowLeft")
    expect(page.get_by_text("dealt to 3 replicas")).to_be_visible()
    count.press("ArrowLeft")
    expect(page.get_by_text("as it ran on 2 replicas")).to_be_visible()
    player = page.locator(".st-key-picture .player")
    status = player.locator(".status")
    expect(status).to_contain_text("After 2 moves both have the sum")
    player.locator("canvas").nth(1).wait_for()

    def shown(chart: int) -> list[list[float]]:
        """What each replica's cells show, chunk by chunk."""
        found = player.evaluate(SHOWN, chart)
        return [found[:2], found[2:]]

    for chart in (TO_ONE, RING):
        assert shown(chart) == [[total[first], total[second]]] * 2
    player.get_by_role("slider", name="Position").press("Home")
    expect(status).to_contain_text("Every replica holds its own gradient")
    mine = [[values[first], values[second]] for values in own]
    until(lambda: shown(RING) == mine, "position 0 shows each replica's own values")
    player.get_by_role("button", name="One step on").click()
    expect(status).to_contain_text("Move 1 of 2")
    half = [[own[0][first], total[second]], [total[first], own[1][second]]]
    until(lambda: shown(RING) == half, "each replica has one whole chunk of the ring")
    assert shown(TO_ONE) == [[total[first], total[second]], mine[1]]
    assert np.all(own[0] + own[1] == total)
