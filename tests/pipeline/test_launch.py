"""Real processes: started, watched, killed from every side, and none left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from pipeline import events
from pipeline.config import RunConfig
from pipeline.events import RunFailed, RunFinished, RunStopped, Step
from pipeline.launch import ForkingTrainer, FreshProcess, default_launcher
from pipeline.limits import Limits
from pipeline.runs import Runs
from pipeline.sources import Csv
from tests.pipeline.processes import ROOT, alive, children, descendants, until
from tests.pipeline.real_runs import GOOD

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
ME = "me"
SHORT = RunConfig(data="digits", epochs=1)
LONG = RunConfig(data="digits", epochs=1_000, global_batch=64)
SLOW_TO_TRACE = LONG.model_copy(update={"replicas": 8})
ROOMY = {"epochs": 1_000, "steps": 100_000, "runs_per_learner": 10, "columns": 1_000}


def folder_for(path, config=SHORT, run_id="0" * 20):
    """A run's folder, ready to be launched."""
    folder = path / run_id
    folder.mkdir(parents=True)
    (folder / "request.json").write_text(
        json.dumps({"run_id": run_id, "config": config.model_dump()})
    )
    return folder


def stepping(runs, run_id):
    """Wait until the run trains, or has ended."""
    until(
        lambda: (
            any(isinstance(event, Step) for event in runs.events(run_id)) or runs.get(run_id).ended
        ),
        "the first step is taken",
    )
    assert runs.get(run_id).state == "running"


def last(runs, run_id):
    found = runs.events(run_id)
    ends = [e for e in found if isinstance(e, RunFinished | RunStopped | RunFailed)]
    assert ends == found[-1:]
    return ends[0]


class Exits:
    """Hears what a launcher reports."""

    def __init__(self):
        self.heard = []

    def __call__(self, folder, status):
        self.heard.append((folder, status))


# The warm trainer ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    return ForkingTrainer(tmp_path_factory.mktemp("trainer") / "trainer.log", niceness=3)


@pytest.fixture(scope="module")
def runs(tmp_path_factory, trainer):
    """Runs of one warm trainer, shared by the tests of this module."""
    runs = Runs(tmp_path_factory.mktemp("runs"), trainer, Limits(**ROOMY))
    runs.open()
    yield runs
    runs.close()


def the_next_run_works(runs):
    run_id = runs.start(SHORT, ME)
    assert runs.wait(run_id, 60).state == "finished", last(runs, run_id)


def test_a_run_of_the_warm_trainer_finishes(runs):
    run_id = runs.start(SHORT, ME)
    assert runs.wait(run_id, 60).state == "finished"
    assert all(check.ok for check in last(runs, run_id).checks.values())


def test_two_runs_go_at_once_and_both_finish(runs):
    ids = [runs.start(SHORT, ME), runs.start(SHORT.model_copy(update={"replicas": 3}), ME)]
    assert [runs.wait(run_id, 60).state for run_id in ids] == ["finished", "finished"]


def test_a_run_yields_to_the_page(runs, trainer):
    run_id = runs.start(LONG, ME)
    stepping(runs, run_id)
    (child,) = children(trainer.pid)
    assert os.getpriority(os.PRIO_PROCESS, child) == os.getpriority(os.PRIO_PROCESS, 0) + 3
    runs.stop(run_id, ME)


def test_a_run_is_stopped_while_it_trains(runs, trainer):
    run_id = runs.start(LONG, ME)
    stepping(runs, run_id)
    runs.stop(run_id, ME)
    assert last(runs, run_id) == RunStopped()
    until(lambda: not children(trainer.pid), "its process is gone")


def test_a_run_is_stopped_while_its_first_step_is_traced(runs, trainer):
    run_id = runs.start(SLOW_TO_TRACE, ME)
    until(lambda: len(runs.events(run_id)) >= 4, "the stages are told")
    runs.stop(run_id, ME)
    assert last(runs, run_id) == RunStopped()
    until(lambda: not children(trainer.pid), "its process is gone")


def test_a_run_is_stopped_as_soon_as_it_is_asked_for(runs, trainer):
    run_id = runs.start(LONG, ME)
    runs.stop(run_id, ME)
    assert runs.events(run_id) == [RunStopped()]
    the_next_run_works(runs)
    until(lambda: not children(trainer.pid), "its process is gone")
    assert runs.events(run_id) == [RunStopped()]


@pytest.mark.parametrize("when", ["at the start", "tracing", "training"])
def test_a_run_whose_process_is_killed_fails_and_the_next_one_works(runs, trainer, when):
    assert trainer.ready.wait(60)
    run_id = runs.start(SLOW_TO_TRACE if when == "tracing" else LONG, ME)
    if when == "tracing":
        until(lambda: len(runs.events(run_id)) >= 4, "the stages are told")
    elif when == "training":
        stepping(runs, run_id)
    (child,) = until(lambda: children(trainer.pid), "there is a process")
    seen = runs.events(run_id)
    os.kill(child, signal.SIGKILL)
    assert runs.wait(run_id, 20).state == "failed"
    assert "signal 9" in last(runs, run_id).error
    assert runs.events(run_id)[: len(seen)] == seen
    the_next_run_works(runs)


def test_a_killed_trainer_fails_its_runs_and_is_started_anew(runs, trainer):
    run_id = runs.start(LONG, ME)
    stepping(runs, run_id)
    before, (child,) = trainer.pid, children(trainer.pid)
    os.kill(before, signal.SIGKILL)
    assert runs.wait(run_id, 20).state == "failed"
    assert "it is started anew" in last(runs, run_id).error
    until(lambda: not alive(child), "the run's process died with the trainer")
    until(lambda: trainer.pid != before, "there is a new trainer")
    the_next_run_works(runs)


def test_a_run_that_is_asked_for_while_the_trainer_starts_can_be_stopped(runs, trainer):
    before = trainer.pid
    os.kill(before, signal.SIGKILL)
    until(lambda: trainer.pid != before, "there is a new trainer")
    run_id = runs.start(LONG, ME)
    runs.stop(run_id, ME)
    assert runs.events(run_id) == [RunStopped()]
    the_next_run_works(runs)


def test_a_csv_that_this_server_lets_in_is_not_refused_by_the_trainer(runs):
    columns = 600
    text = ",".join(f"c{n}" for n in range(columns)) + ",label\n"
    text += "".join(",".join(["1"] * columns) + f",{row % 2}\n" for row in range(12))
    run_id = runs.start(RunConfig(data="wide.csv", epochs=1), ME, Csv("wide.csv", text.encode()))
    assert runs.wait(run_id, 60).state == "finished", last(runs, run_id)


def test_closing_leaves_no_process_and_an_end_in_every_log(tmp_path):
    """With runs that train, that wait, and a second close."""
    trainer = ForkingTrainer(tmp_path / "trainer.log")
    runs = Runs(tmp_path / "runs", trainer, Limits(**ROOMY, concurrent_runs=1))
    runs.open()
    ids = [runs.start(LONG, ME) for _ in range(2)]
    stepping(runs, ids[0])
    processes = [trainer.pid, *descendants(trainer.pid)]
    assert len(processes) == 2
    runs.close()
    assert not any(alive(pid) for pid in processes)
    assert all("Lockstep was closed" in last(runs, run_id).error for run_id in ids)
    runs.close()


def test_a_killed_parent_leaves_no_process_behind(tmp_path):
    program = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from pipeline.config import RunConfig\n"
        "from pipeline.launch import ForkingTrainer\n"
        "from pipeline.limits import Limits\n"
        "from pipeline.runs import Runs\n"
        "folder = Path(sys.argv[1])\n"
        "runs = Runs(folder / 'runs', ForkingTrainer(folder / 'trainer.log'), "
        "Limits(epochs=1_000))\n"
        "runs.open()\n"
        "print(runs.start(RunConfig(data='digits', epochs=1_000), 'me'), flush=True)\n"
        "threading.Event().wait()\n"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    parent: Any
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        try:
            log = tmp_path / "runs" / parent.stdout.readline().strip() / "events.jsonl"
            until(lambda: log.exists() and '"event":"step"' in log.read_text(), "it trains")
            processes = descendants(parent.pid)
            assert len(processes) == 2
        finally:
            parent.kill()
    until(lambda: not any(alive(pid) for pid in processes), "all are gone")
    runs = Runs(tmp_path / "runs", FreshProcess())
    runs.open()
    assert runs.get(log.parent.name).state == "failed"
    assert "Lockstep was stopped" in last(runs, log.parent.name).error
    runs.close()


# A trainer that cannot start -----------------------------------------------------------------


@pytest.fixture
def tensorflow(tmp_path, monkeypatch):
    """Put another `tensorflow` and `keras` in place of the real ones, for new processes."""

    def replace(source):
        folder = tmp_path / "instead"
        folder.mkdir()
        for name in ("tensorflow", "keras"):
            (folder / f"{name}.py").write_text(source)
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return replace


def test_a_trainer_that_cannot_start_is_not_started_for_ever(tmp_path, tensorflow):
    tensorflow("raise ImportError('no TensorFlow here')")
    trainer = ForkingTrainer(tmp_path / "trainer.log")
    runs = Runs(tmp_path / "runs", trainer, Limits(runs_per_learner=5))
    runs.open()
    first = runs.start(SHORT, ME)
    assert runs.wait(first, 60).state == "failed"
    until(lambda: not alive(trainer.pid) and trainer._false_starts == 3, "it is given up")
    second = runs.start(SHORT, ME)
    assert runs.wait(second, 10).state == "failed"
    assert last(runs, second).error.startswith("TensorFlow does not start on this server")
    log = (tmp_path / "trainer.log").read_text()
    assert log.count("ImportError: no TensorFlow here") == 3
    runs.close()


def test_a_run_in_a_fresh_process_that_cannot_start_fails_with_a_sentence(tmp_path, tensorflow):
    tensorflow("raise ImportError('no TensorFlow here')")
    runs = Runs(tmp_path, FreshProcess())
    runs.open()
    run_id = runs.start(SHORT, ME)
    assert runs.wait(run_id, 60).state == "failed"
    assert last(runs, run_id).error == "The run's process ended early (exit status 1)."
    assert "no TensorFlow here" in (runs.path(run_id) / "trainer.log").read_text()
    runs.close()


def test_closing_does_not_wait_for_a_trainer_that_hangs(tmp_path, tensorflow):
    tensorflow("import threading; threading.Event().wait()")
    trainer = ForkingTrainer(tmp_path / "trainer.log")
    runs = Runs(tmp_path / "runs", trainer)
    runs.open()
    run_id = runs.start(SHORT, ME)
    runs.close()
    assert not alive(trainer.pid)
    assert "Lockstep was closed" in last(runs, run_id).error


# A fresh process for each run ----------------------------------------------------------------


def test_a_fresh_process_does_its_run_and_reports_its_exit_once(tmp_path):
    exits, launcher = Exits(), FreshProcess()
    launcher.open(exits)
    folder = folder_for(tmp_path)
    launcher.launch(folder)
    until(lambda: exits.heard, "it exits")
    assert exits.heard == [(folder, 0)]
    outcome = events.from_line((folder / "outcome.json").read_text())
    assert isinstance(outcome, RunFinished)
    launcher.close()
    assert exits.heard == [(folder, 0)]


def test_a_fresh_process_that_is_killed_is_gone_and_reported_with_its_signal(tmp_path, tensorflow):
    tensorflow("import threading; threading.Event().wait()")
    exits, launcher = Exits(), FreshProcess()
    launcher.open(exits)
    folder = folder_for(tmp_path)
    before = set(children(os.getpid()))
    launcher.launch(folder)
    (pid,) = set(children(os.getpid())) - before
    launcher.kill(folder)
    assert not alive(pid)
    until(lambda: exits.heard, "its exit is reported")
    assert exits.heard == [(folder, -signal.SIGKILL)]


def test_closing_kills_all_fresh_processes(tmp_path, tensorflow):
    tensorflow("import threading; threading.Event().wait()")
    exits, launcher = Exits(), FreshProcess()
    launcher.open(exits)
    before = set(children(os.getpid()))
    for number in range(3):
        launcher.launch(folder_for(tmp_path, run_id=f"{number:020}"))
    started = set(children(os.getpid())) - before
    assert len(started) == 3
    launcher.close()
    assert not any(alive(pid) for pid in started)
    until(lambda: len(exits.heard) == 3, "all are reported")


def test_killing_what_does_not_run_does_nothing(tmp_path):
    exits, launcher = Exits(), FreshProcess()
    launcher.open(exits)
    launcher.kill(tmp_path)
    launcher.close()
    assert exits.heard == []


@pytest.mark.parametrize("own, wanted", [(0, 0), (0, 4), (5, 0), (5, 4), (18, 4)])
def test_a_fresh_process_yields_further_than_its_parent(tmp_path, tensorflow, own, wanted):
    tensorflow("import threading; threading.Event().wait()")
    folder = folder_for(tmp_path)
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from pipeline.launch import FreshProcess\n"
        f"os.nice({own})\n"
        f"launcher = FreshProcess({wanted})\n"
        "launcher.open(lambda folder, status: None)\n"
        "launcher.launch(Path(sys.argv[1]))\n"
        "(child,) = launcher._processes.values()\n"
        "print(os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, child.pid))\n"
        "launcher.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    mine, childs = map(int, done.stdout.split())
    assert childs == min(19, mine + wanted)


def test_a_fresh_process_ends_with_its_parent(tmp_path, tensorflow):
    tensorflow("import threading; threading.Event().wait()")
    folder = folder_for(tmp_path)
    program = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from pipeline.launch import FreshProcess\n"
        "launcher = FreshProcess()\n"
        "launcher.open(lambda folder, status: None)\n"
        "launcher.launch(Path(sys.argv[1]))\n"
        "print('launched', flush=True)\n"
        "threading.Event().wait()\n"
    )
    arguments = [sys.executable, "-c", program, str(folder)]
    parent: Any
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout.readline() == "launched\n"
            (child,) = children(parent.pid)
        finally:
            parent.kill()
    until(lambda: not alive(child), "the run's process is gone")


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path):
    launcher = FreshProcess()
    launcher.open(Exits())
    with pytest.raises(OSError, match="gone"):
        launcher.launch(tmp_path / "gone")


def test_linux_gets_the_warm_trainer(tmp_path):
    assert isinstance(default_launcher(tmp_path / "trainer.log"), ForkingTrainer)


def test_the_csv_of_a_run_reaches_its_process(runs):
    with open(GOOD, "rb") as file:
        run_id = runs.start(RunConfig(data="my good.csv", epochs=1), ME, Csv("x.csv", file.read()))
    assert runs.wait(run_id, 60).state == "finished"
    assert runs.events(run_id)[1].shape_in == (64, 4)
