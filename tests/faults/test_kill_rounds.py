"""The app, its trainer or a run killed at a random moment, again and again, under a class.

Meanwhile a run trains and learners answer. After every kill: the app says it is well, every
finished run and every acknowledged answer is still there, no process is left behind, memory is
back to where it was, and whoever comes back reads a plain sentence. Three rounds run always;
`make soak` runs two hundred and prints what it saw.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchmarks.machine import private_megabytes
from pipeline import run_log
from pipeline.events import RunFailed, RunFinished
from tests.faults.session import Session
from tests.pipeline.processes import alive, children, descendants, until
from tests.pipeline.test_faults import one_true_end
from tests.serving import Serve, Server, attempts_in, healthy

VICTIMS = ("app", "trainer", "run")
LATEST = 3.0
"""Seconds after its start that a run is killed at most: start, tracing, training, keeping."""
GROWTH = 60
"""Megabytes by which the app may be larger than when it was new and had served one round."""
KEEPS = {"LOCKSTEP_KEPT_RUNS": "1000"}
"""No finished run is to be cleared away for lack of room."""
SAID = {
    "app": "stopped while this run was going",
    "trainer": "owns TensorFlow ended",
    "run": "was ended from outside",
}


@dataclass
class Lesson:
    """The app under fire, and what must not be lost."""

    server: Server
    serve: Serve
    finished: dict[str, bytes] = field(default_factory=dict)
    answered: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    slowest_health: float = 0
    memory: list[float] = field(default_factory=list)

    def round(self, chance: random.Random, victim: str) -> None:
        """Train and answer, kill, and look at what is left."""
        with Session.opened(self.server.url) as learner:
            self.answer(learner, chance)
            run_id = (
                learner.open("train", "epochs=200&global_batch=100").press("train_button").run_id
            )
            cookie = learner.cookie
            trainer = until(self._trainer, "the app has a trainer")
            time.sleep(chance.uniform(0, LATEST))
            self.kill(victim, trainer)
        self.look_back(victim, run_id, cookie)
        self.train_to_the_end()
        until(lambda: not self._runs(), "no run's process is left")
        self.memory.append(private_megabytes(self.server.process.pid))
        self.tally[victim] += 1

    def answer(self, learner: Session, chance: random.Random) -> None:
        """One answer to the quiz; it counts once the verdict is on the page."""
        learner.open("quiz").press("quiz_start")
        learner.choose("quiz_choice_*_strategy-purpose", chance.randrange(4))
        learner.choose("quiz_sure_*_strategy-purpose", chance.randrange(3))
        learner.press("quiz_check_strategy-purpose")
        assert has_verdict(learner)
        self.answered += 1

    def kill(self, victim: str, trainer: int) -> None:
        """SIGKILL; of an app that is gone every process goes, and it is started again."""
        app = self.server.process
        began = time.monotonic()
        if victim == "run":
            os.kill(until(self._runs, "the run has a process")[0], signal.SIGKILL)
        elif victim == "trainer":
            os.kill(trainer, signal.SIGKILL)
        else:
            family = descendants(app.pid)
            app.kill()
            app.wait()
            until(lambda: not any(map(alive, family)), "no process of the app is left")
            port = int(self.server.url.rpartition(":")[2])
            began = time.monotonic()
            self.server = self.serve(self.server.data, port, **KEEPS)
        assert healthy(self.server)
        self.slowest_health = max(self.slowest_health, time.monotonic() - began)

    def look_back(self, victim: str, run_id: str, cookie: str) -> None:
        """Who comes back reads how the run ended, and everything kept is as it was."""
        log = self.server.data / "runs" / run_id / run_log.FILE_NAME
        until(lambda: log.exists() and run_log.terminal(log), "the run's log has an end")
        one_true_end(log, RunFailed)
        with Session.opened(self.server.url, cookie) as back:
            assert SAID[victim] in back.open("train", f"run={run_id}").words()
            assert "Traceback" not in back.words()
            assert not back.broken()
            assert has_verdict(back.open("quiz"))
        assert all(
            self._log(name).read_bytes() == written for name, written in self.finished.items()
        ), "a finished run has changed"
        acts = [act for attempt in attempts_in(self.server) for act in attempt.acts]
        assert len(acts) == self.answered

    def train_to_the_end(self) -> None:
        """The next run works."""
        with Session.opened(self.server.url) as learner:
            query = "epochs=1&data=digits"
            run_id = learner.open("train", query).press("train_button").run_id
        until(lambda: run_log.terminal(self._log(run_id)), "the next run ends")
        one_true_end(self._log(run_id), RunFinished)
        self.finished[run_id] = self._log(run_id).read_bytes()

    def _log(self, run_id: str) -> Path:
        return self.server.data / "runs" / run_id / run_log.FILE_NAME

    def _trainer(self) -> int:
        return next(iter(children(self.server.process.pid)), 0)

    def _runs(self) -> list[int]:
        return children(self._trainer())


def has_verdict(learner: Session) -> bool:
    """Whether the page shows that the first question was answered, rightly or not."""
    return any(words in learner.words() for words in ("You chose", "Right.", "1 of 5 done"))


def survive(serve: Serve, tmp_path: Path, seed: int, victims: list[str]) -> None:
    lesson = Lesson(serve(tmp_path / "data", **KEEPS), serve)
    chance = random.Random(seed)
    for victim in victims:
        lesson.round(chance, victim)
    print(
        f"\n{sum(lesson.tally.values())} kills {dict(lesson.tally)}: {lesson.answered} answers "
        f"and {len(lesson.finished)} finished runs kept; slowest to be "
        f"well again {lesson.slowest_health:.1f} s; app {min(lesson.memory):.0f} to "
        f"{max(lesson.memory):.0f} MB"
    )
    assert max(lesson.memory) < lesson.memory[0] + GROWTH


def test_a_kill_of_each_kind_under_a_class_loses_nothing(serve: Serve, tmp_path: Path) -> None:
    survive(serve, tmp_path, seed=8, victims=list(VICTIMS))


@pytest.mark.soak
def test_two_hundred_kills_under_a_class_lose_nothing(serve: Serve, tmp_path: Path) -> None:
    chance = random.Random(200)
    survive(serve, tmp_path, seed=9, victims=[chance.choice(VICTIMS) for _ in range(200)])
