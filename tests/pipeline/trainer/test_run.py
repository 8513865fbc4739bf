"""One run's own process: what it leaves in its folder, however the run went."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pipeline import run_log, sources
from pipeline.config import RunConfig
from pipeline.events import RunFailed, RunFinished, RunStopped
from tests.pipeline.processes import ROOT
from tests.pipeline.real_runs import CASES

REQUESTS = {
    "fine": {"config": RunConfig(data="digits", epochs=1).model_dump()},
    "setting": {"config": {"replicas": 99}},
    "csv": {"config": {"data": "ragged.csv"}},
    "no csv": {"config": {"data": "gone.csv"}},
    "no config": {},
    "ended": {"config": RunConfig(data="digits", epochs=1).model_dump()},
}


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """Folders in which `work` has been done, all in one process, the real training last."""
    base = tmp_path_factory.mktemp("work")
    for name, request in REQUESTS.items():
        (base / name).mkdir()
        text = json.dumps({"run_id": name, **request})
        (base / name / "request.json").write_text(text)
    ragged = (CASES / "ragged.csv").read_bytes()
    sources.write_copy(base / "csv", sources.Csv("ragged.csv", ragged))
    run_log.end(base / "ended" / run_log.FILE_NAME, RunStopped())
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pipeline.trainer.run import work\n"
        "print([work(Path(sys.argv[1]) / name) for name in sys.argv[2:]])\n"
    )
    names = [*(name for name in REQUESTS if name != "fine"), "fine"]
    done = subprocess.run(
        [sys.executable, "-c", program, str(base), *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == f"{[0] * len(names)}\n", done.stderr
    return base


def test_a_run_leaves_its_outcome_beside_its_log(worked):
    assert isinstance(run_log.read_outcome(worked / "fine"), RunFinished)


def test_a_run_leaves_the_end_of_its_log_to_others(worked):
    log = worked / "fine" / run_log.FILE_NAME
    assert run_log.terminal(log) is None
    assert run_log.events(log)[-1].event == "epoch"


@pytest.mark.parametrize(
    "name, words",
    [
        ("setting", "Replicas (--replicas) must be a whole number from 1 to 8; got 99"),
        ("csv", "Row 7 has 3 values"),
        ("no csv", "gone.csv"),
        ("no config", "The run raised KeyError"),
    ],
)
def test_a_run_that_cannot_be_done_leaves_the_reason(worked, name, words):
    outcome = run_log.read_outcome(worked / name)
    assert isinstance(outcome, RunFailed)
    assert words in outcome.error


def test_a_run_that_was_stopped_before_it_began_does_nothing(worked):
    assert run_log.events(worked / "ended" / run_log.FILE_NAME) == [RunStopped()]
    assert run_log.read_outcome(worked / "ended") is None
