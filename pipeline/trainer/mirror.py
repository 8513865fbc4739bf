"""What a device holds: the same model built inside and outside the strategy's scope.

Observes where each copy of the first weight matrix lives and what it holds, and counts the bytes
of everything a device needs for a step. `pipeline.mirror_answer` reads what this returns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer import devices
from pipeline.trainer.model import build_model, build_optimizer


def mirror(
    _folder: Path, *, replicas: int, features: int, output_units: int, optimizer: str, seed: int
) -> dict[str, Any]:
    """Build inside and outside the scope; returns the copies and the bytes of each device."""
    strategy = devices.prepare(replicas).strategy
    with strategy.scope():
        inside = build_model(features, output_units, seed)
        rule = build_optimizer(optimizer, 0.001)
        rule.build(inside.trainable_variables)
    outside = build_model(features, output_units, seed)
    first, plain = (model.trainable_variables[0].value for model in (inside, outside))
    copies = [copy.numpy() for copy in strategy.experimental_local_results(first)]
    gradients, activations = _one_row(outside)
    return {
        "inside": {
            "kind": type(first).__name__,
            "devices": [copy.device for copy in strategy.experimental_local_results(first)],
            "matrices": _distinct(copies),
        },
        "outside": {
            "kind": type(plain).__name__,
            "devices": [plain.device],
            "matrices": _distinct([plain.numpy()]),
        },
        "bytes": {
            "weights": _bytes_by_device(strategy, inside.trainable_variables),
            "optimizer": _bytes_by_device(strategy, rule.variables),
            "gradients": gradients,
            "activations_per_row": activations,
        },
        "versions": {"tensorflow": tf.__version__, "keras": keras.__version__},
    }


def _distinct(copies: list[np.ndarray]) -> list[dict[str, Any]]:
    """Each matrix once, with the copies that hold it bit for bit; values to four decimals."""
    found: dict[bytes, list[int]] = {}
    for number, copy in enumerate(copies):
        found.setdefault(copy.tobytes(), []).append(number)
    return [
        {
            "copies": held,
            "values": [[round(float(v), 4) for v in row] for row in copies[held[0]]],
        }
        for held in found.values()
    ]


def _bytes_by_device(strategy: tf.distribute.Strategy, variables: list[Any]) -> list[int]:
    """Bytes that the copies on each device take, in replica order."""
    copies = [strategy.experimental_local_results(variable.value) for variable in variables]
    return [sum(copy.numpy().nbytes for copy in on_one) for on_one in zip(*copies, strict=True)]


def _one_row(model: keras.Sequential) -> tuple[int, int]:
    """Bytes of one gradient of all weights, and of one row as it passes through the layers."""
    values = tf.zeros((1, model.input_shape[-1]))
    passed = [values]
    with tf.GradientTape() as tape:
        for layer in model.layers:
            values = layer(values)
            passed.append(values)
        loss = tf.reduce_sum(values)
    gradients = tape.gradient(loss, [v.value for v in model.trainable_variables])
    return tuple(sum(t.numpy().nbytes for t in tensors) for tensors in (gradients, passed))
