"""Four trainings that differ in batch and learning rate: the question `rate-rule`.

One strategy, one model that is put back to its start, one traced step: only what is compared
differs. `pipeline.rate_rule` reads what this returns.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline import distribute, preprocess, sources
from pipeline.config import RunConfig
from pipeline.run_log import PROGRESS_NAME
from pipeline.scaling_plan import EPOCHS, WARM_EPOCHS, WAYS, Way
from pipeline.trainer import devices
from pipeline.trainer.model import build_model, example_losses, forward
from pipeline.trainer.replica import TrainStep

_alive: list[object] = []
"""Keeps iterators until the process ends: see `trainer.scaling`."""


def rate_rule(
    folder: Path, *, run: str, run_folder: str, replicas: int, batch: int, rate: float
) -> dict[str, Any]:
    """Train four times on the data of `run`; returns each training's loss after every epoch."""
    asked = Path(run_folder)
    request = json.loads((asked / "request.json").read_text(encoding="utf-8"))
    config = RunConfig.checked(request["config"])
    data = sources.open_data(config, sources.read_copy(asked), sources.ADMITTED)
    x = preprocess.fit(data.x_train).apply(data.x_train)
    y = data.y_train
    strategy = devices.prepare(replicas).strategy
    with strategy.scope():
        model = build_model(x.shape[1], data.output_units, config.seed)
        optimizer = keras.optimizers.SGD(rate)
        optimizer.build(model.trainable_variables)
    start = [variable.numpy() for variable in model.trainable_variables]
    step = TrainStep(strategy, model, optimizer)
    curves = {}
    for way in WAYS:
        for variable, value in zip(model.trainable_variables, start, strict=True):
            variable.assign(value)
        size = batch if way == "base" else batch * replicas
        per_epoch = distribute.steps_per_epoch(len(y), size)
        wanted = config.model_copy(
            update={
                "global_batch": size,
                "epochs": EPOCHS,
                "order": "shuffled",
                "replicas": replicas,
            }
        )
        batches = iter(strategy.experimental_distribute_dataset(_batches(x, y, wanted)))
        _alive.append(batches)
        losses = [_loss(model, x, y)]
        for epoch in range(1, EPOCHS + 1):
            for at in range((epoch - 1) * per_epoch, epoch * per_epoch):
                optimizer.learning_rate = _rate(way, rate, replicas, at, WARM_EPOCHS * per_epoch)
                step(batches)
            losses.append(_loss(model, x, y))
            with (folder / PROGRESS_NAME).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"way": way, "epoch": epoch}) + "\n")
        curves[way] = {
            "batch": size,
            "rate": rate if way in ("base", "same") else rate * replicas,
            "steps_per_epoch": per_epoch,
            "losses": losses,
        }
    return {"run": run, "replicas": replicas, "rows": len(y), "curves": curves}


def _batches(x: np.ndarray, y: np.ndarray, config: RunConfig) -> tf.data.Dataset:
    """Global batches of (row numbers, scaled rows, labels), epoch after epoch."""
    features, labels = tf.constant(x), tf.constant(y)
    orders = tf.data.Dataset.from_tensor_slices(np.stack(distribute.epoch_orders(y, config)))
    rows = orders.flat_map(
        lambda order: tf.data.Dataset.from_tensor_slices(order).batch(config.global_batch)
    )
    return rows.map(lambda some: (some, tf.gather(features, some), tf.gather(labels, some)))


def _rate(way: Way, rate: float, times: int, step: int, warm_steps: int) -> float:
    """The rate of a step, from 0: warm-up grows linearly from `rate` to `times` as much."""
    if way in ("base", "same"):
        return rate
    if way == "scaled":
        return rate * times
    return rate * (1 + (times - 1) * min(1.0, (step + 1) / warm_steps))


def _loss(model: keras.Model, x: np.ndarray, y: np.ndarray) -> float | None:
    """Mean loss on all rows; None when it is not a number any more."""
    weights = [tf.constant(variable.numpy()) for variable in model.trainable_variables]
    loss = float(tf.reduce_mean(example_losses(tf.constant(y), forward(weights, tf.constant(x)))))
    return loss if math.isfinite(loss) else None
