"""A disk that takes no more: nothing kept is lost, the learner reads why, the next run works.

The kernel's limit on the size of a file stands in for the full disk: writing fails in the middle
of a line in the same way, and no other program is disturbed.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline import run_log
from pipeline.config import RunConfig
from pipeline.events import RunFailed, RunFinished, Step
from pipeline.launch import ForkingTrainer
from pipeline.limits import LimitError
from pipeline.runs import Runs
from tests.pipeline.processes import until


@contextmanager
def full_beyond(size: int, pid: int = 0) -> Iterator[None]:
    """No file of the process (0: this one) and of its children may grow beyond `size` bytes."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    trainer = ForkingTrainer(tmp_path / "trainer.log")
    opened = Runs(tmp_path / "runs", trainer)
    opened.open()
    until(trainer.ready.is_set, "the trainer is ready")
    yield opened
    opened.close()


def test_a_run_that_fills_the_disk_ends_with_a_sentence_and_the_next_one_works(runs: Runs) -> None:
    trainer = runs.workers.launcher
    assert isinstance(trainer, ForkingTrainer)
    with full_beyond(20_000, trainer.pid):
        run_id = runs.start(RunConfig(), "me")
        assert runs.wait(run_id, 60).state == "failed"
    told = run_log.events(runs.log_path(run_id))
    assert isinstance(told[-1], RunFailed)
    assert "could not keep this on its disk: File too large" in told[-1].error
    steps = [event.step for event in told if isinstance(event, Step)]
    assert steps == list(range(1, len(steps) + 1)), "what was told before is whole"
    assert steps
    again = runs.start(RunConfig(epochs=1), "me")
    assert runs.wait(again, 60).state == "finished"
    assert isinstance(runs.events(again)[-1], RunFinished)


def test_a_run_that_cannot_even_be_noted_down_is_refused_and_leaves_nothing(runs: Runs) -> None:
    with full_beyond(0), pytest.raises(LimitError, match="has to make room"):
        runs.start(RunConfig(), "me")
    assert runs.of("me") == []
    assert list(runs.folder.iterdir()) == []
