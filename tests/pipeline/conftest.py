"""What is expensive, made once for all tests: real runs, and observations of TensorFlow.

The pytest process never imports TensorFlow, which fixes its devices once in a process: whatever
needs it happens in the trainer's own processes (`trained`, `printed`) or in those of
`tests.pipeline.trainer.in_tensorflow` (`observed`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline import events, run_log, step_records
from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.runs import Runs
from pipeline.sources import is_built_in, open_data

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cases/data"
REPLICAS = (1, 2, 3, 4, 8)
DATA = (
    "synthetic",
    "digits",
    "breast-cancer",
    str(CASES / "good.csv"),
    str(CASES / "three_class_words.csv"),
    str(CASES / "three_rows.csv"),
)
APART = {"order": "one-class-each", "data": "breast-cancer", "epochs": 3}

SETTINGS: dict[str, dict[str, Any]] = {
    f"{Path(data).stem} on {replicas}": {
        "data": data,
        "replicas": replicas,
        "epochs": 1 if data == "synthetic" else 2,
    }
    for data in DATA
    for replicas in REPLICAS
} | {
    "defaults": {},
    "255 on 2": {"global_batch": 255, "epochs": 1},
    "255 on 3": {"global_batch": 255, "epochs": 2, "replicas": 3, "data": "digits"},
    "batch of 3 on 4": {"data": DATA[3], "replicas": 4, "global_batch": 3, "epochs": 1},
    "batch of 1 on 2": {"data": DATA[5], "replicas": 2, "global_batch": 1, "epochs": 2},
    "33 on 4 with SGD": {
        "data": "breast-cancer",
        "replicas": 4,
        "global_batch": 100,
        "epochs": 2,
        "optimizer": "sgd",
    },
    "one thread": {"data": "digits", "one_thread": True, "epochs": 1},
    "as it stands": {"data": "digits", "order": "as-is", "epochs": 2, "row": 1_000},
    "a row too far": {"data": DATA[5], "row": 9_999, "epochs": 1},
    "too fast": {"data": "digits", "learning_rate": 10, "optimizer": "sgd", "epochs": 2},
    "apart, never": {**APART, "combine": "never"},
    "apart, epoch": {**APART, "combine": "epoch"},
    "apart, step": {**APART, "combine": "step"},
    "one, never": {"data": "digits", "replicas": 1, "combine": "never", "epochs": 1},
}


@dataclass(frozen=True)
class Trained:
    """One real run that has ended: its log as it stands, and what belongs to it."""

    config: RunConfig
    folder: Path
    status: int = 0
    printed: str | None = None

    @property
    def text(self) -> str:
        """The lines a reader gets: what was printed, or else the log."""
        if self.printed is not None:
            return self.printed
        return (self.folder / run_log.FILE_NAME).read_text(encoding="utf-8")

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line, parse_constant=refuse) for line in self.text.splitlines()]

    @property
    def events(self) -> list[events.Event]:
        found = [events.from_line(line) for line in self.text.splitlines()]
        assert None not in found
        return [event for event in found if event is not None]

    @property
    def steps(self) -> list[events.Step]:
        return [event for event in self.events if isinstance(event, events.Step)]

    @property
    def epochs(self) -> list[events.Epoch]:
        return [event for event in self.events if isinstance(event, events.Epoch)]

    @property
    def finished(self) -> events.RunFinished:
        last = self.events[-1]
        assert isinstance(last, events.RunFinished), last
        return last

    @property
    def data(self) -> DataSet:
        name = self.config.data
        return open_data(self.config, None if is_built_in(name) else Path(name).read_bytes())

    def record(self, step: int) -> step_records.StepRecord:
        return step_records.StepRecord.load(step_records.record_path(self.folder, step))


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not standard JSON")


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> Iterator[dict[str, Trained]]:
    """Every run of SETTINGS, by the warm trainer, two at a time."""
    folder = tmp_path_factory.mktemp("trained")
    limits = Limits(queue_length=1_000, runs_per_learner=1_000, kept_megabytes=1e6)
    runs = Runs(folder / "runs", ForkingTrainer(folder / "trainer.log"), limits)
    runs.open()
    try:
        ids = {}
        for name, values in SETTINGS.items():
            config = RunConfig.checked(values)
            csv = None if is_built_in(config.data) else Path(config.data).read_bytes()
            ids[name] = runs.start(config, "a class", csv)
        found = {}
        for name, run_id in ids.items():
            assert runs.wait(run_id, 300).ended, f"{name} did not end"
            found[name] = Trained(runs.get(run_id).config, runs.path(run_id))
        yield found
    finally:
        runs.close()


@pytest.fixture(scope="session")
def spaced_csv(tmp_path_factory) -> Path:
    """A sound CSV at a path with spaces, quotes and letters beyond ASCII."""
    folder = tmp_path_factory.mktemp("my data, it's übung")
    path = folder / "good copy (1).csv"
    path.write_bytes((CASES / "good.csv").read_bytes())
    return path


@pytest.fixture(scope="session")
def printed(tmp_path_factory, spaced_csv) -> dict[str, Trained]:
    """Runs of the command line with --json, each in processes of its own, two at a time."""
    wanted: dict[str, list[str]] = {
        "1": ["--replicas", "1", "--epochs", "1"],
        "2": ["--replicas", "2", "--epochs", "1"],
        "3": ["--replicas", "3", "--data", "digits", "--global-batch", "255", "--epochs", "1"],
        "4": ["--replicas", "4", "--data", str(spaced_csv), "--global-batch", "3", "--epochs", "1"],
        "8": ["--replicas", "8", "--data", str(CASES / "three_rows.csv"), "--epochs", "2"],
    }

    def run(name: str) -> Trained:
        kept = tmp_path_factory.mktemp(f"printed-{name}")
        done = command("run", *wanted[name], "--json", "--keep", str(kept))
        (folder,) = (path for path in kept.iterdir() if path.is_dir())
        assert done.stderr == ""
        config = RunConfig.checked(json.loads((folder / "request.json").read_text())["config"])
        return Trained(config, folder, done.returncode, done.stdout)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(wanted, pool.map(run, wanted), strict=True))


@pytest.fixture(scope="session")
def observed(tmp_path_factory) -> Callable[[str], Any]:
    """What `in_tensorflow` saw, by the name of the observation."""
    folder = tmp_path_factory.mktemp("observed")
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.trainer.in_tensorflow", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return lambda name: json.loads((folder / f"{name}.json").read_text())


def command(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """`python -m pipeline` with these arguments, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def until(condition: Callable[[], Any], what: str, timeout: float = 60) -> Any:
    """Wait until `condition` gives something true, and return it."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {timeout} s in vain until {what}"
        time.sleep(0.01)
    return value


def alive(pid: int) -> bool:
    """Whether the process runs (Linux); a dead one that nobody has reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def children(pid: int) -> list[int]:
    """The process's children that run (Linux)."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [child for child in found if alive(child)]


def descendants(pid: int) -> list[int]:
    """Children, their children, and so on (Linux)."""
    found = children(pid)
    for child in list(found):
        found += descendants(child)
    return found
