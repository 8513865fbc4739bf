"""Wrong and right uses of Keras's `fit`, and of its kin that are not shared out."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import keras
import tensorflow as tf

from pipeline.trainer.experiments.broken.verdict import Bench
from pipeline.trainer.experiments.workbench import LABELS, ROWS

rows, labels = ROWS[:256], LABELS[:256]


def scope_never_used(bench: Bench) -> Any:
    bench.make_strategy()
    model = bench.build_model()
    model.compile("sgd", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def scope_used(bench: Bench, optimizer: str = "sgd") -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile(optimizer, "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def built_outside(bench: Bench, optimizer: str) -> Any:
    strategy = bench.make_strategy()
    model = bench.build_model()
    with strategy.scope():
        model.compile(optimizer, "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def compiled_outside(bench: Bench, optimizer: str) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    model.compile(optimizer, "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def two_strategies(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    strategy = bench.make_strategy()  # a second one, for the training
    with strategy.scope():
        model.compile("adam", "mse")
        model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def layer_outside(bench: Bench) -> Any:
    trained_before = keras.layers.Dense(20)
    trained_before.build((None, 20))
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model(trained_before)
        model.compile("adam", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def layer_inside(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        trained_before = keras.layers.Dense(20)
        trained_before.build((None, 20))
        model = bench.build_model(trained_before)
        model.compile("adam", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def batch_of(bench: Bench, batch_size: int) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    model.fit(rows, labels, batch_size=batch_size, shuffle=False, verbose=0)
    return model


def table_of(bench: Bench, table: int) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    model.fit(rows[:table], labels[:table], batch_size=64, shuffle=False, verbose=0)
    return model


def without_the_rest(bench: Bench, table: int) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((rows[:table], labels[:table]))
    model.fit(data.batch(64, drop_remainder=True), shuffle=False, verbose=0)
    return model


def normalised(bench: Bench, synchronized: bool) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        normalise = keras.layers.BatchNormalization(synchronized=synchronized)
        model = bench.build_model(normalise)
        model.compile("sgd", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def train_on_batch(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    for first in range(0, 256, 64):
        model.train_on_batch(rows[first : first + 64], labels[first : first + 64])
    return model


def predict_on_batch(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    return {"Number of predictions": model.predict_on_batch(rows[:32])}


def predict(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    return {"Number of predictions": model.predict(rows[:32], verbose=0)}


def accumulated(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile(keras.optimizers.SGD(gradient_accumulation_steps=2), "mse")
    model.fit(rows, labels, batch_size=32, shuffle=False, verbose=0)
    return model


def scope_twice(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    with strategy.scope(), strategy.scope():
        model.compile("adam", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def fit_outside(bench: Bench, inside: bool) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope() if inside else nullcontext():
        model = bench.build_model()
        model.compile("adam", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)  # the scope was left
    return model


def invented_device(bench: Bench) -> Any:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:7"])  # no CPU:7
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def invented_device_one_reducer(bench: Bench) -> Any:
    strategy = bench.make_strategy("CPU:0", "CPU:7")  # no CPU:7
    with strategy.scope():
        model = bench.build_model()
        model.compile("sgd", "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model


def clipped(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        model.compile(keras.optimizers.SGD(0.1, global_clipnorm=0.1), "mse")
    model.fit(rows, labels, batch_size=64, shuffle=False, verbose=0)
    return model
