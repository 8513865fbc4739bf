"""What is expensive, made once for all tests: real runs, and observations of TensorFlow.

The pytest process never imports TensorFlow, which fixes its devices once in a process: whatever
needs it happens in the trainer's own processes (`trained`, `printed`) or in those of
`tests.pipeline.trainer.in_tensorflow` (`observed`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.config import RunConfig
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.runs import Runs
from tests.once import once
from tests.pipeline.processes import ROOT, command
from tests.pipeline.real_runs import CASES, SETTINGS, Trained, csv_of


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> dict[str, Trained]:
    """Every run of SETTINGS, by the warm trainer, two at a time."""
    return once(tmp_path_factory, "trained", _train)


def _train(folder: Path) -> dict[str, Trained]:
    limits = Limits(queue_length=1_000, runs_per_learner=1_000, kept_megabytes=1e6)
    runs = Runs(folder / "runs", ForkingTrainer(folder / "trainer.log"), limits)
    runs.open()
    try:
        ids = {}
        for name, values in SETTINGS.items():
            config = RunConfig.checked(values)
            ids[name] = runs.start(config, "a class", csv_of(config))
        found = {}
        for name, run_id in ids.items():
            assert runs.wait(run_id, 300).ended, f"{name} did not end"
            found[name] = Trained(runs.get(run_id).config, runs.path(run_id))
        return found
    finally:
        runs.close()


@pytest.fixture(scope="session")
def spaced_csv(tmp_path_factory) -> Path:
    """A sound CSV at a path with spaces, quotes and letters beyond ASCII."""
    return once(tmp_path_factory, "my data, it's übung", _copy)


def _copy(folder: Path) -> Path:
    path = folder / "good copy (1).csv"
    path.write_bytes((CASES / "good.csv").read_bytes())
    return path


@pytest.fixture(scope="session")
def printed(tmp_path_factory, spaced_csv) -> dict[str, Trained]:
    """Runs of the command line with --json, each in processes of its own, two at a time."""
    return once(tmp_path_factory, "printed", partial(_print, spaced_csv))


def _print(spaced_csv: Path, folder: Path) -> dict[str, Trained]:
    wanted: dict[str, list[str]] = {
        "1": ["--replicas", "1", "--epochs", "1"],
        "2": ["--replicas", "2", "--epochs", "1"],
        "3": ["--replicas", "3", "--data", "digits", "--global-batch", "255", "--epochs", "1"],
        "4": ["--replicas", "4", "--data", str(spaced_csv), "--global-batch", "3", "--epochs", "1"],
        "8": ["--replicas", "8", "--data", str(CASES / "three_rows.csv"), "--epochs", "2"],
    }

    def run(name: str) -> Trained:
        kept = folder / name
        done = command("run", *wanted[name], "--json", "--keep", str(kept))
        (found,) = (path for path in kept.iterdir() if path.is_dir())
        assert done.stderr == ""
        config = RunConfig.checked(json.loads((found / "request.json").read_text())["config"])
        return Trained(config, found, done.returncode, done.stdout)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(wanted, pool.map(run, wanted), strict=True))


@pytest.fixture(scope="session")
def observed(tmp_path_factory) -> Callable[[str], Any]:
    """What `in_tensorflow` saw, by the name of the observation."""
    folder = once(tmp_path_factory, "observed", _observe)
    return lambda name: json.loads((folder / f"{name}.json").read_text())


def _observe(folder: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.trainer.in_tensorflow", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder
