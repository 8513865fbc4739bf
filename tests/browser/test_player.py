"""The player under everything a class does to it: reload, second tab, cut line, theme, keys."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from pipeline.events import Step
from pipeline.run_log import FILE_NAME, events, terminal
from tests.browser.conftest import Newcomer
from tests.browser.late import Late
from tests.browser.player import PlayerView
from tests.browser.proxy import CuttableProxy
from tests.serving import PATIENCE, ROOT, Server
from ui.web import VEGA_URL

pytestmark = pytest.mark.browser


class Streams:
    """The event streams a page holds open."""

    def __init__(self, page: Page) -> None:
        self.open: set[Request] = set()
        page.on("request", lambda r: self.open.add(r) if r.url.count("/events") else None)
        page.on("requestfinished", lambda r: self.open.discard(r))
        page.on("requestfailed", lambda r: self.open.discard(r))
        self._page = page

    def wait_for(self, count: int) -> None:
        """Wait until so many are open, and see that it stays so."""
        until = time.monotonic() + PATIENCE
        while len(self.open) != count and time.monotonic() < until:
            self._page.wait_for_timeout(100)
        self._page.wait_for_timeout(200)
        assert len(self.open) == count


def start_long_run(page: Page, server: Server, url: str | None = None) -> PlayerView:
    page.goto(f"{url or server.url}/train?epochs=200&global_batch=100")
    page.locator(".st-key-train_button button").click()
    player = PlayerView(page)
    player.wait_for_own_run()
    player.wait_for_position(30)
    return player


def stop(page: Page) -> None:
    page.get_by_role("button", name="Stop", exact=True).click()
    PlayerView(page).wait_for_phase("stopped")


def finished_run(page: Page, server: Server) -> PlayerView:
    page.goto(f"{server.url}/train?epochs=1")
    page.locator(".st-key-train_button button").click()
    player = PlayerView(page)
    player.wait_for_own_run()
    player.wait_for_phase("finished")
    player.jump_to_the_end()
    player.wait_for_position(40)
    return player


def rows_received(page: Page) -> list[int]:
    """The steps of the mean's rows the player holds, in the order they came."""
    return page.locator(".player").first.evaluate(
        "node => node.player.rows.steps.filter(row => row.who === 'mean').map(row => row.at)"
    )


def test_a_reload_in_mid_run_catches_up_without_a_gap(page: Page, server: Server) -> None:
    start_long_run(page, server)
    page.reload()
    player = PlayerView(page)
    player.wait_for_position(100)
    at = player.position
    player.wait_for_position(at + 50)
    seen = rows_received(page)
    assert seen == sorted(set(seen))
    assert seen[0] == 1
    thinned = [step for step in seen if step <= at]
    assert len(thinned) >= min(at, 1_000) - 1
    stop(page)


def test_a_second_tab_and_another_browser_watch_the_same_run(
    page: Page, newcomer: Newcomer, server: Server
) -> None:
    start_long_run(page, server)
    page.wait_for_url("**run=**")
    for tab in (page.context.new_page(), newcomer().new_page()):
        tab.goto(page.url)
        PlayerView(tab).wait_for_position(60)
    expect(tab.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    stop(page)


def test_a_cut_line_is_said_and_closed_without_a_gap(
    page: Page, server: Server, proxy: CuttableProxy
) -> None:
    player = start_long_run(page, server, f"http://localhost:{proxy.port}")
    proxy.cut()
    expect(page.locator(".player .status").first).to_have_text(re.compile("connection is lost"))
    held = rows_received(page)[-1]
    proxy.restore()
    player.wait_for_position(held + 200)
    seen = rows_received(page)
    assert seen == sorted(set(seen))
    missing = set(range(1, held + 200)) - set(seen)
    assert len(missing) == 0 or len(seen) >= 900, f"a gap: {sorted(missing)[:5]}"
    stop(page)


def test_ten_setting_changes_and_a_theme_switch_leave_one_open_stream(
    page: Page, server: Server
) -> None:
    streams = Streams(page)
    player = start_long_run(page, server)
    more = page.locator(".st-key-replicas button[data-testid='stNumberInputStepUp']")
    less = page.locator(".st-key-replicas button[data-testid='stNumberInputStepDown']")
    for turn in range(10):
        (more if turn % 2 == 0 else less).click()
        expected = "3 gradients" if turn % 2 == 0 else "2 gradients"
        expect(page.locator(".st-key-ribbon")).to_contain_text(expected)
    page.emulate_media(color_scheme="dark")
    player.wait_for_position(player.position + 20)
    streams.wait_for(1)
    stop(page)
    streams.wait_for(0)


def test_charts_follow_a_theme_switch_and_keep_their_position(page: Page, server: Server) -> None:
    player = finished_run(page, server)

    def axis_colour() -> str:
        return page.locator(".player").first.evaluate(
            "node => node.player.views[0].vgSpec.axes.find(a => a.domain !== false).labelColor"
            " ?? node.player.views[0].vgSpec.config.axis.labelColor"
        )

    light = axis_colour()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        """([node, light]) => node.player.views[0]
            ?.vgSpec.config.axis.labelColor !== light""",
        arg=[page.locator(".player").first.element_handle(), light],
    )
    assert player.position == 40


def test_a_finished_run_replays_with_the_keyboard_alone(page: Page, server: Server) -> None:
    player = finished_run(page, server)
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            """() => {
                let node = document.activeElement;
                while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
                return node?.className ?? "";
            }"""
        )
        if name == "play":
            break
    assert name == "play", "Tab reaches the play button"
    page.keyboard.press("Home")
    page.wait_for_function("n => n.dataset.position === '0'", arg=player.root.element_handle())
    page.keyboard.press("ArrowRight")
    page.wait_for_function("n => n.dataset.position === '1'", arg=player.root.element_handle())
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("n => n.dataset.position === '0'", arg=player.root.element_handle())
    page.keyboard.press("Enter")
    player.wait_for_position(5)
    page.keyboard.press("Enter")
    held = player.position
    assert 5 <= held < 40
    page.keyboard.press("End")
    player.wait_for_position(40)


def test_what_is_drawn_is_what_the_log_says(page: Page, server: Server) -> None:
    finished_run(page, server)
    run_id = re.search(r"run=([0-9a-f]+)", page.url)
    assert run_id
    log = server.data / "runs" / run_id[1] / FILE_NAME
    losses = [event.loss for event in events(log) if isinstance(event, Step)]
    page.wait_for_function(
        "node => node.player.views[0].view.data('steps').length === 120",
        arg=page.locator(".player").first.element_handle(),
    )
    drawn = page.locator(".player").first.evaluate(
        """node => node.player.views[0].view.data("steps")
            .filter(row => row.who === "mean").map(row => row.loss)"""
    )
    assert drawn == pytest.approx(losses, rel=1e-4)


def test_a_run_too_short_to_watch_is_played_behind_its_live_edge_and_says_so(
    page: Page, server: Server
) -> None:
    stream = Late(page, re.compile("/runs/[0-9a-f]{20}/events"))
    page.goto(f"{server.url}/train?epochs=2")
    page.locator(".st-key-train_button button").click()
    player = PlayerView(page)
    log = server.data / "runs" / player.wait_for_own_run() / FILE_NAME
    until = time.monotonic() + PATIENCE
    while not terminal(log) and time.monotonic() < until:
        page.wait_for_timeout(100)
    stream.release()  # so the run is over when it is first seen, however slow the machine
    player.wait_for_phase("finished")
    assert player.position < player.edge
    expect(page.get_by_text("played slower than it ran").first).to_be_visible()


def test_with_reduced_motion_nothing_plays_by_itself_and_every_frame_can_be_reached(
    page: Page, server: Server
) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{server.url}/train?epochs=1")
    page.locator(".st-key-train_button button").click()
    player = PlayerView(page)
    player.wait_for_own_run()
    player.wait_for_position(40)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("n => n.dataset.position === '1'", arg=player.root.element_handle())
    page.get_by_role("button", name="One step on").click()
    page.wait_for_function("n => n.dataset.position === '2'", arg=player.root.element_handle())
    page.keyboard.press("End")
    player.wait_for_position(40)
    page.get_by_role("button", name="One step back").click()
    page.wait_for_function("n => n.dataset.position === '39'", arg=player.root.element_handle())


@pytest.fixture
def proxy(server: Server) -> Iterator[CuttableProxy]:
    made = CuttableProxy(int(server.url.rsplit(":", 1)[1]))
    yield made
    made.close()


OVERTAKEN = """async ([source, vega]) => {
    const { default: mount } = await import(URL.createObjectURL(
        new Blob([source], { type: "text/javascript" })
    ));
    const place = document.body.appendChild(document.createElement("div"));
    place.innerHTML = '<div class="player"></div>';
    const palette = { ink: "#000", quiet: "#777", line: "#ccc" };
    const data = (source) => ({
        source, vega, label: source, charts: [], words: {}, frames: [source], total: 1,
        palettes: { light: palette, dark: palette },
    });
    const call = (source) => mount({ parentElement: place, data: data(source) });
    const pause = () => new Promise((done) => setTimeout(done, 50));
    const shown = () => place.firstChild.player;
    call("older");
    call("newer");
    const cleanUp = call("older");
    cleanUp();
    await pause();
    const told = [shown().data.source, !!shown().disposed];
    const last = call("newest");
    place.remove();
    last();
    await pause();
    return [...told, shown().data.source, !!shown().disposed];
}"""


def test_a_late_call_with_older_data_does_not_take_the_picture_away(
    page: Page, server: Server
) -> None:
    page.goto(f"{server.url}/_stcore/health")
    source = (ROOT / "ui/player/player.js").read_text(encoding="utf-8")
    found = page.evaluate(OVERTAKEN, [source, f"{server.url}{VEGA_URL}"])
    assert found == ["newer", False, "newest", True]


def test_an_old_run_on_its_way_here_is_opened_and_not_called_starting(
    page: Page, server: Server
) -> None:
    page.route("**/events*", lambda route: None)  # it never arrives
    page.goto(f"{server.url}/train")
    status = PlayerView(page).root.locator(".status")
    expect(status).to_have_text("Opening the run.")
    page.unroute_all(behavior="ignoreErrors")
