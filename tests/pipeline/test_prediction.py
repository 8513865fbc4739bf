"""Activations, blocks and pieces against plain NumPy, and what the recorded answers say."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from pipeline import answers, prediction, recordings
from pipeline.prediction import BATCH_SIZES, SIZES, Prediction, activations, block, most_wrong
from pipeline.run_view import RunView
from pipeline.runs import Runs
from tests.pipeline.test_feed import IdleLauncher


def weights_of(*sizes: int, seed: int = 5) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = [shape for a, b in pairwise(sizes) for shape in ((a, b), (b,))]
    return [(rng.normal(size=shape) / 3).astype(np.float32) for shape in shapes]


def one_by_one(weights, rows):
    """Every layer of every row, one row and one unit at a time, in Python's own floats."""
    found = [rows]
    for last in range(0, len(weights), 2):
        kernel, bias = weights[last].tolist(), weights[last + 1].tolist()
        passed = []
        for row in np.asarray(found[-1]).tolist():
            units = [
                sum(value * line[unit] for value, line in zip(row, kernel, strict=True)) + add
                for unit, add in enumerate(bias)
            ]
            passed.append(units if last == len(weights) - 2 else [max(0.0, u) for u in units])
        found.append(passed)
    return found


def made(counts, outputs=1, first=0) -> Prediction:
    """A prediction with these rows by call and replica."""
    rows = sum(map(sum, counts))
    weights = weights_of(3, 4, 2, outputs)
    inputs = np.random.default_rng(2).random((rows, 3)).astype(np.float32)
    layers = tuple(activations(weights, inputs))
    shapes = tuple(
        tuple(tuple((rows, layer.shape[1]) for layer in layers) for rows in call) for call in counts
    )
    return Prediction(first, layers, layers[-1], shapes, 0.0, 0.0, {})


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory) -> Any:
    opened = Runs(tmp_path_factory.mktemp("runs"), IdleLauncher())
    opened.open()
    yield opened.view(recordings.DEFAULT)
    opened.close()


def shipped(run: RunView, size: int, batch_size: int) -> Prediction:
    asked = prediction.question(run, run.row, size, batch_size)
    return Prediction.load(answers.RECORDED / answers.recorded_key(prediction.TASK, asked))


@pytest.mark.parametrize("outputs", [1, 10])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_activations_are_those_of_the_layers_unit_by_unit(rows, outputs):
    weights = weights_of(6, 8, 4, outputs)
    inputs = np.random.default_rng(1).random((rows, 6)).astype(np.float32)

    found = activations(weights, inputs)

    assert [layer.shape for layer in found] == [(rows, n) for n in (6, 8, 4, outputs)]
    for layer, expected in zip(found, one_by_one(weights, inputs), strict=True):
        np.testing.assert_allclose(layer, np.reshape(expected, layer.shape), atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65, 1_000])
@pytest.mark.parametrize("size", SIZES)
def test_a_block_holds_its_row_and_is_as_full_as_the_table_allows(rows, size):
    for row in range(rows):
        first, count = block(row, size, rows)
        assert 0 <= first <= row < first + count <= rows
        assert count == min(size, rows)


def test_rows_of_one_block_ask_the_same_question():
    run = cast(Any, SimpleNamespace(run_id="a", kept=[1, 9], data=SimpleNamespace()))
    run.data.x_train = np.zeros((1_000, 2))
    asked = [prediction.question(run, row, 64, 32) for row in (64, 100, 127, 128)]
    assert asked[0] == asked[1] == asked[2] != asked[3]
    assert asked[0] == {"run": "a", "step": 9, "first": 64, "rows": 64, "batch_size": 32}


@pytest.mark.parametrize("counts", [[[2, 2], [2, 1]], [[1, 0, 0]], [[3]], [[2, 1], [0, 0], [1, 0]]])
def test_pieces_cover_the_batch_in_order_and_each_row_has_one(counts):
    found = made(counts)

    assert [piece.rows for piece in found.pieces] == [rows for call in counts for rows in call]
    seen = [place for p in found.pieces for place in range(p.start, p.start + p.rows)]
    assert seen == list(range(found.rows))
    for place in seen:
        piece = found.piece_of(place)
        assert piece.start <= place < piece.start + piece.rows
    for replica in range(found.replicas):
        assert found.counts(replica) == [call[replica] for call in counts]


@pytest.mark.parametrize("outputs", [1, 4])
def test_a_row_is_read_with_its_truth_its_class_and_the_probability_of_the_truth(outputs):
    found = made([[4, 3]], outputs, first=2)
    labels = np.arange(20) % max(2, outputs)
    data = cast(Any, SimpleNamespace(y_train=labels))

    rows = found.read(data)

    logits = found.predicted.astype(np.float64)
    if outputs == 1:
        one = 1 / (1 + np.exp(-logits[:, 0]))
        chances = np.stack([1 - one, one], axis=1)
    else:
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert [row.truth for row in rows] == labels[2:9].tolist()
    assert [row.guess for row in rows] == chances.argmax(axis=1).tolist()
    expected = chances[np.arange(7), labels[2:9]]
    np.testing.assert_allclose([row.probability for row in rows], expected, atol=1e-6)
    assert [row.replica for row in rows] == [0] * 4 + [1] * 3
    assert {row.right for row in rows} == set((labels[2:9] == chances.argmax(axis=1)).tolist())
    worst = most_wrong(rows, 3)
    assert [row.place for row in worst] == np.argsort(expected)[:3].tolist()


def test_a_wrong_activation_is_far_from_numpy():
    found = made([[2, 2]])
    weights = weights_of(3, 4, 2, 1)
    assert found.numpy_apart(weights) == 0.0
    spoilt = [layer.copy() for layer in found.layers]
    spoilt[1][3, 2] += 0.5
    assert replace(found, layers=tuple(spoilt)).numpy_apart(weights) == pytest.approx(0.5)


@pytest.mark.parametrize("batch_size", BATCH_SIZES)
@pytest.mark.parametrize("size", SIZES)
def test_a_recorded_answer_is_what_plain_numpy_makes_of_the_recorded_weights(
    recorded_run, size, batch_size
):
    found = shipped(recorded_run, size, batch_size)
    weights = recorded_run.record(recorded_run.kept[-1]).after[0]

    np.testing.assert_array_equal(found.layers[0], recorded_run.scaled[:size])
    values = recorded_run.scaled[:size].astype(np.float64)
    for layer in (0, 2, 4):
        values = values @ weights[layer] + weights[layer + 1]
        values = values if layer == 4 else np.maximum(values, 0)
        np.testing.assert_allclose(found.layers[layer // 2 + 1], values, atol=1e-5)
    np.testing.assert_allclose(found.predicted, values, atol=1e-5)
    assert found.predicted.shape == (size, 1)
    assert found.numpy_apart(weights) < 1e-5
    assert found.gathered_apart == 0.0
    assert found.one_device_apart < 1e-5


@pytest.mark.parametrize(
    "size, batch_size, counts",
    [
        (64, 32, [[16, 16], [16, 16]]),
        (64, 64, [[32, 32]]),
        (63, 32, [[16, 16], [16, 15]]),
        (65, 32, [[16, 16], [16, 16], [1, 0]]),
        (65, 64, [[32, 32], [1, 0]]),
        (1, 32, [[1, 0]]),
    ],
)
def test_the_default_batch_size_is_cut_over_all_replicas(recorded_run, size, batch_size, counts):
    found = shipped(recorded_run, size, batch_size)

    assert [[layers[0][0] for layers in call] for call in found.shapes] == counts
    units = [20, 64, 32, 1]
    for call in found.shapes:
        for layers in call:
            assert [wide for _, wide in layers] == units
            assert len({rows for rows, _ in layers}) == 1


def test_the_recorded_answers_stay_small():
    folders = [f for f in answers.RECORDED.iterdir() if f.name.startswith(prediction.TASK)]
    assert len(folders) == len(SIZES) * len(BATCH_SIZES)
    assert sum(file.stat().st_size for f in folders for file in f.iterdir()) < 300_000


def test_a_damaged_answer_is_an_error_that_says_so(tmp_path: Path):
    result = {"first": 0, "calls": [], "versions": {}}
    (tmp_path / "result.json").write_text(json.dumps(result))
    with pytest.raises(OSError):
        Prediction.load(tmp_path)
    (tmp_path / "activations.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match="damaged"):
        Prediction.load(tmp_path)
