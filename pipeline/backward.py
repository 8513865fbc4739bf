"""The gradient of the model's loss, row by row, in NumPy: what a kept step can be checked against.

    traced = backward.trace(weights, rows, labels)
    traced.gradient(divisor=256)     # of all these rows
    traced.of([3]).gradient(256)     # the part of one of them
    traced.sizes(256)                # how large each row's part is

Written from the chain rule, without TensorFlow, in float64 (float32 weights and rows come in).
The network is that of `step_records.forward`: dense layers with relu between them, and as loss
the cross-entropy of a sigmoid (one logit) or a softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.step_records import Floats

Wide = NDArray[np.float64]


@dataclass(frozen=True)
class Traced:
    """Rows that went through the network and back. One entry for each dense layer.

    `inputs[l]`: what layer l was given, shape (n, units before it). `errors[l]`: the derivative of
    each row's own loss by layer l's output before its activation, shape (n, its units).
    """

    inputs: list[Wide]
    errors: list[Wide]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.errors[0])

    def of(self, places: Sequence[int] | NDArray[np.intp] | slice) -> Traced:
        """Only the rows at these places."""
        return Traced([one[places] for one in self.inputs], [one[places] for one in self.errors])

    def gradient(self, divisor: float) -> list[Wide]:
        """Gradient of the summed losses / `divisor`, as [kernel, bias, kernel, bias, ...].

        No rows give zeros, as TensorFlow gives a replica without rows.
        """
        found: list[Wide] = []
        with np.errstate(all="ignore"):  # a run that has burst holds inf and NaN
            for given, error in zip(self.inputs, self.errors, strict=True):
                found += [given.T @ error / divisor, error.sum(axis=0) / divisor]
        return found

    def sizes(self, divisor: float) -> Wide:
        """The L2 norm of each row's own part of the gradient, shape (n,).

        A row's part of a kernel is an outer product, so its norm needs no gradient of that row
        (Goodfellow 2015, "Efficient per-example gradient computations", arXiv:1510.01799).
        """
        squares = np.zeros(self.rows)
        with np.errstate(all="ignore"):
            for given, error in zip(self.inputs, self.errors, strict=True):
                squares += (np.square(given).sum(axis=1) + 1) * np.square(error).sum(axis=1)
            return np.asarray(np.sqrt(squares) / divisor)


def trace(weights: Sequence[Floats], rows: Floats, labels: NDArray[np.integer]) -> Traced:
    """Send `rows` (n, features) with `labels` (n,) forward and back.

    `weights` are [kernel, bias, kernel, bias, ...]. Raises ValueError when there are not as many
    labels as rows.
    """
    if len(rows) != len(labels):
        raise ValueError(f"{len(rows)} rows and {len(labels)} labels: one label a row is needed")
    kernels = [kernel.astype(np.float64) for kernel in weights[::2]]
    biases = [bias.astype(np.float64) for bias in weights[1::2]]
    inputs = [rows.astype(np.float64)]
    with np.errstate(all="ignore"):
        for kernel, bias in zip(kernels[:-1], biases[:-1], strict=True):
            inputs.append(np.maximum(inputs[-1] @ kernel + bias, 0))
        errors = [_output_error(inputs[-1] @ kernels[-1] + biases[-1], labels)]
        for kernel, given in zip(reversed(kernels[1:]), reversed(inputs[1:]), strict=True):
            errors.insert(0, (errors[0] @ kernel.T) * (given > 0))
    return Traced(inputs, errors)


def _output_error(logits: Wide, labels: NDArray[np.integer]) -> Wide:
    """The derivative of each row's cross-entropy by its logits: guess minus truth."""
    if logits.shape[1] == 1:
        return np.asarray(1 / (1 + np.exp(-logits)) - labels[:, None])
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    guess = powers / powers.sum(axis=1, keepdims=True)
    guess[np.arange(len(labels)), labels] -= 1
    return np.asarray(guess)
