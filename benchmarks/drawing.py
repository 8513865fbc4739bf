"""`python -m benchmarks.drawing`: from a step's line in the log to its points on the screen.

A real Chromium shows about 500 steps of a paced run (three lines in two charts) while more come,
ten a second. In turn it opens the app, where the player draws, and `benchmarks.fragment_page`,
where a fragment redraws `st.altair_chart` every quarter of a second. A step counts as drawn when
Vega has drawn the later chart: the player's canvas, the fragment's SVG.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import machine
from benchmarks.paced_run import TICKS, Plan
from benchmarks.progress import say
from benchmarks.serving import PacedRun, Server, serve, start_run

PLAN = Plan(backlog=450, steps=80, rate=10)
BLOCKS, SECONDS = 3, 80.0
"""Blocks of each at most, and no new ones after so many seconds."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

FIND_PLAYER = """const find = (root = document) => {
    for (const node of root.querySelectorAll("*")) {
        if (node.player?.data.url) return node;
        const inside = node.shadowRoot && find(node.shadowRoot);
        if (inside) return inside;
    }
}"""
WATCH_PLAYER = """node => {
    const player = node.player;
    window.drawn = [];  // [chart, step, time]
    player.views.forEach(({view}, chart) => {
        const run = view.runAsync.bind(view);
        view.runAsync = () => {
            const step = Math.floor(player.position);
            return run().then(result => {
                drawn.push([chart, step, Date.now()]);
                return result;
            });
        };
    });
}"""
WATCH_TEXT = """() => {
    window.drawn = [];
    const look = () => {  // Streamlit's own charts are SVG
        const text = document.querySelector("g.mark-text.role-mark text")?.textContent;
        const step = +(/^step (\\d+)$/.exec(text)?.[1] ?? 0);
        if (step > (drawn.at(-1)?.[1] ?? 0)) drawn.push([0, step, Date.now()]);
    };
    new MutationObserver(look).observe(document, {
        subtree: true, childList: true, characterData: true,
    });
}"""
Drawn = list[tuple[int, int, float]]


def lags(run: PacedRun, drawn: Drawn) -> list[float]:
    """Milliseconds from writing each step to its being drawn in every chart."""
    moments: list[tuple[list[int], list[float]]] = []
    for chart in {chart for chart, _, _ in drawn}:
        seen: list[int] = []
        when: list[float] = []
        for _, step, moment in (entry for entry in drawn if entry[0] == chart):
            if not seen or step > seen[-1]:
                seen.append(step)
                when.append(moment)
        moments.append((seen, when))
    assert moments, "nothing was drawn"
    return [
        max(when[bisect.bisect_left(seen, step)] for seen, when in moments) - 1000 * written
        for step, written, _ in run.written()
    ]


def player_block(browser: Browser, app: Server, data: Path) -> dict[str, Any]:
    """One block of the player."""
    run = start_run(app, data, PLAN)
    with _page(browser) as page:
        page.goto(f"{app.url}/train?run={run.run_id}")
        # The page may hold other players; the one with a stream shows the run.
        follows = f"node => node.player?.views.length && node.player.edge >= {PLAN.backlog}"
        page.wait_for_function(f"() => {{ {FIND_PLAYER}; return ({follows})(find() ?? {{}}); }}")
        page.wait_for_timeout(1_000)
        page.evaluate(f"() => {{ {FIND_PLAYER}; ({WATCH_PLAYER})(find()); }}")
        return _watched(page, app, run)


def fragment_block(browser: Browser, app: Server, other: Server, data: Path) -> dict[str, Any]:
    """One block of the fragment."""
    run = start_run(app, data, PLAN)
    with _page(browser) as page:
        page.add_init_script(f"({WATCH_TEXT})()")
        received: list[int] = []
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))),
        )
        page.goto(f"{other.url}/?run={run.run_id}")
        page.wait_for_function(f"drawn.some(([, step]) => step >= {PLAN.backlog})")
        page.wait_for_timeout(1_000)
        received.clear()
        told = _watched(page, other, run)
    lines = (run.folder / TICKS).read_text().splitlines()
    ticks = [(step, began) for step, began in map(json.loads, lines) if step > PLAN.backlog]
    began_of: dict[int, float] = {}
    for step, began in ticks:
        began_of.setdefault(step, began)
    drawn_of: dict[int, float] = {}
    for _, step, moment in told["drawn"]:
        drawn_of.setdefault(step, moment)
    told["redraw"] = [
        drawn_of[step] - 1000 * began for step, began in began_of.items() if step in drawn_of
    ]
    told["bytes_per_tick"] = sum(received) / len(ticks)
    return told


def measure() -> dict[str, Any]:
    """All figures of this file."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert chromium, "no Chromium found: install Debian's package chromium, or Google Chrome"
    player: list[dict[str, Any]] = []
    fragment: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder,
        sync_playwright() as playwright,
    ):
        data = Path(folder) / "data"
        data.mkdir()
        with (
            serve("benchmarks/paced_app.py", data) as app,
            serve("benchmarks/fragment_page.py", data) as other,
        ):
            browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
            ends = time.monotonic() + SECONDS
            while len(player) < BLOCKS and (not player or time.monotonic() < ends):
                number = len(player) + 1
                player.append(player_block(browser, app, data))
                say(f"drawing {number} of {BLOCKS}, player: {_short(player[-1])}")
                fragment.append(fragment_block(browser, app, other, data))
                say(f"drawing {number} of {BLOCKS}, fragment: {_short(fragment[-1])}")
            version = browser.version
            browser.close()
    draws, redraws = _pooled(player, "lags"), _pooled(fragment, "lags")
    return {
        "draw_p50_ms_500": percentile(draws, 50),
        "draw_p95_ms_500": percentile(draws, 95),
        "fragment_p95_ms_500": percentile(redraws, 95),
        "foreign_load": statistics.mean(block["foreign"] for block in (*player, *fragment)),
        "detail": {
            "chromium": version,
            "draw_worst_ms_500": max(draws),
            "draw_server_cores": statistics.median(block["cores"] for block in player),
            "draw_foreign": [round(block["foreign"], 2) for block in player],
            "draw_p95_ms_500_blocks": [round(percentile(b["lags"], 95)) for b in player],
            "fragment_p50_ms_500": percentile(redraws, 50),
            "fragment_redraw_p50_ms_500": percentile(_pooled(fragment, "redraw"), 50),
            "fragment_redraw_p95_ms_500": percentile(_pooled(fragment, "redraw"), 95),
            "fragment_bytes_per_tick_500": statistics.median(b["bytes_per_tick"] for b in fragment),
            "fragment_server_cores": statistics.median(block["cores"] for block in fragment),
            "fragment_foreign": [round(block["foreign"], 2) for block in fragment],
        },
    }


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that `percent` of 100 values do not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _watched(page: Page, server: Server, run: PacedRun) -> dict[str, Any]:
    """Let the steps come, wait until the last is drawn, collect."""
    before, cpu = machine.Moment.now(), machine.process_cpu(server.pid)
    run.go()
    last = PLAN.backlog + PLAN.steps
    page.wait_for_function(
        """last => {
            const charts = entries => new Set(entries.map(([chart]) => chart)).size;
            return charts(drawn) && charts(drawn) === charts(drawn.filter(e => e[1] >= last));
        }""",
        arg=last,
    )
    page.wait_for_timeout(300)
    after = machine.Moment.now()
    drawn: Drawn = page.evaluate("drawn")
    return {
        "drawn": drawn,
        "lags": lags(run, drawn),
        "cores": (machine.process_cpu(server.pid) - cpu) / (after.wall - before.wall),
        "foreign": before.foreign_load(after),
    }


@contextlib.contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 1200})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def _pooled(blocks: list[dict[str, Any]], name: str) -> list[float]:
    """The values of the calm blocks; of the calmest, if none was calm."""
    calmest = min(block["foreign"] for block in blocks)
    limit = max(machine.CALM, calmest)
    return [value for block in blocks if block["foreign"] <= limit for value in block[name]]


def _short(block: dict[str, Any]) -> str:
    lags = block["lags"]
    return (
        f"median {percentile(lags, 50):.0f} ms, p95 {percentile(lags, 95):.0f} ms, "
        f"foreign {block['foreign']:.2f}"
    )


if __name__ == "__main__":
    print(json.dumps(measure()))
