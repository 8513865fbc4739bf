"""The recorded runs that ship: readable by this version, finished, and what their labels say."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import distribute, recordings, run_log
from pipeline.answers import RECORDED as RECORDED_ANSWERS
from pipeline.answers import recorded_key
from pipeline.config import RunConfig
from pipeline.events import SCHEMA, RunFinished, RunStarted, Step
from pipeline.run_log import RESULT_NAME
from pipeline.runs import RECORDED, Runs
from pipeline.step_records import FOLDER, StepRecord
from tests.pipeline.test_feed import IdleLauncher


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    opened = Runs(tmp_path_factory.mktemp("recorded"), IdleLauncher())
    opened.open()
    yield opened
    opened.close()


@pytest.mark.parametrize("name", recordings.CONFIGS)
def test_a_recording_has_the_present_schema_its_settings_and_an_end(runs, name):
    view = runs.view(name)
    assert view.recorded
    assert view.config == recordings.CONFIGS[name]
    started = view.started
    assert isinstance(started, RunStarted)
    assert started.schema_ == SCHEMA
    assert RunConfig.checked(started.config) == view.config
    assert started.versions["tensorflow"]
    assert view.day != "an unknown day"
    assert isinstance(view.last, RunFinished)
    assert [step.step for step in view.steps] == list(range(1, started.steps + 1))


def test_the_default_recording_keeps_its_chosen_steps_in_full(runs):
    view = runs.view(recordings.DEFAULT)
    assert isinstance(view.last, RunFinished)
    assert tuple(view.kept) == view.last.checked_steps
    assert all(check.ok for check in view.last.checks.values())


def test_a_recorded_run_belongs_to_nobody(runs):
    assert not runs.is_owner(recordings.DEFAULT, "")
    assert not runs.is_owner(recordings.DEFAULT, "recording")


def test_rows_of_a_recorded_step_are_the_rows_of_the_plan(runs):
    view = runs.view(recordings.DEFAULT)
    planned = {
        step.step: step.replicas
        for step in distribute.plan(
            view.data.y_train,
            replicas=view.config.replicas,
            batch=view.config.global_batch,
            epochs=view.config.epochs,
            seed=view.config.seed,
        )
    }
    for number in view.kept:
        for had, plan in zip(view.record(number).rows, planned[number], strict=True):
            np.testing.assert_array_equal(had, plan)


def test_where_a_row_is_used_is_where_the_log_says_it_was(runs):
    view = runs.view(recordings.DEFAULT)
    uses = view.uses_of(view.row)
    assert [epoch for epoch, _, _ in uses] == [1, 2, 3, 4, 5]
    for _, step, replica in uses:
        assert view.row in view.record(step).rows[replica]


def test_the_recorded_leave_one_row_out_is_exact_to_the_bit(runs):
    """The other replica's own gradient does not change at all; both copies change alike."""
    view = runs.view(recordings.DEFAULT)
    _, step, owner = view.uses_of(view.row)[0]
    question = recordings.what_if_question(view.run_id, step, view.row)
    folder = RECORDED_ANSWERS / recorded_key("what-if", question)
    name = f"step-{step:06d}.npz"
    complete = StepRecord.load(folder / "with" / FOLDER / name)
    without = StepRecord.load(folder / "without" / FOLDER / name)

    def largest(some, others):
        return max(float(np.abs(a - b).max()) for a, b in zip(some, others, strict=True))

    other = 1 - owner
    assert largest(complete.own[other], without.own[other]) == 0.0
    assert largest(complete.own[owner], without.own[owner]) > 0
    assert largest(complete.all_reduced, without.all_reduced) > 0
    for record in (complete, without):
        for one, two in zip(*record.sums, strict=True):
            assert one.tobytes() == two.tobytes(), "every replica got the same sum"
        for one, two in zip(*record.after, strict=True):
            assert one.tobytes() == two.tobytes()
    assert largest(complete.after[0], without.after[0]) > 0
    recorded = view.record(step)
    assert largest(complete.after[0], recorded.after[0]) == 0.0, "the repeat is the step itself"


def test_one_class_each_collapses_only_without_the_all_reduce_in_every_step(runs):
    def accuracy(name):
        return np.mean(runs.view(name).epochs[-1].all_rows_accuracy)

    assert accuracy("one-class-step") > 0.8
    assert accuracy("one-class-epoch") < 0.6
    assert accuracy("one-class-never") < 0.6
    # On shuffled rows the three look alike: that comparison alone would teach the wrong thing.
    assert accuracy("shuffled-epoch") == pytest.approx(accuracy("two-replicas"), abs=0.03)
    assert accuracy("shuffled-never") == pytest.approx(accuracy("two-replicas"), abs=0.03)


def test_the_copies_stay_equal_with_the_all_reduce_and_drift_without(runs):
    def differences(name):
        return [step.copies_max_abs_diff for step in runs.view(name).steps]

    assert set(differences("two-replicas")) == {0.0}
    assert set(differences("one-class-step")) == {0.0}
    assert min(differences("shuffled-never")) > 0
    assert differences("shuffled-never")[-1] > differences("shuffled-never")[0]


def test_every_recorded_answer_is_a_result_and_nothing_else_ships():
    assert {path.name for path in RECORDED.iterdir()} == set(recordings.CONFIGS)
    for folder in RECORDED_ANSWERS.iterdir():
        assert (folder / RESULT_NAME).exists()
        assert not any(folder.glob("trainer.log"))


def test_a_recordings_step_survives_the_round_trip_of_the_contract(runs):
    path = runs.log_path(recordings.DEFAULT)
    first = next(event for event in run_log.events(path) if isinstance(event, Step))
    assert sum(part.batch_shape[0] for part in first.replicas) == 256
