"""The model and its loss, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

units = pytest.mark.parametrize("units", ["1", "3"])


def test_the_model_on_20_columns_has_the_parameters_the_lesson_names(observed):
    assert observed("model")["parameters"] == 20 * 64 + 64 + 64 * 32 + 32 + 32 + 1


def test_equal_seeds_give_equal_weights(observed):
    assert observed("model")["same_seed"]


def test_another_seed_gives_other_weights(observed):
    assert observed("model")["other_seed"]


@units
def test_the_network_written_twice_is_the_same_network(observed, units):
    seen = observed("model")[units]
    np.testing.assert_allclose(seen["forward"], seen["keras"], atol=1e-5)


@units
def test_the_network_is_what_numpy_makes_of_its_weights(observed, units):
    seen = observed("model")[units]
    values = np.array(seen["rows"])
    weights = [np.array(w) for w in seen["weights"]]
    for layer in (0, 2):
        values = np.maximum(values @ weights[layer] + weights[layer + 1], 0)
    np.testing.assert_allclose(values @ weights[4] + weights[5], seen["keras"], atol=1e-4)


@units
def test_the_loss_of_an_example_is_its_cross_entropy(observed, units):
    seen = observed("model")[units]
    logits = np.array(seen["keras"])
    if units == "1":
        logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    wanted = -np.log(chances[np.arange(len(logits)), seen["labels"]])
    np.testing.assert_allclose(seen["losses"], wanted, atol=1e-5)


@units
def test_an_example_is_right_when_its_label_is_the_likeliest(observed, units):
    seen = observed("model")[units]
    logits = np.array(seen["keras"])
    if units == "1":
        logits = np.concatenate([np.zeros_like(logits), logits], axis=1)
    right = logits.argmax(axis=1) == np.array(seen["labels"])
    assert seen["right"] == right.astype(float).tolist()
    assert 0 < right.sum() < len(right)
