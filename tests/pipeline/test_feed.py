"""The live feed: what a browser gets of a run, from any offset, without gap or repetition."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline import feed, run_log
from pipeline.config import RunConfig
from pipeline.events import Epoch, Event, ReplicaStep, RunFinished, RunStarted, Stage, Step
from pipeline.feed import BINS, Feed
from pipeline.limits import Limits
from pipeline.runs import Runs, UnknownRun

STARTED = RunStarted(schema=1, run_id="r", config={}, versions={}, steps=40)
STAGE = Stage(stage="load", shape_in=(4, 2), shape_out=(4, 2), sample=(0.0, 1.0))
FINISHED = RunFinished(checks={})


class IdleLauncher:
    """Launches nothing: the test itself writes the log, as the run's process would."""

    def open(self, on_exit):
        self.on_exit = on_exit

    def launch(self, folder):
        pass

    def kill(self, folder):
        pass

    def close(self):
        pass


def step(number: int, loss: float | None = 0.5, rows: int = 4) -> Step:
    part = ReplicaStep(
        replica=0, device="CPU:0", batch_shape=(rows, 2), loss=loss, gradient_norm=1.0
    )
    other = part.model_copy(update={"replica": 1, "device": "CPU:1"})
    return Step(step=number, epoch=1, loss=loss, replicas=(part, other), all_reduced_norm=1.0)


def epoch(number: int, last_step: int) -> Epoch:
    return Epoch(
        epoch=number,
        loss=0.5,
        accuracy=0.5,
        val_loss=None,
        val_accuracy=None,
        seconds=1.0,
        observation="",
        last_step=last_step,
    )


@pytest.fixture
def runs(tmp_path):
    opened = Runs(tmp_path / "runs", IdleLauncher(), Limits(concurrent_runs=1))
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def run_id(runs):
    return runs.start(RunConfig(), "me")


def run(coroutine):
    """Run it in a thread of its own: Playwright keeps a loop in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


async def collect(runs, run_id, after=0, write=None, until=lambda told: told.get("phase")):
    """Messages until one for which `until` holds; `write` is called once the first has come."""
    found = []
    stream = Feed(runs).follow(run_id, after)
    async for message in stream:
        found.append(message)
        if write is not None:
            write()
            write = None
        if until(json.loads(message.data)):
            break
    await stream.aclose()
    return found


def steps_of(messages) -> list[int]:
    rows = [row for m in messages for row in json.loads(m.data).get("rows", {}).get("steps", [])]
    return [row["at"] for row in rows if row["who"] == feed.MEAN]


def ended(told) -> bool:
    return told.get("phase") == "finished"


def test_a_run_that_has_told_nothing_is_starting(runs, run_id):
    (first,) = run(collect(runs, run_id))
    assert json.loads(first.data) == {"phase": "starting"}


@pytest.mark.parametrize("offset", [1, 37, 10**9, -5])
def test_an_offset_that_somebody_made_up_gives_the_whole_run(runs, run_id, offset):
    log = run_log.LogWriter(runs.log_path(run_id))
    for event in (STARTED, step(1), step(2), FINISHED):
        log.write(event)
    log.close()
    (whole,) = run(collect(runs, run_id, until=ended))
    (found,) = run(collect(runs, run_id, after=offset, until=ended))
    assert steps_of([found]) == steps_of([whole]) == [1, 2]


def test_a_waiting_run_says_its_place(runs, run_id):
    waiting = runs.start(RunConfig(), "me")
    (first,) = run(collect(runs, waiting))
    assert json.loads(first.data) == {"phase": "waiting", "place": 1}


def test_an_unknown_run_is_refused(runs):
    with pytest.raises(UnknownRun):
        run(collect(runs, "nobody"))


def test_what_is_written_while_a_viewer_watches_arrives_in_order(runs, run_id):
    log = run_log.LogWriter(runs.log_path(run_id))

    def write():
        events: list[Event] = [STARTED, STAGE, *(step(n) for n in range(1, 41)), epoch(1, 40)]
        for event in events:
            log.write(event)
        log.close()
        run_log.end(runs.log_path(run_id), FINISHED)

    messages = run(collect(runs, run_id, write=write, until=ended))
    assert steps_of(messages) == list(range(1, 41))
    epochs = [r for m in messages for r in json.loads(m.data).get("rows", {}).get("epochs", [])]
    assert [(row["at"], row["epoch"]) for row in epochs] == [(40, 1)]


def test_a_viewer_who_comes_back_gets_exactly_what_is_new(runs, run_id):
    log = run_log.LogWriter(runs.log_path(run_id))
    log.write(STARTED)
    for number in range(1, 11):
        log.write(step(number))
    (caught_up,) = run(collect(runs, run_id))
    for number in range(11, 21):
        log.write(step(number))
    log.close()
    run_log.end(runs.log_path(run_id), FINISHED)
    messages = run(collect(runs, run_id, after=caught_up.offset, until=ended))
    assert steps_of([caught_up]) == list(range(1, 11))
    assert steps_of(messages) == list(range(11, 21))


def test_a_second_viewer_who_joins_while_lines_are_written_gets_each_once(runs, run_id):
    log = run_log.LogWriter(runs.log_path(run_id))
    log.write(STARTED)
    shared = Feed(runs)

    async def watch(written):
        found = []
        async for message in shared.follow(run_id):
            found.append(message)
            written.set()
            if ended(json.loads(message.data)):
                return found
        return found

    async def both():
        first_ready, second_ready = asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(watch(first_ready))
        await first_ready.wait()
        second = None
        for number in range(1, 201):
            log.write(step(number))
            if number == 50:
                second = asyncio.create_task(watch(second_ready))
            await asyncio.sleep(0.001)
        log.close()
        run_log.end(runs.log_path(run_id), FINISHED)
        assert second is not None
        return await first, await second

    for messages in run(both()):
        assert steps_of(messages) == list(range(1, 201))


def test_a_run_that_had_ended_before_is_told_at_once_and_closed(runs, run_id):
    log = run_log.LogWriter(runs.log_path(run_id))
    log.write(step(1))
    log.close()
    run_log.end(runs.log_path(run_id), FINISHED)

    async def whole(after):
        return [message async for message in Feed(runs).follow(run_id, after)]

    (only,) = run(whole(0))
    assert steps_of([only]) == [1]
    assert len(run(whole(only.offset))) == 1


def test_the_feed_lets_go_of_a_run_when_the_last_viewer_leaves(runs, run_id):
    shared = Feed(runs)

    async def look_and_leave():
        stream = shared.follow(run_id)
        await anext(stream)
        await stream.aclose()

    run(look_and_leave())
    assert shared._tails == {}


def test_a_long_catch_up_keeps_the_lowest_and_highest_loss_of_every_bin():
    losses = [((n * 7919) % 10_007) / 10_007 for n in range(5 * BINS)]
    losses[1_234], losses[2_000] = -3.0, 9.0
    everything: list[Event] = [step(n + 1, x) for n, x in enumerate(losses)]
    thinned = [event for event in feed.thin(everything) if isinstance(event, Step)]
    kept = {event.step: event.loss or 0.0 for event in thinned}
    assert len(thinned) <= 2 * BINS + 2
    for start in range(0, len(losses), 5):
        part = {n + 1: losses[n] for n in range(start, start + 5)}
        here = {number: loss for number, loss in kept.items() if number in part}
        assert min(here.values()) == min(part.values())
        assert max(here.values()) == max(part.values())
    assert (thinned[0].step, thinned[-1].step) == (1, len(losses))


def test_thinning_keeps_everything_but_steps_and_survives_losses_that_are_no_number():
    events: list[Event] = [
        STARTED,
        *(step(n, None) for n in range(1, 5 * BINS)),
        epoch(1, 9),
        FINISHED,
    ]
    thinned = feed.thin(events)
    assert [e for e in thinned if not isinstance(e, Step)] == [STARTED, events[-2], FINISHED]


def test_a_step_gives_a_row_for_the_mean_and_one_for_each_replica_with_its_number_of_rows():
    rows = feed.step_rows(step(3))
    assert [(row["who"], row["rows"]) for row in rows] == [("mean", 8), ("R0", 4), ("R1", 4)]


def test_what_a_failed_run_says_is_passed_on():
    from pipeline.events import RunFailed

    assert feed.message([RunFailed(error="Out of memory.")]) == {
        "phase": "failed",
        "text": "Out of memory.",
    }
