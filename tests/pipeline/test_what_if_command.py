"""`python -m pipeline what-if`: what leaving one row out changes, on the recorded run."""

from __future__ import annotations

import json

from pipeline import recordings
from pipeline.runs import RECORDED
from tests.pipeline.processes import command

RUN = str(RECORDED / recordings.DEFAULT)


def test_only_the_replica_with_the_row_changes_its_own_gradient_and_all_copies_change_alike():
    done = command("what-if", RUN, "--json")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    owner = seen["replica_with_the_row"]
    assert seen["own_gradient_changes_by"][1 - owner] == 0.0
    assert seen["own_gradient_changes_by"][owner] > 0
    first, second = seen["all_reduced_changes_by"]
    assert first == second > 0
    assert seen["weights_change_by"][0] == seen["weights_change_by"][1] > 0
    assert seen["weights_changed"][0] == seen["weights_changed"][1] > 0
    assert seen["copies_apart"] == 0.0


def test_a_folder_that_is_no_run_is_refused_in_one_line(tmp_path):
    done = command("what-if", str(tmp_path))
    assert done.returncode == 2
    assert "is not a run's folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_row_that_no_kept_step_holds_is_refused_with_the_steps_that_are_kept():
    done = command("what-if", RUN, "--row", "1000000")
    assert done.returncode == 2
    assert "row 1000000 is in none of the steps" in done.stderr
