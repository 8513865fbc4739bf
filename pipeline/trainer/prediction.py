"""`model.predict` under the strategy with the weights of a finished run, watched from inside.

A layer that changes nothing sits before and after each layer of the model and notes what passes,
on which replica. What was noted is put together again here and compared with what `predict`
returned; `pipeline.prediction` reads what is left behind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from pipeline.trainer import devices
from pipeline.trainer.model import build_model

Pieces = list[list[np.ndarray]]
"""For each replica, what it had in each call, in order; each (rows, units), float32."""


class Watch(keras.layers.Layer):
    """Lets values pass unchanged and notes them, by replica and in the order of the calls."""

    def __init__(self, replicas: int) -> None:
        super().__init__()
        self.supports_jit = False
        self.noted: Pieces = [[] for _ in range(replicas)]

    def call(self, values: tf.Tensor) -> tf.Tensor:
        """Note the values of this replica."""
        replica = tf.distribute.get_replica_context()
        if replica is not None:  # None while Keras builds the model, before there are rows
            tf.py_function(self._note, [replica.replica_id_in_sync_group, values], [])
        return values

    def _note(self, replica: tf.Tensor, values: tf.Tensor) -> None:
        self.noted[int(replica)].append(values.numpy())


def predict(
    strategy: tf.distribute.Strategy, weights: list[np.ndarray], rows: np.ndarray, batch_size: int
) -> tuple[np.ndarray, list[Pieces]]:
    """Predict `rows` on the replicas; returns the result and what each layer had on the way."""
    with strategy.scope():  # so that every replica gets a copy of every layer
        layers = build_model(rows.shape[1], weights[-1].size, seed=0).layers
        watches = [Watch(strategy.num_replicas_in_sync) for _ in range(len(layers) + 1)]
        model = keras.Sequential([keras.Input(rows.shape[1:]), watches[0]])
        for layer, watch in zip(layers, watches[1:], strict=True):
            model.add(layer)
            model.add(watch)
    model.set_weights(weights)
    predicted = model.predict(rows, batch_size=batch_size, verbose=0)
    return predicted, [watch.noted for watch in watches]


def traced_prediction(
    folder: Path, replicas: int, weights: list[np.ndarray], rows: np.ndarray, batch_size: int
) -> dict[str, Any]:
    """Predict `rows` (n, features) on `replicas` devices and once more on one device alone.

    Leaves `activations.npz` in `folder`: `layer/0` the input, `layer/1` ... each layer's output,
    rows in the order they went in, and `predicted`, all float32. Returns what the replicas did:
    `calls[c][r]` is the list of shapes (input, then each layer) that replica r had in call c.
    Raises RuntimeError when the pieces the replicas had, put in order, are not the rows.
    """
    strategy = devices.prepare(replicas).strategy
    predicted, noted = predict(strategy, weights, rows, batch_size)
    layers = [_in_order(pieces) for pieces in noted]
    if layers[0].tobytes() != rows.tobytes():
        raise RuntimeError("the pieces that the replicas had, in order, are not the rows given")
    alone, _ = predict(tf.distribute.get_strategy(), weights, rows, batch_size)
    arrays = {f"layer/{index}": values for index, values in enumerate(layers)}
    arrays["predicted"] = predicted
    np.savez_compressed(folder / "activations.npz", **arrays)  # type: ignore[arg-type]
    return {
        "calls": [
            [[list(pieces[replica][call].shape) for pieces in noted] for replica in range(replicas)]
            for call in range(len(noted[0][0]))
        ],
        "gathered_max_abs_diff": _apart(predicted, layers[-1]),
        "one_device_max_abs_diff": _apart(predicted, alone),
        "versions": {"tensorflow": tf.__version__, "keras": keras.__version__},
    }


def _in_order(pieces: Pieces) -> np.ndarray:
    """What all replicas had: call by call, and in each call R0's piece first."""
    return np.concatenate([piece for call in zip(*pieces, strict=True) for piece in call])


def _apart(some: np.ndarray, others: np.ndarray) -> float:
    return float(np.abs(some.astype(np.float64) - others).max())
