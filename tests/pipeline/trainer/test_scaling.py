"""The questions `scaling` and `rate-rule`, really put to TensorFlow."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pipeline import datasets, distribute, preprocess, recordings, scaling_plan
from pipeline.answers import Answers
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.rate_rule import RateRule
from pipeline.run_log import PROGRESS_NAME
from pipeline.runs import RECORDED
from pipeline.scaling_plan import EPOCHS, WARM_EPOCHS, WAYS
from pipeline.scaling_result import Measurement
from pipeline.step_records import StepRecord, record_path
from pipeline.workers import Workers

RECORDED_RUN = RECORDED / recordings.DEFAULT
CONFIG = recordings.CONFIGS[recordings.DEFAULT]
REPLICAS, BATCH, RATE = 2, 1_000, 0.05


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("scaling")
    workers = Workers(ForkingTrainer(folder / "trainer.log"), Limits())
    workers.open()
    try:
        answers = Answers(folder / "answers", workers)
        measure = {**scaling_plan.question("small", (1, 2), one_core=True), "seconds": 1.0}
        rule = {"run": "a run", "replicas": REPLICAS, "batch": BATCH, "rate": RATE}
        keys = {
            "scaling": answers.ask("scaling", measure).key,
            "rate-rule": answers.ask("rate-rule", rule, {"run_folder": RECORDED_RUN}).key,
        }
        found = {name: answers.wait(key, 200) for name, key in keys.items()}
    finally:
        workers.close()
    for name, answer in found.items():
        assert answer is not None, name
        assert answer.state == "done", (name, answer.error)
    return found


def test_every_setting_is_timed_in_blocks_that_take_turns(answered):
    found = Measurement.read(answered["scaling"].result)
    assert list(found.timings) == [
        (one.mode, one.replicas, one.variant) for one in scaling_plan.settings("small", (1, 2))
    ]
    counts = {len(timing.blocks) for timing in found.timings.values()}
    assert len(counts) == 1
    assert counts.pop() >= 3
    for timing in found.timings.values():
        assert all(ms > 0 and own > 0 for ms, own, _ in timing.blocks)
        # The first call traces: nothing a later step does takes nearly as long.
        assert 1000 * timing.tracing_seconds > timing.milliseconds
    assert found.machine["devices"] == ["CPU:0", "CPU:1"]


def test_it_tells_how_far_it_is(answered):
    text = (answered["scaling"].folder / PROGRESS_NAME).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    shares = [line["share"] for line in lines]
    assert shares == sorted(shares)
    assert {line["what"] for line in lines} == {"preparing", "timing"}


@pytest.mark.parametrize("way", WAYS)
def test_each_of_the_four_trainings_is_the_one_that_numpy_makes(answered, way):
    found = RateRule.read(answered["rate-rule"].result).curves[way]
    data = datasets.load(CONFIG.data)
    x, y = preprocess.fit(data.x_train).apply(data.x_train), data.y_train
    weights = [
        tensor.astype(np.float64) for tensor in StepRecord.load(record_path(RECORDED_RUN, 1)).before
    ]
    batch = BATCH if way == "base" else REPLICAS * BATCH
    losses = [loss(weights, x, y)]
    step = 0
    orders = distribute.epoch_orders(y, CONFIG.model_copy(update={"global_batch": batch}), EPOCHS)
    warm_steps = WARM_EPOCHS * (len(y) // batch)
    for order in orders:
        for first in range(0, len(order), batch):
            step += 1
            grown = {"base": 0, "same": 0, "scaled": 1, "warm": min(1, step / warm_steps)}[way]
            rows = order[first : first + batch]
            for weight, part in zip(weights, gradient(weights, x[rows], y[rows]), strict=True):
                weight -= RATE * (1 + (REPLICAS - 1) * grown) * part
        losses.append(loss(weights, x, y))
    assert found.batch == batch
    assert [y for _, y in found.points] == pytest.approx(losses, rel=2e-3)


def loss(weights, x, y) -> float:
    """Mean binary cross-entropy."""
    z = passed(weights, x)[-1][:, 0]
    return float(np.mean(np.logaddexp(0, z) - y * z))


def gradient(weights, x, y) -> list[np.ndarray]:
    """Its gradient, by the chain rule."""
    values = passed(weights, x)
    back = (1 / (1 + np.exp(-values[-1])) - y[:, None]) / len(y)
    found: list[np.ndarray] = []
    for layer in (2, 1, 0):
        found = [values[layer].T @ back, back.sum(0), *found]
        back = (back @ weights[2 * layer].T) * (values[layer] > 0)
    return found


def passed(weights, x) -> list[np.ndarray]:
    """The rows, and every layer's output for them."""
    values = [x]
    for layer in (0, 1, 2):
        out = values[-1] @ weights[2 * layer] + weights[2 * layer + 1]
        values.append(out if layer == 2 else np.maximum(out, 0))
    return values
