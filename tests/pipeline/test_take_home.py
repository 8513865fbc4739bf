"""What a learner takes home: numbers that equal the log, and a script that makes the run again."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import zipfile

import pytest

from pipeline import recordings, take_home
from pipeline.events import from_line
from pipeline.run_log import events
from pipeline.runs import Runs
from tests.pipeline.test_feed import IdleLauncher


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    opened = Runs(tmp_path_factory.mktemp("take-home"), IdleLauncher())
    opened.open()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def run(runs):
    return runs.view(recordings.DEFAULT)


def test_the_json_holds_every_event_of_the_log(run, runs):
    document = json.loads(take_home.as_json(run))
    read = [from_line(json.dumps(event)) for event in document["events"]]
    assert read == events(runs.log_path(run.run_id))


def test_the_csv_has_a_line_for_every_step_with_the_logs_numbers(run):
    table = list(csv.DictReader(io.StringIO(take_home.as_csv(run))))
    assert len(table) == len(run.steps)
    for line, step in zip(table, run.steps, strict=True):
        assert float(line["loss"]) == step.loss
        assert float(line["r1_loss"]) == step.replicas[1].loss
        assert int(line["r0_rows"]) + int(line["r1_rows"]) == sum(
            part.batch_shape[0] for part in step.replicas
        )


def test_the_script_run_in_an_empty_folder_prints_the_runs_losses(run, tmp_path):
    with zipfile.ZipFile(io.BytesIO(take_home.archive(run))) as zipped:
        zipped.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "lockstep_run.py"],
        cwd=tmp_path,
        env={"PATH": "", "TF_CPP_MIN_LOG_LEVEL": "2", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = [float(loss) for loss in re.findall(r"^epoch \d+  loss ([\d.]+)$", done.stdout, re.M)]
    assert printed == pytest.approx([epoch.loss for epoch in run.epochs], abs=1e-5)


def test_the_notebook_holds_the_scripts_code_in_order(run):
    cells = json.loads(take_home.notebook(run))["cells"]
    code = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    compile(code, "notebook", "exec")
    position = 0
    script = take_home.script(run)
    for line in filter(None, code.splitlines()):
        position = script.index(line, position)
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_a_run_that_trained_apart_has_numbers_but_no_script(runs):
    apart = runs.view("shuffled-never")
    assert not take_home.can_be_repeated(apart)
    with zipfile.ZipFile(io.BytesIO(take_home.archive(apart))) as zipped:
        assert sorted(zipped.namelist()) == ["run.json", "steps.csv"]
    with pytest.raises(ValueError, match="all-reduce"):
        take_home.script(apart)


def test_one_class_each_takes_its_row_orders_along(runs):
    with zipfile.ZipFile(io.BytesIO(take_home.archive(runs.view("one-class-step")))) as zipped:
        assert "orders.npz" in zipped.namelist()
        assert 'np.load("orders.npz")' in zipped.read("lockstep_run.py").decode()
