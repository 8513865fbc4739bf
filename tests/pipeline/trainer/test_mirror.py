"""The question `mirror`, really put to TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from pipeline import mirror_answer, recordings
from pipeline.answers import Answers
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.mirror_answer import MirrorAnswer
from pipeline.workers import Workers

ASKED = {
    "recorded": recordings.recorded_mirror(2),
    "sgd": recordings.mirror_question(3, 5, 4, "sgd", 11),
}


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> dict[str, MirrorAnswer]:
    folder = tmp_path_factory.mktemp("mirror")
    workers = Workers(ForkingTrainer(folder / "trainer.log"), Limits())
    workers.open()
    try:
        answers = Answers(folder / "answers", workers)
        keys = {name: answers.ask("mirror", asked).key for name, asked in ASKED.items()}
        found = {name: answers.wait(key, 120) for name, key in keys.items()}
    finally:
        workers.close()
    for name, answer in found.items():
        assert answer is not None, name
        assert answer.state == "done", (name, answer.error)
    return {name: MirrorAnswer.read(answer.result) for name, answer in found.items() if answer}


def test_asking_anew_gives_the_copies_that_are_recorded(answered):
    store = Answers(Path("/nowhere"), cast(Any, None))
    answer, _ = mirror_answer.nearest_recorded(store, ASKED["recorded"])
    assert answer is not None
    shipped = MirrorAnswer.read(answer.result)
    now = answered["recorded"]
    np.testing.assert_array_equal(now.inside.copies, shipped.inside.copies)
    assert now.inside.devices == shipped.inside.devices
    assert (now.weights, now.optimizer) == (shipped.weights, shipped.optimizer)


def test_equal_seeds_give_equal_weights_inside_and_outside_the_scope(answered):
    for answer in answered.values():
        np.testing.assert_array_equal(answer.outside.copies[0], answer.inside.copies[0])


def test_another_model_has_other_bytes_and_sgd_keeps_nothing_for_a_weight(answered):
    answer = answered["sgd"]
    weights = 4 * (5 * 64 + 64 + 64 * 32 + 32 + 32 * 4 + 4)
    assert answer.weights == (weights,) * 3
    assert answer.gradients == weights
    assert answer.optimizer == (8 + 4,) * 3
    assert answer.activations_per_row == 4 * (5 + 64 + 32 + 4)
