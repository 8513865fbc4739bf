"""Distribute in a browser: the picture, the last batch, and the numbers beside them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pipeline import datasets, epoch_plan
from pipeline.config import RunConfig
from tests.serving import Server

pytestmark = pytest.mark.browser


def open_page(page: Page, server: Server, config: RunConfig) -> None:
    query = "&".join(f"{name}={value}" for name, value in config.to_query().items())
    page.goto(f"{server.url}/distribute?{query}")
    page.locator(".player .chart :is(canvas, svg)").first.wait_for()


def test_the_plan_on_screen_is_the_plan_of_the_settings(page: Page, server: Server) -> None:
    config = RunConfig(replicas=3, global_batch=100, seed=5)
    plan = epoch_plan.of(datasets.load("synthetic").y_train, config, config.row)
    open_page(page, server, config)

    panel = page.locator(".st-key-row_panel")
    for use in plan.uses:
        line = f"epoch {use.epoch}, step {plan.step_of(use)}: R{use.replica}"
        expect(panel).to_contain_text(line)
    cells = page.locator("table.counts tbody tr").all_inner_texts()
    assert [re.split(r"\s+", row)[-1] for row in cells] == [
        f"{together:,}" for *_, together in plan.per_replica
    ]


def test_the_squares_end_in_blocks_and_the_last_batch_is_a_switch_away(
    page: Page, server: Server
) -> None:
    open_page(page, server, RunConfig())
    expect(page.locator(".player .status").first).to_contain_text("128 rows for each replica")
    page.get_by_role("button", name="One step back").click()
    expect(page.locator(".player .status").first).to_contain_text("in the order of the epoch")
    page.get_by_text("Show the last batch of the epoch").click()
    expect(page.locator(".player figcaption")).to_have_text("Step 40 of epoch 1")
    expect(page.locator(".player .status").first).to_contain_text("8 rows for each replica")


def test_fewer_rows_than_replicas_are_shown_with_the_empty_pieces(
    page: Page, server: Server
) -> None:
    open_page(page, server, RunConfig(replicas=8, global_batch=3))
    expect(page.locator(".player .status").first).to_contain_text("R2 1, R3 0, R4 0")
    expect(page.locator(".player .status").first).to_contain_text("with 0 rows still takes part")
