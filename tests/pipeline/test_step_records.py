"""Kept steps: read back as they were, few enough, and enough to predict from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.step_records import (
    StepRecord,
    chosen_steps,
    forward,
    probabilities,
    record_path,
    recorded_steps,
)


def tensors(seed, shapes=((3, 4), (4,), (4, 1), (1,))):
    random = np.random.default_rng(seed)
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


def record(step=3, **changes):
    fields: dict[str, Any] = {
        "step": step,
        "before": tensors(1),
        "optimizer": [np.array(2, np.int64), np.array(0.001, np.float32), *tensors(2)],
        "own": [tensors(3), tensors(4), tensors(5)],
        "sums": [tensors(6), tensors(6), tensors(6)],
        "after": [tensors(7), tensors(7), tensors(7)],
        "rows": [np.arange(5), np.arange(5, 9), np.arange(0)],
    }
    return StepRecord(**fields | changes)


def flat(value):
    if isinstance(value, np.ndarray):
        return [(value.dtype, value.shape, value.tobytes())]
    return [item for part in value for item in flat(part)]


VARIANTS = [
    record(),
    record(sums=[]),
    record(after=[tensors(7), tensors(8), tensors(9)]),
    record(after=[tensors(7), tensors(8), tensors(7)]),
    record(own=[tensors(3)], sums=[tensors(6)], after=[tensors(7)], rows=[np.arange(9)]),
    record(own=[tensors(3), tensors(3), tensors(3)]),
    record(sums=[tensors(6), tensors(6), tensors(10)]),
    record(optimizer=[]),
]


@pytest.mark.parametrize("kept", VARIANTS)
def test_a_record_is_read_back_bit_for_bit(tmp_path, kept):
    back = StepRecord.load(kept.save(tmp_path))
    assert back.step == kept.step
    for name in ("before", "optimizer", "own", "sums", "after", "rows"):
        assert flat(getattr(back, name)) == flat(getattr(kept, name)), name
        assert len(getattr(back, name)) == len(getattr(kept, name)), name


def test_copies_that_agree_take_the_room_of_one(tmp_path):
    same = record(after=[tensors(7)] * 3).save(tmp_path / "same").stat().st_size
    apart = record(after=[tensors(7), tensors(8), tensors(9)]).save(tmp_path / "apart")
    assert same < apart.stat().st_size


def test_the_kept_steps_of_a_run_are_listed_in_order(tmp_path):
    for step in (12, 1, 1_000_000, 3):
        record(step).save(tmp_path)
    assert recorded_steps(tmp_path) == [1, 3, 12, 1_000_000]


def test_a_record_that_is_being_written_is_not_listed(tmp_path):
    path = record(1).save(tmp_path)
    record_path(tmp_path, 2).with_suffix(".partial").write_bytes(path.read_bytes()[:100])
    assert recorded_steps(tmp_path) == [1]


def test_a_run_without_records_has_none(tmp_path):
    assert recorded_steps(tmp_path) == []


def test_a_missing_record_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="step-000009"):
        StepRecord.load(record_path(tmp_path, 9))


@pytest.mark.parametrize("keep", [0, 1, 10, 100, 500, -1, -30])
def test_a_damaged_record_is_a_value_error(tmp_path, keep):
    path = record().save(tmp_path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError):
        StepRecord.load(path)


def test_a_file_that_is_no_record_is_a_value_error(tmp_path):
    path = tmp_path / "step-000001.npz"
    np.savez(path, something=np.arange(3))
    with pytest.raises(ValueError):
        StepRecord.load(path)


@pytest.mark.parametrize("total", [1, 2, 9, 10, 11, 12, 31, 200, 20_000, 1_000_000])
def test_chosen_steps_are_few_and_hold_the_first_ten_and_the_last(total):
    chosen = chosen_steps(total, steps_per_epoch=40)
    assert set(range(1, min(10, total) + 1)) <= set(chosen)
    assert chosen[-1] == total
    assert len(chosen) <= 31
    assert chosen == sorted(set(chosen))


def test_chosen_steps_thin_out():
    gaps = np.diff(chosen_steps(20_000, 40))
    assert (np.diff(gaps[12:]) >= 0).all()
    assert gaps[-1] > gaps[0]


def test_steps_of_special_interest_are_chosen_too_when_the_run_has_them():
    chosen = chosen_steps(100, 10, also=(0, 47, 48, 101, -3))
    assert {47, 48} <= set(chosen)
    assert min(chosen) == 1
    assert max(chosen) == 100


@pytest.mark.parametrize("units", ["1", "3"])
def test_the_numpy_network_is_the_network_of_tensorflow(observed, units):
    seen = observed("model")[units]
    weights = [np.array(w, np.float32) for w in seen["weights"]]
    logits = forward(weights, np.array(seen["rows"], np.float32))
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, seen["keras"], atol=1e-5)


def test_probabilities_of_one_logit_are_a_sigmoid():
    logits = np.array([[-700.0], [-3.0], [0.0], [0.5], [700.0]], np.float32)
    wide = logits[:, 0].astype(np.float64)
    yes = np.where(wide < 0, np.exp(wide) / (1 + np.exp(-np.abs(wide))), 1 / (1 + np.exp(-wide)))
    np.testing.assert_allclose(probabilities(logits), np.stack([1 - yes, yes], axis=1), atol=1e-6)


def test_probabilities_of_several_logits_are_a_softmax():
    logits = np.random.default_rng(1).normal(0, 3, (20, 5)).astype(np.float32)
    by_hand = [[np.exp(v) / sum(np.exp(w) for w in row) for v in row] for row in logits.tolist()]
    np.testing.assert_allclose(probabilities(logits), by_hand, rtol=1e-5)


def test_probabilities_add_up_to_one_however_large_the_logits():
    logits = np.array([[1e30, -1e30, 0], [3e38, 3e38, 3e38]], np.float32)
    np.testing.assert_allclose(probabilities(logits).sum(axis=1), 1)
