"""The whole app under a class: first picture, page switches, memory, and what grows with what.

    python benchmarks/app.py [--json] [--crowds 1,10,30,100] [--seconds 20]

Real websocket clients (`benchmarks.learner`) walk the lesson, each turning a page about every ten
seconds, beside three Chromium tabs, while two training runs go on. Then one learner alone meets
long runs, many kept runs and many attempts. Linux with Chromium; about four minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import machine
from benchmarks.drawing import CHROMIUM, FLAGS, percentile
from benchmarks.learner import Learner, alone
from benchmarks.progress import say
from benchmarks.serving import Server, serve
from pipeline import run_log
from pipeline.launch import ROOT
from pipeline.recordings import DEFAULT
from pipeline.runs import RECORDED, REQUEST_NAME
from quiz.attempts import AttemptStore
from quiz.database import open_database
from quiz.learners import LearnerStore
from quiz.loading import load

BANK = ROOT / "quiz/bank.yaml"
PAUSE = 10.0
"""Seconds between two page turns of one learner, on average: a class in a hurry. Fewer than ten
learners are faster, so that there is a page turn a second."""
TABS = 3
DRAWN = """() => {
    const find = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.player?.views.length) return true;
            if (node.shadowRoot && find(node.shadowRoot)) return true;
        }
        return false;
    };
    return find(document);
}"""


def first_picture(browser: Browser, url: str) -> float:
    """Milliseconds from opening the Overview in a new browser profile to its first picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_function(DRAWN)
    took = 1000 * (time.perf_counter() - began)
    context.close()
    return took


def train_for_long(browser: Browser, url: str) -> None:
    """A learner of their own presses Train on a run that outlasts the measurement."""
    page = browser.new_context().new_page()
    page.goto(f"{url}/train?epochs=200&global_batch=128")
    page.get_by_role("button", name="Train", exact=True).first.click()
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    page.close()


def walk(tab: Page, url: str) -> None:
    """One of the few real tabs among the learners: opens pages of the lesson."""
    for path in ("", "load", "distribute", "train"):
        tab.goto(f"{url}/{path}")
        tab.locator("h1").wait_for()


async def crowd(server: Server, learners: int, seconds: float, before: float) -> dict[str, Any]:
    """So many learners for so long; `before` is the server's private memory without them."""
    everybody = [Learner(server, seed) for seed in range(learners)]
    over = asyncio.Event()
    opened = [asyncio.Event() for _ in everybody]
    walking = [
        asyncio.create_task(one.learn(min(PAUSE, learners), over, there))
        for one, there in zip(everybody, opened, strict=True)
    ]
    await asyncio.gather(*(there.wait() for there in opened))
    start, cpu = machine.Moment.now(), machine.process_cpu(server.pid)
    await asyncio.sleep(seconds)
    end = machine.Moment.now()
    memory = machine.private_megabytes(server.pid)
    cores = (machine.process_cpu(server.pid) - cpu) / (end.wall - start.wall)
    over.set()
    await asyncio.gather(*walking)
    switches = [took for one in everybody for took in one.switches]
    return {
        "learners": learners,
        "switches": len(switches),
        "switch_p50_ms": percentile(switches, 50),
        "switch_p95_ms": percentile(switches, 95),
        "failed": sum(one.failed for one in everybody),
        "server_cores": cores,
        "mb_a_session": (memory - before) / learners,
        "foreign": start.foreign_load(end),
    }


def in_class(crowds: Sequence[int], seconds: float) -> dict[str, Any]:
    """Cold and warm first picture, then each crowd beside tabs and two runs."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        data = Path(folder) / "data"
        began = time.perf_counter()
        with serve("app.py", data) as server:
            healthy = 1000 * (time.perf_counter() - began)
            cold = first_picture(browser, server.url)
            warm = [first_picture(browser, server.url) for _ in range(5)]
            say(f"healthy {healthy:.0f} ms, first picture {cold:.0f}, then {warm[0]:.0f} ms")
            for _ in range(2):
                train_for_long(browser, server.url)
            tabs = [browser.new_page() for _ in range(TABS)]
            for tab in tabs:
                walk(tab, server.url)
            found = []
            for learners in crowds:
                before = machine.private_megabytes(server.pid)
                found.append(_in_thread(crowd(server, learners, seconds, before)))
                say(str(found[-1]))
                for tab in tabs:
                    walk(tab, server.url)
            time.sleep(3)
            after = machine.private_megabytes(server.pid)
            busy = first_picture(browser, server.url)
            browser.close()
    return {
        "healthy_ms": healthy,
        "first_picture_cold_ms": cold,
        "first_picture_warm_ms": statistics.median(warm),
        "first_picture_after_crowds_ms": busy,
        "crowds": found,
        "server_mb_after": after,
    }


def _in_thread(measured: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Run a coroutine in a thread: Playwright's own loop occupies this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, measured).result()


def keep_runs(data: Path, many: int) -> None:
    """As many finished runs as if somebody had made them: copies of the recorded one."""
    for number in range(many):
        _copy_run(data, f"{number:020x}")


def keep_long_run(data: Path, steps: int) -> str:
    """A finished run of so many steps: the recorded one's, again and again. Returns its id."""
    run_id = f"f{steps:019x}"
    path = _copy_run(data, run_id) / run_log.FILE_NAME
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    told = [json.loads(line) for line in lines]
    once = [event for event in told if event["event"] == "step"]
    again = [{**once[n % len(once)], "step": n + 1, "epoch": 1} for n in range(steps)]
    start = {**told[0], "steps": steps, "steps_per_epoch": steps}
    whole = [start, *told[1:4], *again, {**told[-2], "epoch": 1, "last_step": steps}, told[-1]]
    path.write_text(
        "".join(json.dumps(e, separators=(",", ":")) + "\n" for e in whole), encoding="utf-8"
    )
    return run_id


def _copy_run(data: Path, run_id: str) -> Path:
    folder = data / "runs" / run_id
    shutil.copytree(RECORDED / DEFAULT, folder, ignore=shutil.ignore_patterns("steps"))
    request = json.loads((folder / REQUEST_NAME).read_text(encoding="utf-8"))
    (folder / REQUEST_NAME).write_text(json.dumps({**request, "run_id": run_id}), encoding="utf-8")
    return folder


def keep_attempts(data: Path, many: int) -> None:
    """As many learners, each with an attempt and one answer."""
    engine = open_database(f"sqlite:///{data}/quiz.db")
    store, learners = AttemptStore(engine), LearnerStore(engine)
    bank = load(BANK)
    for number in range(many):
        learner = learners.learner(f"benchmark {number}")
        attempt = store.start(learner.id, bank, "practice")
        store.answer(learner.id, attempt.id, "scope-error", "C", client_id=f"press {number}")
    engine.dispose()


def growth() -> dict[str, Any]:
    """One learner alone: how long pages take, and how many bytes, as what is kept grows."""
    found: dict[str, Any] = {}
    for runs, attempts, steps in ((1, 1, 200), (300, 1_000, 20_000)):
        with tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder:
            data = Path(folder) / "data"
            keep_runs(data, runs - 1)
            run_id = keep_long_run(data, steps)
            keep_attempts(data, attempts)
            began = time.perf_counter()
            with serve("app.py", data) as server:
                healthy = 1000 * (time.perf_counter() - began)
                pages = {
                    "run": f"train?run={run_id}",
                    "load": "load",
                    "quiz": "quiz",
                }
                opened = {name: asyncio.run(alone(server, page)) for name, page in pages.items()}
        found[f"{runs} runs, {attempts} attempts, {steps} steps"] = {
            "healthy_ms": healthy,
            **{f"{name}_ms": took for name, (took, _) in opened.items()},
            **{f"{name}_bytes": size for name, (_, size) in opened.items()},
        }
        say(str(found))
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--crowds", default="1,10,30,100")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--part", choices=("crowds", "growth"))
    options = parser.parse_args()
    found: dict[str, Any] = {}
    if options.part != "growth":
        found |= in_class([int(n) for n in options.crowds.split(",")], options.seconds)
    if options.part != "crowds":
        found["growth"] = growth()
    print(json.dumps(found) if options.json else _table(found))


def _table(found: dict[str, Any]) -> str:
    lines = [f"{name:<32} {value:>8.0f}" for name, value in found.items() if not _nested(value)]
    lines += ["", *map(_one_line, found.get("crowds", []))]
    lines += ["", *(f"{name}: {_one_line(row)}" for name, row in found.get("growth", {}).items())]
    return "\n".join(lines)


def _one_line(row: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in row.items()
    )


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)


if __name__ == "__main__":
    main()
