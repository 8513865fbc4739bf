"""The gradient in NumPy, against differences of the loss, and against what TensorFlow had."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import backward, datasets, recordings, runs
from pipeline.step_records import StepRecord, forward, record_path

SHAPES = {1: ((5, 7), (7,), (7, 4), (4,), (4, 1), (1,)), 3: ((5, 7), (7,), (7, 3), (3,))}


def network(units: int) -> list[np.ndarray]:
    random = np.random.default_rng(units)
    return [random.normal(0, 0.8, shape) for shape in SHAPES[units]]


def table(units: int, rows: int = 9) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(10 + units)
    features = random.uniform(size=(rows, 5)).astype(np.float32)
    return features, random.integers(0, max(2, units), rows).astype(np.int32)


def loss(weights: list[np.ndarray], features: np.ndarray, labels: np.ndarray) -> float:
    """Summed cross-entropy in float64, written from its definition."""
    values = features.astype(np.float64)
    for place in range(0, len(weights) - 2, 2):
        values = np.maximum(values @ weights[place] + weights[place + 1], 0)
    logits = values @ weights[-2] + weights[-1]
    if logits.shape[1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return float(-np.log(shares[np.arange(len(labels)), labels]).sum())


@pytest.mark.parametrize("units", [1, 3])
def test_every_derivative_is_the_slope_of_the_loss(units: int) -> None:
    weights, (features, labels) = network(units), table(units)
    found = backward.trace(weights, features, labels).gradient(divisor=4)
    nudge = 1e-6
    for place, tensor in enumerate(weights):
        for index in np.ndindex(tensor.shape):
            sides = []
            for sign in (1, -1):
                moved = [one.copy() for one in weights]
                moved[place][index] += sign * nudge
                sides.append(loss(moved, features, labels))
            slope = (sides[0] - sides[1]) / (2 * nudge) / 4
            assert found[place][index] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("units", [1, 3])
def test_the_parts_of_the_rows_add_up_and_their_sizes_are_their_norms(units: int) -> None:
    weights, (features, labels) = network(units), table(units)
    traced = backward.trace(weights, features, labels)
    parts = [traced.of([place]).gradient(9) for place in range(traced.rows)]
    for place, tensor in enumerate(traced.gradient(9)):
        np.testing.assert_allclose(sum(part[place] for part in parts), tensor, atol=1e-15)
    norms = [np.sqrt(sum(np.sum(np.square(tensor)) for tensor in part)) for part in parts]
    np.testing.assert_allclose(traced.sizes(9), norms, rtol=1e-12)


def test_no_rows_have_a_gradient_of_zeros() -> None:
    weights, (features, labels) = network(1), table(1, rows=0)
    found = backward.trace(weights, features, labels).gradient(1)
    assert [tensor.shape for tensor in found] == list(SHAPES[1])
    assert not any(tensor.any() for tensor in found)


def test_it_is_the_gradient_of_the_network_that_step_records_runs_forward() -> None:
    weights, (features, labels) = network(3), table(3)
    logits = forward([w.astype(np.float32) for w in weights], features)
    traced = backward.trace(weights, features, labels)
    powers = np.exp(logits.astype(np.float64))
    guess = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(traced.errors[-1], guess - np.eye(3)[labels], atol=1e-5)


@pytest.mark.parametrize("step", [1, 48, 200])
def test_tensorflow_had_the_same_gradient_on_every_replica(step: int) -> None:
    run = recordings.CONFIGS[recordings.DEFAULT]
    record = StepRecord.load(record_path(runs.RECORDED / recordings.DEFAULT, step))
    data = datasets.load(run.data)
    x = data.x_train
    scaled = ((x - x.min(0)) / (x.max(0) - x.min(0))).astype(np.float32)
    total = sum(map(len, record.rows))
    for rows, own in zip(record.rows, record.own, strict=True):
        found = backward.trace(record.before, scaled[rows], data.y_train[rows]).gradient(total)
        for mine, theirs in zip(found, own, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-7)


def test_rows_without_their_labels_are_refused() -> None:
    features, labels = table(1)
    with pytest.raises(ValueError, match="9 rows and 8 labels"):
        backward.trace(network(1), features, labels[1:])
