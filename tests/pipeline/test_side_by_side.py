"""Runs side by side: thinning, differences and times, on the recorded runs and on made points."""

from __future__ import annotations

import json
from functools import cache

import pytest

from pipeline import datasets, recordings, runs, side_by_side
from pipeline.run_view import RunView


@cache
def recorded(name: str) -> RunView:
    return RunView(
        name, runs.RECORDED / name, recordings.CONFIGS[name], datasets.load("synthetic"), True
    )


def lines(name: str, kind: str) -> list[dict]:
    """The log's own lines of one kind, as plain JSON."""
    log = (runs.RECORDED / name / "events.jsonl").read_text(encoding="utf-8")
    events = [json.loads(line) for line in log.splitlines()]
    return [event for event in events if event["event"] == kind]


def test_losses_are_those_of_steps_with_a_full_batch() -> None:
    full = [
        (step["step"], step["loss"])
        for step in lines("two-replicas", "step")
        if sum(part["batch_shape"][0] for part in step["replicas"]) == 256
    ]

    assert side_by_side.step_losses(recorded("two-replicas")) == full
    assert len(full) == 195


def test_more_replicas_give_the_same_losses_up_to_rounding() -> None:
    apart = side_by_side.losses_apart(recorded("one-replica"), recorded("four-replicas"))

    assert len(apart) == 195
    assert 0 < max(difference for _, difference in apart) < 1e-6


def test_copies_stay_equal_only_when_gradients_are_summed_in_every_step() -> None:
    equal = side_by_side.copies_apart(recorded("one-class-step"))
    never = side_by_side.copies_apart(recorded("one-class-never"))

    assert {difference for _, difference in equal} == {0.0}
    assert min(difference for _, difference in never) > 0


def test_a_copy_that_saw_one_class_alone_is_no_better_than_guessing() -> None:
    ends = {
        way: side_by_side.end_of(side_by_side.all_rows_accuracy(recorded(f"one-class-{way}")))
        for way in ("step", "epoch", "never")
    }

    assert ends["step"] > 0.8
    assert ends["epoch"] < 0.55
    assert ends["never"] == pytest.approx(0.5, abs=0.01)


def test_milliseconds_leave_out_the_first_epoch() -> None:
    seconds = [event["seconds"] for event in lines("two-replicas", "epoch")][1:]
    found = side_by_side.step_milliseconds(recorded("two-replicas"))

    assert found is not None
    assert found.low == pytest.approx(1000 * min(seconds) / 40)
    assert found.high == pytest.approx(1000 * max(seconds) / 40)
    assert found.median == pytest.approx(1000 * (sorted(seconds)[1] + sorted(seconds)[2]) / 80)


def test_thinning_keeps_each_bins_extremes_in_order() -> None:
    points = [(float(x), float((x * 7919) % 1009)) for x in range(5_000)]
    points[1234] = (1234.0, 1e6)
    points[4321] = (4321.0, -1e6)
    kept = side_by_side.thinned(points, bins=50)

    assert len(kept) <= 100
    assert {points[1234], points[4321]} <= set(kept)
    assert kept == sorted(kept)
    assert set(kept) <= set(points)


def test_a_short_curve_is_not_thinned() -> None:
    points = [(1.0, 2.0), (2.0, 1.0)]

    assert side_by_side.thinned(points) == points
