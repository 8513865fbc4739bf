"""A kept step opened: its names, updates, fingerprints, the steps of a row, and the file."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace

import numpy as np
import pytest

from pipeline import datasets, inspect_step, recordings, runs
from pipeline.inspect_step import Inspected
from pipeline.run_view import RunView
from pipeline.step_records import StepRecord, record_path

FOLDER = runs.RECORDED / recordings.DEFAULT


@pytest.fixture(scope="module")
def run() -> RunView:
    config = recordings.CONFIGS[recordings.DEFAULT]
    return RunView("two-replicas", FOLDER, config, datasets.load("synthetic"), recorded=True)


@pytest.fixture(scope="module")
def step(run: RunView) -> Inspected:
    return inspect_step.open_step(run, 9)


def apart(step: Inspected) -> Inspected:
    """The same step as a run without an all-reduce would have kept it."""
    record = step.record
    moved = [tensor + np.float32(0.5) for tensor in record.after[1]]
    return replace(step, record=replace(record, sums=[], after=[record.after[0], moved]))


def test_tensors_are_named_layer_by_layer() -> None:
    assert inspect_step.tensor_names(4) == [
        "dense 1, kernel", "dense 1, bias", "output, kernel", "output, bias",
    ]  # fmt: skip


def test_before_and_the_update_make_after(step: Inspected) -> None:
    for before, moved, after in zip(
        step.record.before, step.update(1), step.record.after[1], strict=True
    ):
        np.testing.assert_array_equal((before.astype(np.float64) + moved), after)


def test_a_fingerprint_is_the_start_of_a_sha_256_of_all_bytes(step: Inspected) -> None:
    whole = b"".join(tensor.tobytes() for tensor in step.record.after[0])
    assert step.fingerprints == [hashlib.sha256(whole).hexdigest()[:8]] * 2


def test_one_bit_changes_the_fingerprint(step: Inspected) -> None:
    copy = [tensor.copy() for tensor in step.record.after[0]]
    copy[3].view(np.int32).flat[0] ^= 1
    assert inspect_step.fingerprint(copy) != step.fingerprints[0]


def test_the_steps_of_a_row_are_the_kept_ones_that_dealt_it(run: RunView) -> None:
    row = run.row
    dealt = {step for _, step, _ in run.uses_of(row)} & set(run.kept)
    assert inspect_step.steps_with(run, row) == sorted(dealt)
    assert dealt


def test_the_recorded_run_deals_every_kept_step_evenly(run: RunView) -> None:
    assert inspect_step.uneven_steps(run) == []


def test_uneven_steps_are_found(run: RunView, tmp_path) -> None:
    record = StepRecord.load(record_path(FOLDER, 2))
    replace(record, rows=[record.rows[0], record.rows[1][:-1]]).save(tmp_path)
    replace(record, step=3).save(tmp_path)
    assert inspect_step.uneven_steps(replace(run, folder=tmp_path)) == [2]


def test_the_owner_is_the_replica_that_had_the_row(step: Inspected) -> None:
    assert step.owner(int(step.record.rows[1][5])) == 1
    assert step.owner(-1) is None


def test_the_divisor_is_the_steps_rows_or_without_an_all_reduce_ones_own(step: Inspected) -> None:
    assert [step.divisor(replica) for replica in range(2)] == [256, 256]
    assert [apart(step).divisor(replica) for replica in range(2)] == [128, 128]


def test_the_whole_batch_on_one_device_is_the_sum_that_tensorflow_had(step: Inspected) -> None:
    for alone, combined in zip(step.whole_batch, step.record.all_reduced, strict=True):
        np.testing.assert_allclose(alone, combined, atol=1e-7)


def test_a_copy_that_went_its_own_way_cannot_be_traced(step: Inspected) -> None:
    with pytest.raises(ValueError, match="weights of copy 1"):
        apart(step).traced(1)


def test_the_file_holds_the_step_bit_for_bit_under_names_to_read(step: Inspected) -> None:
    with np.load(io.BytesIO(inspect_step.as_file(step)), allow_pickle=False) as file:
        assert int(file["step"]) == 9
        record = step.record
        for place, name in enumerate(step.names):
            assert file[f"before/{name}"].tobytes() == record.before[place].tobytes()
            assert file[f"sum/{name}"].tobytes() == record.all_reduced[place].tobytes()
            for replica in range(2):
                own = file[f"gradient/R{replica}/{name}"]
                assert own.tobytes() == record.own[replica][place].tobytes()
                after = file[f"after/R{replica}/{name}"]
                assert after.tobytes() == record.after[replica][place].tobytes()
        np.testing.assert_array_equal(file["rows/R1"], record.rows[1])


def test_without_an_all_reduce_the_file_has_no_sum_and_one_update(step: Inspected) -> None:
    with np.load(io.BytesIO(inspect_step.as_file(apart(step)))) as file:
        assert not [name for name in file.files if name.startswith("sum/")]
        assert {name.split("/")[1] for name in file.files if name.startswith("update")} == {"R0"}
