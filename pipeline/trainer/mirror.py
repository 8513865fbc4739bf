"""What a device holds: the same model built inside and outside the strategy's scope.

Observes where each copy of the first weight matrix lives, what it holds, and how many bytes each
device needs for weights, gradients, optimizer state and activations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from pipeline import shapes
from pipeline.trainer import devices
from pipeline.trainer.model import build_model, build_optimizer


def mirror(
    _folder: Path, *, replicas: int, features: int, output_units: int, optimizer: str, seed: int
) -> dict[str, Any]:
    """Build inside and outside the scope; returns the copies and the bytes of each device."""
    chosen = devices.prepare(replicas)
    with chosen.strategy.scope():
        inside = build_model(features, output_units, seed)
        rule = build_optimizer(optimizer, 0.001)
        rule.build(inside.trainable_variables)
    outside = build_model(features, output_units, seed)
    first = inside.trainable_variables[0]
    copies = chosen.strategy.experimental_local_results(first.value)
    return {
        "inside": [_copy(copy) for copy in copies],
        "outside": [_copy(outside.trainable_variables[0].value)],
        "inside_kind": type(first.value).__name__,
        "outside_kind": type(outside.trainable_variables[0].value).__name__,
        "bytes": {
            "weights": _bytes_on_first(chosen.strategy, inside.trainable_variables),
            "optimizer": _bytes_on_first(chosen.strategy, rule.variables),
            "activations_per_row": sum(
                4 * units for units in (features, *shapes.HIDDEN, output_units)
            ),
        },
        "equal": all(np.array_equal(copy.numpy(), copies[0].numpy()) for copy in copies),
    }


def _copy(variable: tf.Variable) -> dict[str, Any]:
    return {"device": variable.device, "values": np.asarray(variable.numpy()).round(4).tolist()}


def _bytes_on_first(strategy: tf.distribute.Strategy, variables: list[Any]) -> int:
    """Bytes that the copies on the first device take."""
    copies = [strategy.experimental_local_results(v.value)[0] for v in variables]
    return int(sum(copy.numpy().nbytes for copy in copies))
