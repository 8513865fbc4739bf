"""The cold opponent: a plain TensorFlow script, from nothing to its first distributed step.

What a learner would write without Lockstep: import, strategy, data, model, one traced step of
`strategy.run`. It prints one line when that step is done. It imports nothing of Lockstep.
"""

from __future__ import annotations

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

BATCH = 256

(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)

random = np.random.default_rng(0)
features = random.random((10_000, 20), dtype=np.float32)
labels = (features[:, :3].sum(axis=1) > 1.5).astype(np.float32)
rows = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(10_000).batch(BATCH)
batches = iter(strategy.experimental_distribute_dataset(rows))

with strategy.scope():
    model = keras.Sequential(
        [
            keras.Input((20,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(1),
        ]
    )
    optimizer = keras.optimizers.Adam(0.001)
    optimizer.build(model.trainable_variables)


def replica_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """One replica's rows: loss, gradient, update."""
    with tf.GradientTape() as tape:
        logits = tf.squeeze(model(x, training=True), -1)
        losses = tf.nn.sigmoid_cross_entropy_with_logits(y, logits)
        loss = tf.reduce_sum(losses) / BATCH
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss


def step(batches: object) -> tf.Tensor:
    """One step of all replicas."""
    losses = strategy.run(replica_step, args=next(batches))  # type: ignore[call-overload]
    return strategy.reduce("SUM", losses, axis=None)


print(float(tf.function(step)(batches)), flush=True)
os._exit(0)  # what comes after the first step is not measured
