"""Wrong programs fail the check they should, on recorded steps and on steps made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline import backward, datasets, inspect_step, recordings, runs, wrong_ways
from pipeline.config import RunConfig
from pipeline.inspect_step import Inspected
from pipeline.run_view import RunView
from pipeline.step_records import StepRecord

SUM, SINGLE, COPIES = wrong_ways.CHECKS
RIGHT, APART, TWICE = wrong_ways.RIGHT, wrong_ways.NO_ALL_REDUCE, wrong_ways.DIVIDED_TWICE
MEAN, DEALT = wrong_ways.OWN_MEAN, wrong_ways.DEALT_UNEVENLY


@pytest.fixture(scope="module")
def recorded() -> Inspected:
    folder = runs.RECORDED / recordings.DEFAULT
    config = recordings.CONFIGS[recordings.DEFAULT]
    run = RunView("two-replicas", folder, config, datasets.load("synthetic"), recorded=True)
    return inspect_step.open_step(run, 9)


def made(*sizes: int, rate: float = 0.5) -> Inspected:
    """A step of SGD by hand on these many rows a replica, right in every way."""
    random = np.random.default_rng(len(sizes))
    shapes = ((4, 6), (6,), (6, 1), (1,))
    before = [random.normal(0, 0.5, shape).astype(np.float32) for shape in shapes]
    total = sum(sizes)
    features = random.uniform(size=(total, 4)).astype(np.float32)
    labels = (np.arange(total) % 3 == 0).astype(np.int32)
    rows = np.split(np.arange(total), np.cumsum(sizes)[:-1])
    own = [
        [
            tensor.astype(np.float32)
            for tensor in backward.trace(before, features[part], labels[part]).gradient(total)
        ]
        for part in rows
    ]
    combined = [
        np.asarray(np.sum(parts, axis=0, dtype=np.float32)) for parts in zip(*own, strict=True)
    ]
    pairs = zip(before, combined, strict=True)
    after = [np.asarray(w - rate * g, dtype=np.float32) for w, g in pairs]
    record = StepRecord(
        step=1,
        before=before,
        optimizer=[np.array(0), np.array(rate, np.float32)],
        own=own,
        sums=[combined] * len(sizes),
        after=[after] * len(sizes),
        rows=list(rows),
    )
    config = RunConfig(replicas=len(sizes), optimizer="sgd", learning_rate=rate)
    return Inspected(record, config, features, labels)


def caught(step: Inspected) -> dict[str, list[str]]:
    return {way.name: way.caught for way in wrong_ways.ways(step)}


def test_each_mistake_of_the_recorded_step_fails_its_own_checks(recorded: Inspected) -> None:
    assert caught(recorded) == {
        RIGHT: [],
        APART: [SUM, SINGLE, COPIES],
        TWICE: [SINGLE],
        MEAN: [],
        DEALT: [SINGLE],
    }


def test_own_means_fail_where_the_rows_are_dealt_unevenly() -> None:
    every = [*wrong_ways.CHECKS]
    assert caught(made(5, 2)) == {RIGHT: [], APART: every, TWICE: [SINGLE], MEAN: [SINGLE]}


def test_own_means_pass_where_all_had_as_many_and_the_page_is_told_so() -> None:
    step = made(3, 3)
    assert caught(step)[MEAN] == []
    assert wrong_ways.should_fail(step) == [APART, TWICE, DEALT]


def test_a_replica_without_rows_is_no_excuse() -> None:
    step = made(2, 0, 0)
    assert set(wrong_ways.should_fail(step)) == {APART, TWICE, MEAN}
    assert all(caught(step)[name] for name in wrong_ways.should_fail(step))


def test_with_one_replica_nothing_can_go_wrong() -> None:
    step = made(4)
    assert not any(caught(step).values())
    assert wrong_ways.should_fail(step) == []


def test_one_row_each_cannot_be_dealt_unevenly() -> None:
    assert DEALT not in caught(made(1, 1))


def test_own_means_are_what_a_mean_over_each_piece_gives() -> None:
    step = made(5, 2)
    (way,) = [one for one in wrong_ways.ways(step) if one.name == MEAN]
    means = [
        backward.trace(step.record.before, step.features[part], step.labels[part]).gradient(
            len(part)
        )
        for part in step.record.rows
    ]
    for place, after in enumerate(way.after[1]):
        average = (means[0][place] + means[1][place]) / 2
        expected = step.record.before[place] - 0.5 * average
        np.testing.assert_allclose(after, expected, atol=1e-6)


def test_sgd_shows_a_wrong_divisor_in_full() -> None:
    ways = {way.name: way for way in wrong_ways.ways(made(2, 2, 2, 2))}
    assert ways[TWICE].update_off == pytest.approx(3 / 4, abs=1e-5)
    assert ways[RIGHT].update_off == 0


def test_adam_hides_most_of_it(recorded: Inspected) -> None:
    ways = {way.name: way for way in wrong_ways.ways(recorded)}
    assert 0 < ways[TWICE].update_off < 0.25


def test_without_an_all_reduce_fingerprints_part(recorded: Inspected) -> None:
    ways = {way.name: way for way in wrong_ways.ways(recorded)}
    assert len(set(ways[RIGHT].fingerprints)) == 1
    assert len(set(ways[APART].fingerprints)) == 2


@pytest.mark.parametrize("step", [1, 9, 200])
def test_the_rule_in_numpy_gives_the_weights_that_keras_gave(step: int) -> None:
    record = StepRecord.load(runs.RECORDED / f"two-replicas/steps/step-{step:06d}.npz")
    found = wrong_ways.update("adam", record.optimizer, record.before, record.all_reduced)
    for mine, theirs in zip(found, record.after[0], strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-7)


def test_a_number_that_is_none_passes_no_check(recorded: Inspected) -> None:
    own = [[tensor.copy() for tensor in part] for part in recorded.own]
    own[1][3][0] = np.nan
    burst = replace(recorded, record=replace(recorded.record, own=own))
    ways = {way.name: way for way in wrong_ways.ways(burst)}
    assert SUM in ways[RIGHT].caught


def test_a_run_that_never_sums_has_no_right_way(recorded: Inspected) -> None:
    apart = replace(recorded, record=replace(recorded.record, sums=[]))
    with pytest.raises(ValueError, match="never sums"):
        wrong_ways.ways(apart)
