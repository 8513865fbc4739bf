"""Killed without warning: the run's process or the trainer, at any moment of a run.

After every kill the log is readable and ends once, truthfully; no process is left; the next run
works. The hardest runs always; `make soak` runs forty rounds in a seeded order, and
`tests/faults/test_kill_rounds.py` kills at random moments under a class.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
from pathlib import Path

import pytest

from pipeline import run_log
from pipeline.config import RunConfig
from pipeline.events import Event, RunFailed, RunFinished, RunStarted, Step, Terminal
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.runs import Runs
from pipeline.step_records import recorded_steps
from tests.pipeline.processes import alive, children, until

ME = "me"
MOMENTS = ("start", "tracing", "training", "writing")
ROUNDS = list(itertools.product(("child", "trainer"), MOMENTS))


def reached(folder: Path, moment: str) -> bool:
    """Whether the run in `folder` is at this moment."""
    if moment == "start":
        return True
    if moment == "writing":
        return any(folder.glob("steps/*.partial")) or len(recorded_steps(folder)) > 3
    events = run_log.events(folder / run_log.FILE_NAME)
    if moment == "tracing":
        return any(isinstance(event, RunStarted) for event in events)
    return sum(isinstance(event, Step) for event in events) > 30


def one_true_end(log: Path, kind: type[Event]) -> None:
    """The log is whole, and ends once, with this kind of event."""
    events = run_log.events(log)
    ends = [event for event in events if isinstance(event, Terminal)]
    assert [type(event) for event in ends] == [kind]
    assert events[-1] is ends[0]
    assert log.read_bytes().endswith(b"\n")
    steps = [event.step for event in events if isinstance(event, Step)]
    assert steps == list(range(1, len(steps) + 1))


def kill(folder: Path, victim: str, moment: str) -> None:
    """One round with a trainer of its own."""
    trainer = ForkingTrainer(folder / "trainer.log")
    runs = Runs(folder / "runs", trainer, Limits(concurrent_runs=1))
    runs.open()
    try:
        until(trainer.ready.is_set, "the trainer is ready")
        run_id = runs.start(RunConfig(epochs=200), ME)
        first = trainer.pid
        child = until(lambda: children(first), "the run has a process")[0]
        until(lambda: reached(runs.path(run_id), moment), f"the run is at {moment}")
        os.kill(child if victim == "child" else first, signal.SIGKILL)
        assert runs.wait(run_id, 30).state == "failed"
        one_true_end(runs.log_path(run_id), RunFailed)
        until(lambda: not alive(child), "the killed run's process is gone")
        again = runs.start(RunConfig(epochs=1), ME)
        assert runs.wait(again, 60).state == "finished", "the next run works"
        one_true_end(runs.log_path(again), RunFinished)
    finally:
        last = trainer.pid
        runs.close()
    until(lambda: not alive(last), "closing leaves no trainer")


def test_a_kill_while_a_step_is_kept_ends_the_run_truthfully_and_the_next_one_works(tmp_path):
    kill(tmp_path, "child", "writing")


@pytest.mark.soak
@pytest.mark.parametrize("number", range(40))
def test_forty_kills_at_seeded_moments_lose_nothing(tmp_path, number):
    victim, moment = random.Random(7 + number // len(ROUNDS)).sample(ROUNDS, len(ROUNDS))[
        number % len(ROUNDS)
    ]
    kill(tmp_path, victim, moment)
