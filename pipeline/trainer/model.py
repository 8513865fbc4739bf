"""The model every run trains: Dense 64, Dense 32, output; and its loss for each example.

`forward` is the same network written a second time, without Keras and without a strategy. It is
the single device that the replicas' work is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
import tensorflow as tf

from pipeline.shapes import HIDDEN


def build_model(features: int, output_units: int, seed: int) -> keras.Sequential:
    """A fresh model with `output_units` logits (1: binary). Equal seeds give equal weights."""
    layers: list[keras.layers.Layer] = [keras.Input((features,))]
    for index, units in enumerate((*HIDDEN, output_units)):
        last = index == len(HIDDEN)
        layers.append(
            keras.layers.Dense(
                units,
                activation=None if last else "relu",
                kernel_initializer=keras.initializers.GlorotUniform(seed=seed + index),
            )
        )
    return keras.Sequential(layers)


def build_optimizer(name: str, learning_rate: float) -> keras.optimizers.Optimizer:
    """`adam` or `sgd`, both with Keras's defaults."""
    rule = {"adam": keras.optimizers.Adam, "sgd": keras.optimizers.SGD}[name]
    return rule(learning_rate)


def example_losses(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """Cross-entropy of each example, shape (rows,), float32; natural logarithm."""
    if logits.shape[-1] == 1:
        return tf.nn.sigmoid_cross_entropy_with_logits(
            tf.cast(labels, tf.float32), tf.squeeze(logits, -1)
        )
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def is_right(labels: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """1.0 where the likeliest class is the label, else 0.0; shape (rows,), float32."""
    if logits.shape[-1] == 1:
        guess = tf.cast(tf.squeeze(logits, -1) > 0, labels.dtype)
    else:
        guess = tf.argmax(logits, -1, output_type=labels.dtype)
    return tf.cast(guess == labels, tf.float32)


def forward(weights: Sequence[tf.Tensor], rows: tf.Tensor) -> tf.Tensor:
    """Logits of `rows` for weights given as [kernel, bias, kernel, bias, ...]."""
    values = rows
    pairs = list(zip(weights[::2], weights[1::2], strict=True))
    for kernel, bias in pairs[:-1]:
        values = tf.nn.relu(values @ kernel + bias)
    kernel, bias = pairs[-1]
    return values @ kernel + bias
