"""Update rules for copies that train apart, against Keras's own optimizers."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("rule", ["adam", "sgd"])
def test_one_replica_is_updated_as_keras_would_over_200_steps(observed, rule):
    seen = observed("rules-1")
    assert seen[f"{rule} moved"] > 1e-2
    assert seen[rule] < 1e-6


@pytest.mark.parametrize("rule", ["adam", "sgd"])
def test_each_of_two_replicas_is_updated_by_its_own_gradients_alone(observed, rule):
    seen = observed("rules-2")
    assert seen[f"{rule} moved"] > 1e-3
    assert seen[rule] < 1e-6
