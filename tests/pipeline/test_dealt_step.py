"""A kept step dealt anew, against what TensorFlow recorded of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline import datasets, recordings, runs
from pipeline.collectives import all_to_one, carry_out, chunk_bounds, ring
from pipeline.dealt_step import deal, flat, strongest
from pipeline.run_view import RunView
from pipeline.step_records import StepRecord

NAME = recordings.DEFAULT


@pytest.fixture(scope="module")
def run() -> RunView:
    return RunView(
        NAME, runs.RECORDED / NAME, recordings.CONFIGS[NAME], datasets.load("synthetic"), True
    )


@pytest.mark.parametrize("replicas", range(1, 9))
@pytest.mark.parametrize("last", [False, True])
def test_however_the_rows_are_dealt_the_parts_add_up_to_tensorflows_sum(run, replicas, last):
    record = run.record(run.kept[-1 if last else 0])
    dealt = deal(run, record, replicas)

    assert len(dealt.own) == replicas
    assert sum(dealt.rows) == sum(map(len, record.rows))
    np.testing.assert_allclose(np.sum(dealt.own, axis=0, dtype="f8"), dealt.total, atol=1e-7)


def test_at_the_runs_own_count_the_parts_are_tensorflows_bit_for_bit(run):
    record = run.record(1)
    dealt = deal(run, record, 2)

    assert dealt.recorded
    for own, tensors in zip(dealt.own, record.own, strict=True):
        assert own.tobytes() == b"".join(tensor.tobytes() for tensor in tensors)


def test_two_parts_of_four_are_one_of_the_two_that_tensorflow_had(run):
    record = run.record(1)
    dealt = deal(run, record, 4)

    assert not dealt.recorded
    assert dealt.rows == (64, 64, 64, 64)
    for half in (0, 1):
        both = dealt.own[2 * half] + dealt.own[2 * half + 1]
        np.testing.assert_allclose(both, flat(record.own[half]), atol=2e-8)


def test_a_replica_without_rows_has_a_gradient_of_zeros(run):
    record = run.record(1)
    few = [record.rows[0][:2], record.rows[1][:1]]
    dealt = deal(run, replace(record, rows=few), 8)

    assert dealt.rows == (1, 1, 1, 0, 0, 0, 0, 0)
    assert all(own.any() for own in dealt.own[:3])
    assert not any(own.any() for own in dealt.own[3:])


def test_a_value_is_found_at_its_place_in_its_tensor(run):
    record = run.record(1)
    dealt = deal(run, record, 2)

    for value in (0, 63, 64, 1279, 1280, 1343, 1344, len(dealt.total) - 1):
        tensor, place = dealt.place_of(value)
        assert record.all_reduced[tensor][place] == dealt.total[value]
    with pytest.raises(IndexError, match="3,457 values, no value 3,457"):
        dealt.place_of(len(dealt.total))


def test_a_run_that_does_not_all_reduce_is_refused(run):
    record: StepRecord = replace(run.record(1), sums=[])
    with pytest.raises(ValueError, match="does not all-reduce"):
        deal(run, record, 2)


def test_a_gradient_that_has_burst_is_said_not_to_be_finite(run):
    record = run.record(1)
    burst = [tensor.copy() for tensor in record.before]
    burst[0][0, 0] = np.inf

    assert deal(run, record, 3).finite
    assert not deal(run, replace(record, before=burst), 3).finite


def test_in_each_chunk_the_strongest_value_is_found_and_none_in_an_empty_one():
    values = np.array([1, -5, 2, 0, 3], dtype="f4")

    assert strongest(values, chunk_bounds(5, 2)) == [1, 4]
    assert strongest(values[:2], chunk_bounds(2, 4)) == [0, 1, None, None]


@pytest.mark.soak
@pytest.mark.parametrize("plan", [all_to_one, ring])
def test_every_kept_step_carried_out_in_either_way_ends_with_tensorflows_sum(run, plan):
    for step in run.kept:
        record = run.record(step)
        for replicas in range(1, 9):
            dealt = deal(run, record, replicas)
            off = carry_out(plan, dealt.own).off_by(dealt.total)
            assert off[-1] < 1e-7
            assert (off[:-1] > 1e-4).all(), "the check tells a sum from what is none yet"
