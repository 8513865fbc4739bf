"""The recorded answers to `mirror`, and the arithmetic of bytes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from pipeline import mirror_answer, recordings
from pipeline.answers import Answers
from pipeline.mirror_answer import MirrorAnswer

LAYERS = ((20, 64), (64, 32), (32, 1))
WEIGHTS = 4 * sum((wide + 1) * narrow for wide, narrow in LAYERS)


def store() -> Answers:
    return Answers(Path("/nowhere"), cast(Any, SimpleNamespace()))


def recorded(replicas: int) -> MirrorAnswer:
    answer, exact = mirror_answer.nearest_recorded(store(), recordings.recorded_mirror(replicas))
    assert answer is not None
    assert exact
    return MirrorAnswer.read(answer.result)


@pytest.mark.parametrize("replicas", range(1, 9))
def test_inside_the_scope_each_replica_has_an_identical_copy_on_a_device_of_its_own(replicas):
    inside = recorded(replicas).inside
    assert inside.identical
    assert len(set(inside.devices)) == len(inside.copies) == replicas
    for copy in inside.copies:
        assert copy.shape == (20, 64)
        np.testing.assert_array_equal(copy, inside.copies[0])


@pytest.mark.parametrize("replicas", range(1, 9))
def test_outside_the_scope_there_is_one_plain_variable(replicas):
    answer = recorded(replicas)
    assert len(answer.outside.devices) == 1
    assert "Mirrored" in answer.inside.kind
    assert "Mirrored" not in answer.outside.kind


@pytest.mark.parametrize("replicas", range(1, 9))
def test_bytes_are_those_of_the_layers_and_the_same_on_every_device(replicas):
    answer = recorded(replicas)
    assert answer.weights == (WEIGHTS,) * replicas
    assert answer.gradients == WEIGHTS
    # Adam keeps two numbers for each weight, its step count and its learning rate.
    assert answer.optimizer == (2 * WEIGHTS + 8 + 4,) * replicas
    assert answer.activations_per_row == 4 * (20 + 64 + 32 + 1)


@pytest.mark.parametrize("batch", [1, 3, 100, 256])
def test_only_activations_shrink_with_more_replicas(batch):
    needs = recorded(2).needs(batch)
    assert [one.replicas for one in needs] == list(range(1, 9))
    assert len({(one.weights, one.gradients, one.optimizer) for one in needs}) == 1
    for one in needs:
        assert one.rows == -(-batch // one.replicas)
        assert one.activations == one.rows * 4 * 117
        assert one.total == WEIGHTS * 4 + 12 + one.activations


def test_a_device_is_named_in_short():
    assert recorded(2).inside.short_devices == ("CPU:0", "CPU:1")


def test_other_data_gets_the_recorded_answer_for_as_many_replicas():
    asked = recordings.mirror_question(5, 64, 10, "sgd", 3)
    answer, exact = mirror_answer.nearest_recorded(store(), asked)
    assert answer is not None
    assert not exact
    assert MirrorAnswer.read(answer.result).replicas == 5


def test_copies_that_differ_are_said_to_differ():
    told: dict[str, Any] = {
        "kind": "MirroredVariable",
        "devices": ["a/device:CPU:0", "a/device:CPU:1", "a/device:CPU:2"],
        "matrices": [
            {"copies": [0, 2], "values": [[1.0, 2.0]]},
            {"copies": [1], "values": [[1.0, 3.0]]},
        ],
    }
    bytes_ = {"weights": [8], "optimizer": [0], "gradients": 8, "activations_per_row": 4}
    answer = MirrorAnswer.read(
        {"inside": told, "outside": told, "bytes": bytes_, "versions": {"tensorflow": "x"}}
    )
    assert not answer.inside.identical
    assert [copy.tolist() for copy in answer.inside.copies] == [[[1, 2]], [[1, 3]], [[1, 2]]]
