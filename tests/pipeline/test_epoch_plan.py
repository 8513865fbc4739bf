"""The plan of Distribute: every number counted again from the steps themselves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pipeline import distribute, epoch_plan
from pipeline.config import RunConfig

LABELS = np.random.default_rng(1).integers(0, 3, 97).astype(np.int32)
SETTINGS = [
    {"replicas": replicas, "global_batch": batch, "epochs": epochs, "order": order}
    for replicas in (1, 2, 3, 8)
    for batch in (1, 5, 24, 97, 256)
    for epochs in (1, 7)
    for order in ("shuffled", "as-is", "one-class-each")
]


def steps_of(config: RunConfig, labels=LABELS):
    return list(
        distribute.plan(
            labels,
            replicas=config.replicas,
            batch=config.global_batch,
            epochs=min(config.epochs, epoch_plan.EPOCHS),
            seed=config.seed,
            order=config.order,
        )
    )


@pytest.mark.parametrize("values", SETTINGS, ids=str)
def test_every_number_is_what_counting_the_steps_gives(values):
    config = RunConfig.checked(values)
    steps = steps_of(config)
    plan = epoch_plan.of(LABELS, config, row=11)

    assert plan.epochs == steps[-1].epoch
    first = [step for step in steps if step.epoch == 1]
    assert plan.steps == len(first)
    assert plan.rows == sum(len(piece) for step in first for piece in step.replicas)
    seen = [sum(len(step.replicas[r]) for step in first) for r in range(config.replicas)]
    assert [numbers[3] for numbers in plan.per_replica] == seen
    for full, each, last, together in plan.per_replica:
        assert full * each + last == together

    uses = [
        (step.epoch, step.step, replica)
        for step in steps
        for replica, piece in enumerate(step.replicas)
        if 11 in piece
    ]
    assert [tuple(use) for use in plan.uses] == uses
    assert max(Counter(epoch for epoch, _, _ in uses).values(), default=0) <= 1


@pytest.mark.parametrize("values", SETTINGS[::5], ids=str)
def test_every_batch_is_the_step_of_the_plan(values):
    config = RunConfig.checked(values)
    plan = epoch_plan.of(LABELS, config, row=0)
    for step in steps_of(config):
        batch = plan.batch(step.epoch, step.step - (step.epoch - 1) * plan.steps)
        for ours, theirs in zip(batch.pieces, step.replicas, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_the_first_use_has_the_row_and_says_who_gets_it():
    for row in range(0, 97, 8):
        plan = epoch_plan.of(LABELS, RunConfig(replicas=3, global_batch=10), row)
        batch = plan.first_use
        owner = batch.owner(row)
        assert batch.epoch == 1
        assert owner is not None
        assert row in batch.pieces[owner].tolist()


def test_a_row_that_sits_out_the_first_epoch_is_found_in_a_later_one():
    labels = np.repeat([0, 1], [5, 50]).astype(np.int32)
    config = RunConfig(replicas=2, global_batch=4, order="one-class-each", epochs=5)
    plans = [epoch_plan.of(labels, config, row) for row in range(5, 55)]
    late = [plan for plan in plans if plan.uses and plan.use_in(1) is None]
    never = [plan for plan in plans if not plan.uses]

    assert late
    assert all(plan.first_use.epoch > 1 for plan in late)
    assert all(plan.first_use.owner(plan.row) is not None for plan in late)
    assert never
    assert all((p.first_use.epoch, p.first_use.owner(p.row)) == (1, None) for p in never)


def test_three_rows_over_eight_replicas_leave_five_with_none():
    plan = epoch_plan.of(np.array([0, 1, 0], dtype=np.int32), RunConfig(replicas=8), row=2)

    assert [len(piece) for piece in plan.first_use.pieces] == [1, 1, 1, 0, 0, 0, 0, 0]
    assert plan.steps == 1
    assert [numbers[3] for numbers in plan.per_replica] == [1, 1, 1, 0, 0, 0, 0, 0]


def test_the_default_settings_give_five_thousand_rows_to_each_of_two_replicas():
    labels = np.zeros(10_000, dtype=np.int32)
    plan = epoch_plan.of(labels, RunConfig(), row=0)

    assert plan.per_replica == [(39, 128, 8, 5_000)] * 2
