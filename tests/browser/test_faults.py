"""The app itself killed or stopped under a learner's eyes.

Kills without a browser run always: `tests/faults/test_kill_rounds.py`.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pipeline import run_log
from pipeline.events import RunFailed
from tests.browser.player import PlayerView
from tests.pipeline.processes import alive, descendants, until
from tests.pipeline.test_faults import one_true_end
from tests.serving import Serve, Server

pytestmark = pytest.mark.browser


def begin_long_run(page: Page, server: Server) -> str:
    page.goto(f"{server.url}/train?epochs=200&global_batch=100")
    page.locator(".st-key-train_button button").click()
    player = PlayerView(page)
    run_id = player.wait_for_own_run()
    player.wait_for_position(20)
    return run_id


def log_of(server: Server, run_id: str) -> Path:
    return server.data / "runs" / run_id / run_log.FILE_NAME


def kill_and_come_back(page: Page, serve: Serve, tmp_path: Path) -> None:
    server = serve(tmp_path / "data")
    run_id = begin_long_run(page, server)
    family = descendants(server.process.pid)
    assert family, "the app has a trainer"
    server.process.kill()
    server.process.wait()
    until(lambda: not any(map(alive, family)), "no process of the app is left")
    afresh = serve(server.data, port=int(server.url.rsplit(":", 1)[1]))
    one_true_end(log_of(afresh, run_id), RunFailed)
    page.goto(f"{afresh.url}/train?run={run_id}")
    PlayerView(page).wait_for_phase("failed")
    expect(page.get_by_role("alert")).to_contain_text("stopped while this run was going")
    assert PlayerView(page).edge >= 20, "what was drawn is still there"
    page.locator(".st-key-train_button button").click()
    page.wait_for_url(lambda url: run_id not in url)
    player = PlayerView(page)
    player.wait_for_own_run()
    player.wait_for_position(5)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(10))
def test_ten_kills_of_the_app_under_a_browser_lose_nothing(
    page: Page, serve: Serve, tmp_path: Path, number: int
) -> None:
    kill_and_come_back(page, serve, tmp_path)


@pytest.mark.parametrize(
    "how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)]
)
def test_an_app_that_is_stopped_ends_its_runs_and_leaves_no_process(
    page: Page, serve: Serve, tmp_path: Path, how: signal.Signals
) -> None:
    server = serve(tmp_path / "data")
    run_id = begin_long_run(page, server)
    family = descendants(server.process.pid)
    server.process.send_signal(how)
    until(lambda: server.process.poll() is not None, "the app has ended")
    until(lambda: not any(map(alive, family)), "no process of the app is left")
    one_true_end(log_of(server, run_id), RunFailed)
