"""Which row goes to which replica: equal to what TensorFlow does, and every row once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.config import RunConfig
from pipeline.distribute import (
    batch_of,
    class_shares,
    cut,
    epoch_order,
    epoch_orders,
    epoch_shares,
    plan,
    shares,
    steps_per_epoch,
    uses,
)

LABELS = np.repeat(np.arange(3), (40, 7, 21)).astype(np.int32)


def order_of(labels, epoch=1, **settings):
    given: dict[str, Any] = {"seed": 7, "order": "shuffled", "replicas": 2, "batch": 8} | settings
    return epoch_order(labels, epoch, **given)


@pytest.mark.parametrize("replicas", range(1, 9))
def test_the_plan_is_what_tensorflow_does(observed, replicas):
    """The rows `experimental_distribute_dataset` really handed to each replica."""
    cases = observed(f"cuts-{replicas}")
    assert len(cases) == 9
    for case in cases:
        labels = (np.arange(case["rows"]) % 2).astype(np.int32)
        steps = plan(labels, replicas=replicas, batch=case["batch"], epochs=2, seed=3)
        planned = [[part.tolist() for part in step.replicas] for step in steps]
        assert planned == case["steps"], case["rows"]


@pytest.mark.parametrize("replicas", range(2, 9))
def test_tensorflow_was_seen_with_uneven_and_with_empty_pieces(observed, replicas):
    sizes = [
        [len(part) for part in step]
        for case in observed(f"cuts-{replicas}")
        for step in case["steps"]
    ]
    assert any(0 in step for step in sizes)
    assert any(len(set(step) - {0}) > 1 for step in sizes)


@pytest.mark.parametrize("replicas", range(1, 9))
def test_shares_add_up_and_none_is_above_the_first(replicas):
    for rows in range(200):
        parts = shares(rows, replicas)
        assert len(parts) == replicas
        assert sum(parts) == rows
        assert parts[0] == max(parts) == -(-rows // replicas)
        assert list(parts) == sorted(parts, reverse=True)


@pytest.mark.parametrize("replicas", range(1, 9))
def test_a_cut_batch_put_together_is_the_batch(replicas):
    for rows in range(40):
        batch = np.random.default_rng(rows).permutation(rows)
        parts = cut(batch, replicas)
        assert [len(part) for part in parts] == list(shares(rows, replicas))
        np.testing.assert_array_equal(np.concatenate(parts), batch)


def test_shuffled_uses_every_row_once_an_epoch():
    for epoch in range(1, 5):
        assert sorted(order_of(LABELS, epoch)) == list(range(len(LABELS)))


def test_shuffled_is_another_order_each_epoch_and_each_seed():
    orders = [
        tuple(order_of(LABELS, epoch, seed=seed)) for epoch in range(1, 5) for seed in range(4)
    ]
    assert len(set(orders)) == len(orders)


def test_shuffled_is_the_same_order_for_the_same_seed_and_any_number_of_replicas():
    orders = [order_of(LABELS, 2, replicas=n, batch=b) for n in (1, 2, 8) for b in (1, 64)]
    for order in orders[1:]:
        np.testing.assert_array_equal(order, orders[0])


def test_as_is_is_the_order_of_the_table_in_every_epoch():
    for epoch in (1, 2):
        np.testing.assert_array_equal(order_of(LABELS, epoch, order="as-is"), range(len(LABELS)))


def pieces_of(labels, replicas, batch, epoch=1):
    return [
        step.replicas
        for step in plan(
            labels, replicas=replicas, batch=batch, epochs=epoch, seed=7, order="one-class-each"
        )
        if step.epoch == epoch
    ]


def counts(classes):
    """Labels with the given number of rows of each class, mixed."""
    labels = np.repeat(np.arange(len(classes)), classes).astype(np.int32)
    return np.random.default_rng(0).permutation(labels)


ONE_CLASS = [
    (classes, replicas, batch)
    for classes in ((30, 30), (5, 50), (12, 9, 15), (20,) * 10)
    for replicas in (2, 3, 4, 5)
    for batch in (1, 2, 5, 8, 64)
]


@pytest.mark.parametrize("classes, replicas, batch", ONE_CLASS)
def test_one_class_each_gives_each_replica_only_its_share_of_the_classes(classes, replicas, batch):
    labels = counts(classes)
    owned = class_shares(len(classes), replicas)
    for step in pieces_of(labels, replicas, batch):
        for replica, rows in enumerate(step):
            assert set(labels[rows].tolist()) <= set(owned[replica])


@pytest.mark.parametrize("classes, replicas, batch", ONE_CLASS)
def test_one_class_each_uses_no_row_twice_in_an_epoch(classes, replicas, batch):
    pieces = pieces_of(counts(classes), replicas, batch)
    used = np.concatenate([rows for step in pieces for rows in step])
    assert len(set(used.tolist())) == len(used) > 0


@pytest.mark.parametrize("classes, replicas, batch", ONE_CLASS)
def test_one_class_each_has_as_many_rows_in_every_epoch(classes, replicas, batch):
    labels = counts(classes)
    lengths = {
        len(order_of(labels, epoch, order="one-class-each", replicas=replicas, batch=batch))
        for epoch in range(1, 6)
    }
    assert len(lengths) == 1


def test_one_class_each_with_batches_that_divide_evenly_uses_all_of_the_smallest_share():
    pieces = pieces_of(counts((30, 50)), replicas=2, batch=8)
    assert [sum(len(step[r]) for step in pieces) for r in (0, 1)] == [30, 30]


def test_one_class_each_lets_other_rows_of_a_big_class_sit_out_the_next_time():
    labels = counts((5, 50))
    first, second = (
        {int(row) for step in pieces_of(labels, 2, 4, epoch) for row in step[1]} for epoch in (1, 2)
    )
    assert first != second


def test_one_class_each_on_one_replica_is_shuffled():
    np.testing.assert_array_equal(
        order_of(LABELS, order="one-class-each", replicas=1), order_of(LABELS)
    )


def test_one_class_each_is_refused_when_a_class_has_fewer_rows_than_replicas_that_share_it():
    labels = np.array([0, 1, 1], dtype=np.int32)
    with pytest.raises(ValueError, match=r"with 4 replicas .* use fewer replicas or another"):
        order_of(labels, order="one-class-each", replicas=4)


def test_one_class_each_works_when_the_smallest_share_is_one_row():
    labels = np.array([0, 1, 1], dtype=np.int32)
    (step,) = pieces_of(labels, replicas=2, batch=256)
    assert [labels[rows].tolist() for rows in step] == [[0], [1]]


@pytest.mark.parametrize("replicas", range(1, 9))
@pytest.mark.parametrize("classes", range(2, 12))
def test_every_class_has_an_owner_and_every_replica_a_class(classes, replicas):
    owned = class_shares(classes, replicas)
    assert len(owned) == replicas
    assert all(owned)
    assert {c for part in owned for c in part} == set(range(classes))
    if replicas <= classes:
        assert sum(map(len, owned)) == classes


def test_steps_of_an_epoch_are_counted_with_the_short_last_one():
    for rows in range(1, 50):
        for batch in range(1, 60):
            assert steps_per_epoch(rows, batch) == len(range(0, rows, batch))


def test_the_plan_counts_steps_over_the_whole_run():
    steps = list(plan(LABELS, replicas=2, batch=32, epochs=3, seed=7))
    assert [step.step for step in steps] == list(range(1, 10))
    assert [step.epoch for step in steps] == [1, 1, 1, 2, 2, 2, 3, 3, 3]


@pytest.mark.parametrize("replicas", [1, 2, 3, 8])
@pytest.mark.parametrize("batch", [1, 7, 64, 100])
def test_uses_shares_and_batches_are_those_of_the_planned_steps(replicas, batch):
    config = RunConfig(replicas=replicas, global_batch=batch, epochs=3)
    orders = epoch_orders(LABELS, config)
    steps = list(plan(LABELS, replicas=replicas, batch=batch, epochs=3, seed=config.seed))
    for row in range(0, len(LABELS), 5):
        found = [
            (step.epoch, step.step, replica)
            for step in steps
            for replica, piece in enumerate(step.replicas)
            if row in piece
        ]
        assert list(uses(row, orders, replicas=replicas, batch=batch)) == found
    first = [step for step in steps if step.epoch == 1]
    counted = tuple(sum(len(step.replicas[r]) for step in first) for r in range(replicas))
    assert epoch_shares(len(LABELS), batch, replicas) == counted
    for step in first:
        whole = np.concatenate(step.replicas)
        np.testing.assert_array_equal(batch_of(orders[0], step.step, batch), whole)


def test_the_orders_of_the_first_epochs_are_the_first_orders():
    config = RunConfig(epochs=4)
    for one, other in zip(
        epoch_orders(LABELS, config, 2), epoch_orders(LABELS, config), strict=False
    ):
        np.testing.assert_array_equal(one, other)
    assert [len(epoch_orders(LABELS, config, n)) for n in (1, 2, None)] == [1, 2, 4]
