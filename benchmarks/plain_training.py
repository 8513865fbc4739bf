"""The warm opponents: the default run's training without Lockstep, each in a forked process.

`python -m benchmarks.plain_training` imports TensorFlow once, as the trainer does, then forks one
child for each line it reads: `fit` (plain Keras), `bare` (`strategy.run` in a loop and nothing
else). It answers each with one JSON line, e.g. {"seconds": 2.1, "cpu": 2.3}, and ends with its
input.

Both train the model of `pipeline.trainer.model` on the rows, replicas, batch, optimizer and
all-reduce of `RunConfig()`. Timed, as `run_finished.seconds` is: from a built model and optimizer
to the end of the last step, so making the dataset and tracing are in it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

from pipeline import datasets, distribute, preprocess
from pipeline.config import RunConfig
from pipeline.trainer import devices
from pipeline.trainer.model import build_model, build_optimizer, example_losses

CONFIG = RunConfig()
DATA = datasets.load(CONFIG.data)
STEPS = CONFIG.epochs * distribute.steps_per_epoch(len(DATA.x_train), CONFIG.global_batch)


def prepared() -> tuple[tf.distribute.Strategy, keras.Model, keras.Optimizer, np.ndarray]:
    """Strategy, model and optimizer under it, scaled rows."""
    rows = preprocess.fit(DATA.x_train).apply(DATA.x_train)
    strategy = devices.prepare(CONFIG.replicas).strategy
    with strategy.scope():
        model = build_model(rows.shape[1], DATA.output_units, CONFIG.seed)
        optimizer = build_optimizer(CONFIG.optimizer, CONFIG.learning_rate)
        optimizer.build(model.trainable_variables)
    return strategy, model, optimizer, rows


def fit() -> float:
    """`model.fit` on arrays: Keras shuffles, batches and distributes. No metrics, no output."""
    strategy, model, optimizer, rows = prepared()
    with strategy.scope():
        model.compile(optimizer, loss=keras.losses.BinaryCrossentropy(from_logits=True))
    labels = DATA.y_train.astype(np.float32)
    began = time.perf_counter()
    model.fit(rows, labels, batch_size=CONFIG.global_batch, epochs=CONFIG.epochs, verbose=0)
    return time.perf_counter() - began


def bare() -> float:
    """One traced step, called in a loop: nothing is read until the last step is done."""
    strategy, model, optimizer, rows = prepared()

    def replica_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            losses = example_losses(y, model(x, training=True))
            loss = tf.reduce_sum(losses) / CONFIG.global_batch
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    def step(batches: Any) -> Any:
        return strategy.experimental_local_results(strategy.run(replica_step, args=next(batches)))

    began = time.perf_counter()
    table = tf.data.Dataset.from_tensor_slices((rows, DATA.y_train))
    epochs = table.shuffle(len(rows), seed=CONFIG.seed).batch(CONFIG.global_batch)
    batches = iter(strategy.experimental_distribute_dataset(epochs.repeat(CONFIG.epochs)))
    traced = tf.function(step, reduce_retracing=True)
    for _ in range(STEPS):
        losses = traced(batches)
    float(losses[0])
    return time.perf_counter() - began


def in_child(training: Callable[[], float]) -> dict[str, float]:
    """Fork, train; the seconds it says and the CPU seconds its process took."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(writing, str(training()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    _, status, used = os.wait4(pid, 0)
    with open(reading, encoding="ascii") as answer:
        text = answer.read()
    if status:
        raise SystemExit(f"the training failed with status {os.waitstatus_to_exitcode(status)}")
    return {"seconds": float(text), "cpu": used.ru_utime + used.ru_stime}


def main() -> None:
    """Serve until standard input ends."""
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(in_child({"fit": fit, "bare": bare}[line.strip()])), flush=True)


if __name__ == "__main__":
    main()
