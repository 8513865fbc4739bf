"""Wrong and right training loops of one's own."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.broken.verdict import UPDATE, Bench
from pipeline.trainer.experiments.workbench import LABELS, ROWS

rows, labels = ROWS[:256], LABELS[:256]
OPTIMIZERS = {"adam": keras.optimizers.Adam, "sgd": keras.optimizers.SGD}


def batches(strategy: Any, size: int = 64, repeat: int = 1) -> Any:
    data = tf.data.Dataset.from_tensor_slices((rows, labels)).batch(size).repeat(repeat)
    return strategy.experimental_distribute_dataset(data)


def one_batch(strategy: Any, size: int = 64) -> Any:
    return next(iter(batches(strategy, size)))


def divided_twice(bench: Bench, optimizer: str, once_more: bool = True) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        rule = OPTIMIZERS[optimizer](0.01)
        rule.build(model.trainable_variables)

    def step(mine: Any, told: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
            if once_more:
                loss = loss / strategy.num_replicas_in_sync
        own = tape.gradient(loss, model.trainable_variables)
        rule.apply(own, model.trainable_variables)
        return tf.distribute.get_replica_context().all_reduce("sum", own[0])

    run = tf.function(strategy.run)
    sums = [run(step, args=batch) for batch in batches(strategy, repeat=5)]
    first_sum = strategy.experimental_local_results(sums[0])[0]
    return {"Summed gradient": first_sum, UPDATE: bench.update(model)}


def own_mean(bench: Bench, batch: int) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, told: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(mine) - told) ** 2) / strategy.num_replicas_in_sync
        own = tape.gradient(loss, model.trainable_variables[0])
        return tf.distribute.get_replica_context().all_reduce("sum", own)

    sums = tf.function(strategy.run)(step, args=one_batch(strategy, batch))
    return {"Summed gradient": strategy.experimental_local_results(sums)[0]}


def own_sum(bench: Bench, batch: int) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, told: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / batch
        own = tape.gradient(loss, model.trainable_variables[0])
        return tf.distribute.get_replica_context().all_reduce("sum", own)

    sums = tf.function(strategy.run)(step, args=one_batch(strategy, batch))
    return {"Summed gradient": strategy.experimental_local_results(sums)[0]}


def from_pytorch(bench: Bench, combine: str = "sum") -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, told: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(mine) - told) ** 2)  # of this replica's rows
        own = tape.gradient(loss, model.trainable_variables[0])
        return tf.distribute.get_replica_context().all_reduce(combine, own)

    combined = tf.function(strategy.run)(step, args=one_batch(strategy))
    return {"Combined gradient": strategy.experimental_local_results(combined)[0]}


def never_combined(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, told: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        own = tape.gradient(loss, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, own, strict=True):
            variable.value.assign_sub(0.1 * gradient)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        run(step, args=batch)
    return model


def combined(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        rule = keras.optimizers.SGD(0.1)

    def step(mine: Any, told: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        own = tape.gradient(loss, model.trainable_variables)
        rule.apply(own, model.trainable_variables)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        run(step, args=batch)
    return model


def clipped_sum(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, told: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        own = tape.gradient(loss, model.trainable_variables)
        total = tf.distribute.get_replica_context().all_reduce("sum", own)
        total, _ = tf.clip_by_global_norm(total, 0.1)
        for variable, gradient in zip(model.trainable_variables, total, strict=True):
            variable.value.assign_sub(0.1 * gradient)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        run(step, args=batch)
    return model


def applied_outside(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        rule = keras.optimizers.SGD(0.1)

    def gradients(mine: Any, told: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        return tape.gradient(loss, model.trainable_variables)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        rule.apply(run(gradients, args=batch), model.trainable_variables)
    return model


def mean_of_means(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def loss_of(mine: Any, told: Any) -> Any:
        return tf.reduce_mean((model(mine) - told) ** 2)

    losses = tf.function(strategy.run)(loss_of, args=one_batch(strategy, 5))
    return {"Reported loss": strategy.reduce("mean", losses, axis=None)}


def optimizer_outside(bench: Bench, optimizer: str) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    rule = OPTIMIZERS[optimizer](0.1)  # not in the scope

    def step(mine: Any, told: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        own = tape.gradient(loss, model.trainable_variables)
        rule.apply(own, model.trainable_variables)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        run(step, args=batch)
    return model


def optimizer_inside(bench: Bench, optimizer: str) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        rule = OPTIMIZERS[optimizer](0.1)
        rule.build(model.trainable_variables)

    def step(mine: Any, told: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((model(mine) - told) ** 2) / 64
        own = tape.gradient(loss, model.trainable_variables)
        rule.apply(own, model.trainable_variables)

    run = tf.function(strategy.run)
    for batch in batches(strategy):
        run(step, args=batch)
    return model


def metric_outside(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
    mean = keras.metrics.Mean()  # not in the scope

    def step(mine: Any, told: Any) -> None:
        mean.update_state((model(mine) - told) ** 2)

    run = tf.function(strategy.run)
    for batch in batches(strategy, size=5):
        run(step, args=batch)
    return {"Metric": mean.result()}


def dropped_alike(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()
        drop = keras.layers.Dropout(0.5, seed=1)

    def step(mine: Any, _: Any) -> Any:
        ones = tf.ones_like(model.layers[0](mine))  # a layer that only counts the rows
        return drop(ones, training=True)

    masks = tf.function(strategy.run)(step, args=one_batch(strategy))
    first, second = np.split(np.concatenate(strategy.experimental_local_results(masks)), 2)
    return {"Mask values that both halves of the batch share": np.mean(first == second)}


def dropped_apart(bench: Bench) -> Any:
    strategy = bench.make_strategy()
    with strategy.scope():
        model = bench.build_model()

    def step(mine: Any, _: Any) -> Any:
        ones = tf.ones_like(model.layers[0](mine))  # a layer that only counts the rows
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.nn.experimental.stateless_dropout(ones, 0.5, seed=[1, replica])

    masks = tf.function(strategy.run)(step, args=one_batch(strategy))
    first, second = np.split(np.concatenate(strategy.experimental_local_results(masks)), 2)
    return {"Mask values that both halves of the batch share": np.mean(first == second)}
