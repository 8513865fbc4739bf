"""Mirror in a browser: TensorFlow is asked by itself, and its answer is what is shown."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pipeline.processes import descendants, until
from tests.serving import Serve, Server

pytestmark = pytest.mark.browser


def test_tensorflow_is_asked_by_itself_and_answers_for_these_settings(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/mirror?replicas=3&data=digits&optimizer=sgd&seed=8")
    expect(page.get_by_text("Observed here, with TensorFlow")).to_be_visible()
    expect(page.locator(".st-key-stage_train_here")).to_contain_text("4 Train")
    expect(page.locator(".player figcaption")).to_have_text(
        "The first weight matrix, 64 columns × 64 units"
    )
    devices = page.locator("table.devices tbody tr")
    expect(devices).to_have_count(4)
    expect(devices.nth(3)).to_have_text(re.compile("R2.*device:CPU:2"))
    weights = 4 * (64 * 64 + 64 + 64 * 32 + 32 + 32 * 10 + 10)
    row = page.locator("table.bytes tbody tr").first.locator("td").all_inner_texts()
    assert row[1:4] == [f"{weights / 1000:.1f}", f"{weights / 1000:.1f}", "0.012"]
    expect(page.locator(".player .status").first).to_contain_text("All copies agree, bit for bit.")
    page.get_by_text("one, without a word").click()
    expect(page.locator(".st-key-reply")).to_contain_text("on CPU:0")


@pytest.mark.skipif(sys.platform != "linux", reason="stops processes found in /proc")
def test_a_screen_reader_hears_what_is_asked_and_that_the_answer_came(
    page: Page, server: Server
) -> None:
    until(lambda: descendants(server.process.pid), "the trainer has begun")
    trainer = descendants(server.process.pid)
    said = page.locator("body > [role=status]")
    try:
        for pid in trainer:
            os.kill(pid, signal.SIGSTOP)
        page.goto(f"{server.url}/mirror?replicas=2&seed=77")
        expect(said).to_have_text(
            "Asking TensorFlow to build your model inside and outside the scope."
        )
    finally:
        for pid in trainer:
            os.kill(pid, signal.SIGCONT)
    expect(said).to_have_text("No longer waiting: the answer is on the page.")
    page.get_by_role("link", name="Next: 4b Train").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Same batch"))
    expect(said).to_have_text("")


def test_where_tensorflow_does_not_start_the_recorded_answer_and_the_reason_stay(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    broken = tmp_path / "without" / "tensorflow"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('no TensorFlow in this test')")
    server = serve(tmp_path / "data", PYTHONPATH=str(broken.parent))
    page.goto(f"{server.url}/mirror?replicas=8")
    expect(page.get_by_text("A recorded answer")).to_be_visible()
    expect(
        page.get_by_text(re.compile("owns TensorFlow ended|does not start on this"))
    ).to_be_visible()
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    expect(page.locator("table.devices tbody tr")).to_have_count(9)
