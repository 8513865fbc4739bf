"""Real runs, looked at from outside: what they tell agrees with itself and with other sums."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import distribute, events, step_records
from tests.pipeline.real_runs import ALONE, GRID, SETTINGS, Trained

CLI = ("1", "2", "3", "4", "8")
EVERY = [*SETTINGS, *(f"cli {name}" for name in CLI)]
REDUCED = [n for n in EVERY if SETTINGS.get(n, {}).get("combine", "step") == "step"]
NUMBER = (int, float)
NUMBER_OR_NULL = (int, float, type(None))
"""The contract, as the project's brief writes it: field to what it may be."""
CONTRACT: dict[str, dict[str, Any]] = {
    "run_started": {"schema": int, "run_id": str, "config": dict, "versions": dict},
    "stage": {"stage": str, "shape_in": list, "shape_out": list, "sample": list},
    "step": {
        "step": int,
        "epoch": int,
        "loss": NUMBER_OR_NULL,
        "replicas": list,
        "all_reduced_norm": NUMBER_OR_NULL,
        "copies_max_abs_diff": NUMBER_OR_NULL,
    },
    "epoch": {
        "epoch": int,
        "loss": NUMBER_OR_NULL,
        "accuracy": NUMBER_OR_NULL,
        "val_loss": NUMBER_OR_NULL,
        "val_accuracy": NUMBER_OR_NULL,
        "seconds": NUMBER,
        "observation": str,
    },
    "run_finished": {"checks": dict, "checked_steps": list},
}
REPLICA: dict[str, Any] = {
    "replica": int,
    "device": str,
    "batch_shape": list,
    "loss": NUMBER_OR_NULL,
    "gradient_norm": NUMBER_OR_NULL,
}


@pytest.fixture
def run(request, trained, printed) -> Trained:
    """The run that a test's `run` parameter names."""
    name = request.param
    return printed[name.removeprefix("cli ")] if name.startswith("cli ") else trained[name]


every_run = pytest.mark.parametrize("run", EVERY, indirect=True)
every_reduced_run = pytest.mark.parametrize("run", REDUCED, indirect=True)


def mean_by_rows(values: list[float | None], rows: list[int]) -> float:
    return math.fsum(v * n for v, n in zip(values, rows, strict=True) if n and v is not None) / sum(
        rows
    )


def numbers(stage: events.Stage) -> np.ndarray:
    return np.array(stage.sample, np.float64)


def rows_of(step: events.Step) -> list[int]:
    return [replica.batch_shape[0] for replica in step.replicas]


# The contract --------------------------------------------------------------------------------


@every_run
def test_every_event_has_the_fields_of_the_contract(run):
    for line in run.lines:
        fields = CONTRACT[line["event"]]
        wrong = {name: line.get(name) for name, kind in fields.items() if name not in line}
        wrong |= {n: line[n] for n, kind in fields.items() if not isinstance(line.get(n), kind)}
        assert not wrong, line["event"]


@every_run
def test_every_replica_of_every_step_has_the_fields_of_the_contract(run):
    for line in run.lines:
        for replica in line.get("replicas", []):
            assert all(isinstance(replica.get(name), kind) for name, kind in REPLICA.items())


@every_run
def test_events_come_in_the_order_of_the_contract(run):
    kinds = [line["event"] for line in run.lines]
    steps = run.lines[0]["steps_per_epoch"]
    an_epoch = ["step"] * steps + ["epoch"]
    wanted = ["run_started", *["stage"] * 3, *an_epoch * run.config.epochs, "run_finished"]
    assert kinds == wanted


@every_run
def test_stages_come_in_the_order_of_the_lesson(run):
    stages = [line["stage"] for line in run.lines if line["event"] == "stage"]
    assert stages == ["load", "preprocess", "distribute"]


@every_run
def test_steps_and_epochs_are_counted_from_one(run):
    assert [step.step for step in run.steps] == list(range(1, len(run.steps) + 1))
    assert [epoch.epoch for epoch in run.epochs] == list(range(1, run.config.epochs + 1))
    assert [e.last_step for e in run.epochs] == [
        max(s.step for s in run.steps if s.epoch == e.epoch) for e in run.epochs
    ]


@every_run
def test_the_start_tells_the_settings_the_devices_and_the_size_of_the_run(run):
    start = run.lines[0]
    assert start["schema"] == 1
    assert start["config"] == run.config.model_dump()
    assert {"tensorflow", "keras", "python"} <= start["versions"].keys()
    assert start["devices"] == [f"CPU:{r}" for r in range(run.config.replicas)]
    assert start["steps"] == len(run.steps)
    features, outputs = run.data.x_train.shape[1], run.data.output_units
    assert start["parameters"] == features * 64 + 64 + 64 * 32 + 32 + 32 * outputs + outputs


@every_run
def test_the_distribute_stage_shows_the_shapes_of_the_first_step(run):
    distribute_stage = run.lines[3]
    first = [list(replica.batch_shape) for replica in run.steps[0].replicas]
    assert distribute_stage["shape_out"] == first


@every_run
def test_the_samples_are_the_rows_they_name_raw_and_scaled(run):
    load, preprocess, hand_out = (e for e in run.events if isinstance(e, events.Stage))
    x = run.data.x_train.astype(np.float64)
    width = x.max(0) - x.min(0)
    scaled = (x - x.min(0)) / np.where(width > 0, width, 1)
    np.testing.assert_allclose(numbers(load), x[load.row], rtol=1e-7)
    np.testing.assert_allclose(numbers(preprocess), scaled[preprocess.row], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(numbers(hand_out), scaled[hand_out.row], rtol=1e-5, atol=1e-7)


def test_a_row_beyond_the_table_is_the_last_one(trained):
    load = trained["a row too far"].lines[1]
    assert load["row"] == 2
    assert load["sample"] == [5, 5, 1, 1]


@pytest.mark.parametrize("name", CLI)
def test_the_command_prints_what_stands_in_the_log_and_ends_with_0(printed, name):
    run = printed[name]
    assert run.status == 0
    assert run.printed == (run.folder / "events.jsonl").read_text(encoding="utf-8")


# Rows ----------------------------------------------------------------------------------------


@every_run
def test_every_replica_gets_the_rows_of_the_plan(run):
    config = run.config
    planned = distribute.plan(
        run.data.y_train,
        replicas=config.replicas,
        batch=config.global_batch,
        epochs=config.epochs,
        seed=config.seed,
        order=config.order,
    )
    for step, plan in zip(run.steps, planned, strict=True):
        assert (step.step, step.epoch) == (plan.step, plan.epoch)
        assert rows_of(step) == [len(part) for part in plan.replicas]
        if step.step in run.finished.checked_steps:
            kept = run.record(step.step).rows
            assert [r.tolist() for r in kept] == [r.tolist() for r in plan.replicas]


@every_run
def test_a_replica_without_rows_has_no_loss_and_no_gradient(run):
    for step in run.steps:
        for replica in step.replicas:
            if replica.batch_shape[0] == 0:
                assert replica.loss is None
                assert replica.gradient_norm == 0
            elif run.config.learning_rate < 1:
                assert replica.loss is not None


def test_replicas_without_rows_were_there_to_be_seen(trained, printed):
    for run in (trained["batch of 3 on 4"], trained["batch of 1 on 2"], printed["4"], printed["8"]):
        assert any(0 in rows_of(step) for step in run.steps)


# Numbers that follow from other numbers ------------------------------------------------------


@every_run
def test_a_steps_loss_is_the_mean_over_its_rows(run):
    for step in run.steps:
        if step.loss is not None:
            whole = mean_by_rows([replica.loss for replica in step.replicas], rows_of(step))
            assert step.loss == pytest.approx(whole, rel=1e-6, abs=1e-9)


@every_run
def test_an_epochs_loss_and_accuracy_are_the_means_over_its_rows(run):
    for epoch in run.epochs:
        steps = [step for step in run.steps if step.epoch == epoch.epoch]
        rows = [sum(rows_of(step)) for step in steps]
        if epoch.loss is not None:
            assert epoch.loss == pytest.approx(mean_by_rows([s.loss for s in steps], rows), 1e-6)
        accuracy = mean_by_rows([s.accuracy for s in steps], rows)
        assert epoch.accuracy == pytest.approx(accuracy, rel=1e-6, abs=1e-9)


@every_run
def test_accuracy_is_a_count_of_rows(run):
    for step in run.steps:
        for replica in step.replicas:
            if replica.batch_shape[0]:
                right = replica.accuracy * replica.batch_shape[0]
                assert right == pytest.approx(round(right), abs=1e-4)


@every_reduced_run
def test_the_norms_told_are_those_of_the_gradients_kept(run):
    for number in run.finished.checked_steps:
        step, record = run.steps[number - 1], run.record(number)
        for replica, own in zip(step.replicas, record.own, strict=True):
            assert replica.gradient_norm == pytest.approx(
                norm(own), rel=1e-5, abs=1e-9, nan_ok=True
            )
        assert step.all_reduced_norm == pytest.approx(norm(record.all_reduced), 1e-5, nan_ok=True)


def norm(tensors: list[np.ndarray]) -> float | None:
    size = math.sqrt(sum(float((t.astype(np.float64) ** 2).sum()) for t in tensors))
    return size if math.isfinite(size) else None


@every_run
def test_the_losses_are_those_of_the_kept_weights(run):
    """Cross-entropy by NumPy, from the weights each kept step started with."""
    if run.config.combine != "step" or run.config.learning_rate > 1:
        return
    x, y = run.data.x_train.astype(np.float64), run.data.y_train
    width = x.max(0) - x.min(0)
    scaled = ((x - x.min(0)) / np.where(width > 0, width, 1)).astype(np.float32)
    for number in run.finished.checked_steps:
        record = run.record(number)
        rows = np.concatenate(record.rows)
        chances = step_records.probabilities(step_records.forward(record.before, scaled[rows]))
        loss = -np.log(chances[np.arange(len(rows)), y[rows]].astype(np.float64)).mean()
        assert run.steps[number - 1].loss == pytest.approx(loss, rel=1e-4, abs=1e-6)


@every_run
def test_held_out_rows_are_judged_after_each_epoch_when_there_are_any(run):
    for epoch in run.epochs:
        if not len(run.data.x_validation):
            assert epoch.val_loss is None
            assert epoch.val_accuracy is None
        else:
            right = epoch.val_accuracy * len(run.data.x_validation)
            assert right == pytest.approx(round(right), abs=1e-3)


def test_the_last_epoch_judges_the_weights_it_ended_with(trained):
    """Held-out accuracy, accuracy on all rows and your row's prediction, once more by NumPy."""
    run = trained["255 on 3"]
    data, last = run.data, run.epochs[-1]
    low, high = data.x_train.min(0), data.x_train.max(0)
    weights = run.record(len(run.steps)).after[0]

    def chances(x):
        scaled = (x - low) / np.where(high > low, high - low, 1)
        return step_records.probabilities(step_records.forward(weights, scaled.astype(np.float32)))

    held_out = chances(data.x_validation)
    loss = -np.log(held_out[np.arange(len(held_out)), data.y_validation]).mean()
    assert last.val_loss == pytest.approx(loss, rel=1e-4)
    assert last.val_accuracy == pytest.approx((held_out.argmax(1) == data.y_validation).mean())
    everywhere = (chances(data.x_train).argmax(1) == data.y_train).mean()
    assert last.all_rows_accuracy == pytest.approx([everywhere] * 3)
    row = run.config.row
    np.testing.assert_allclose(
        last.row_prediction, chances(data.x_train[row : row + 1])[0], atol=1e-5
    )


@every_run
def test_every_epoch_has_an_observation_that_is_a_sentence(run):
    assert all(epoch.observation.endswith(".") for epoch in run.epochs)


# The proofs ----------------------------------------------------------------------------------


@every_reduced_run
def test_all_three_checks_hold_when_gradients_are_all_reduced(run):
    if run.config.learning_rate > 1:
        return
    checks = run.finished.checks
    assert checks.keys() == {
        "sum_equals_all_reduced",
        "equals_single_device",
        "replicas_identical",
    }
    assert all(check.ok for check in checks.values()), checks


@every_reduced_run
def test_the_copies_do_not_differ_when_gradients_are_all_reduced(run):
    if run.config.learning_rate < 1:
        assert {step.copies_max_abs_diff for step in run.steps} == {0.0}


@every_run
def test_every_checked_step_is_kept_and_no_other(run):
    kept = step_records.recorded_steps(run.folder)
    assert kept == list(run.finished.checked_steps)
    assert kept[0] == 1
    assert kept[-1] == len(run.steps)


@every_run
def test_a_kept_step_begins_where_the_one_before_ended(run):
    kept = set(run.finished.checked_steps)
    for number in sorted(kept & {n + 1 for n in kept}):
        if (
            run.config.combine == "epoch"
            and run.steps[number - 1].epoch != run.steps[number - 2].epoch
        ):
            continue  # the copies were averaged in between
        before = run.record(number - 1).after[0]
        after = run.record(number).before
        assert all(a.tobytes() == b.tobytes() for a, b in zip(before, after, strict=True))


def test_the_default_run_keeps_less_than_20_megabytes(trained):
    run = trained["defaults"]
    assert len(run.steps) == 200
    assert sum(p.stat().st_size for p in run.folder.rglob("*") if p.is_file()) < 20e6


def test_the_steps_that_use_your_row_are_kept(trained):
    run = trained["as it stands"]
    per_epoch = run.lines[0]["steps_per_epoch"]
    used = [n for n in run.finished.checked_steps if 1_000 in np.concatenate(run.record(n).rows)]
    assert used == [1_000 // 256 + 1, per_epoch + 1_000 // 256 + 1]


# Against other ways to train -----------------------------------------------------------------


MANY = [
    (Path(data).stem, replicas)
    for data, counts in GRID.items()
    for replicas in counts
    if replicas > 1 and 1 in counts
]


@pytest.mark.parametrize("data, replicas", MANY)
def test_any_number_of_replicas_learns_what_one_learns(trained, data, replicas):
    one, many = trained[f"{data} on 1"], trained[f"{data} on {replicas}"]
    for mine, theirs in zip(one.epochs, many.epochs, strict=True):
        assert mine.loss == pytest.approx(theirs.loss, abs=1e-5)
        if mine.val_loss is not None:
            assert mine.val_loss == pytest.approx(theirs.val_loss, abs=1e-5)


@pytest.mark.parametrize("name", ALONE)
def test_a_run_starts_from_the_weights_of_its_seed(trained, observed, name):
    start = observed(f"alone {name}")["start"]
    for kept, built in zip(trained[name].record(1).before, start, strict=True):
        np.testing.assert_array_equal(kept, np.array(built, np.float32))


@pytest.mark.parametrize("name", ALONE)
def test_a_run_ends_with_the_weights_of_plain_keras_on_one_device(trained, observed, name):
    alone, run = observed(f"alone {name}"), trained[name]
    last = run.record(len(run.steps)).after[0]
    moved = 0.0
    for mine, theirs, start in zip(last, alone["weights"], alone["start"], strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-4)
        moved = max(moved, float(np.abs(mine - np.array(start)).max()))
    assert moved > 1e-3  # or the comparison says nothing


@pytest.mark.parametrize("name", ALONE)
def test_a_run_has_the_losses_of_plain_keras_on_one_device(trained, observed, name):
    losses = [epoch.loss for epoch in trained[name].epochs]
    assert losses == pytest.approx(observed(f"alone {name}")["losses"], abs=1e-4)


def test_equal_settings_give_equal_losses_whoever_starts_them(trained, printed):
    again = [step.loss for step in printed["2"].steps]
    assert again == pytest.approx([s.loss for s in trained["synthetic on 2"].steps], abs=1e-6)


# Copies that train apart ---------------------------------------------------------------------


def test_copies_that_never_combine_drift_apart(trained):
    differences = [step.copies_max_abs_diff for step in trained["apart, never"].steps]
    assert differences[0] > 0
    assert differences[-1] > differences[0]


def test_a_run_that_never_combines_says_that_the_copies_differ(trained):
    checks = trained["apart, never"].finished.checks
    assert checks.keys() == {"replicas_identical"}
    assert not checks["replicas_identical"].ok
    assert checks["replicas_identical"].max_abs_diff > 0


def test_a_run_that_never_combines_has_no_all_reduced_gradient(trained):
    assert {step.all_reduced_norm for step in trained["apart, never"].steps} == {None}


def test_copies_that_are_averaged_once_an_epoch_start_each_epoch_alike(trained):
    run = trained["apart, epoch"]
    per_epoch = run.lines[0]["steps_per_epoch"]
    averaged, drifted = run.record(per_epoch + 1).before, run.record(per_epoch).after
    for start, *copies in zip(averaged, *drifted, strict=True):
        np.testing.assert_allclose(start, np.mean(copies, axis=0), rtol=1e-6, atol=1e-7)
    assert len({a for a in run.epochs[-1].all_rows_accuracy}) == 1


def test_each_copy_of_a_run_apart_is_judged_on_all_rows(trained):
    run = trained["apart, never"]
    assert len(run.epochs[-1].all_rows_accuracy) == run.config.replicas
    # Each copy has seen one class only, and says so of every row.
    share = float((run.data.y_train == 0).mean())
    assert sorted(run.epochs[-1].all_rows_accuracy) == pytest.approx(sorted([share, 1 - share]))


def test_one_class_each_gives_each_replica_rows_of_its_class_only(trained):
    run = trained["apart, step"]
    for number in run.finished.checked_steps:
        for replica, rows in enumerate(run.record(number).rows):
            assert set(run.data.y_train[rows].tolist()) <= {replica}


def test_one_replica_that_never_combines_trains_like_one_that_does(trained):
    never, step = trained["one, never"].epochs[0], trained["digits on 1"].epochs[0]
    assert never.loss == pytest.approx(step.loss, abs=1e-5)


# A run that goes wrong -----------------------------------------------------------------------


def test_a_learning_rate_far_too_large_ends_in_null_or_a_huge_loss_and_not_in_a_crash(trained):
    run = trained["too fast"]
    start = run.steps[0].loss
    assert any(step.loss is None or step.loss > 10 * start for step in run.steps)
    assert "NaN" not in run.text
