"""Stage 2: min-max scaling to 0-1, fitted on the training rows only.

    scale = fit(data.x_train)
    x_train, x_validation = scale.apply(data.x_train), scale.apply(data.x_validation)

The validation rows take no part in the fit, so their scaled values may lie below 0 or
above 1: that is what the model would meet in use, and it is not clipped away. This module
does not read files, check for missing values or know about replicas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class MinMax:
    """The lowest and highest training value of each of f columns, float32 of shape (f,)."""

    low: Float32Array
    high: Float32Array

    @property
    def constant(self) -> NDArray[np.bool_]:
        """True for each column with one single training value, shape (f,)."""
        return np.equal(self.low, self.high)

    def apply(self, x: Float32Array) -> Float32Array:
        """Scale ``x`` of shape (n, f) or (f,) to float32 of the same shape.

        The training range becomes 0..1 and values outside it follow the same line: 11 where
        training had 0..10 becomes 1.1. A constant column becomes 0.0. The arithmetic is done
        in float64, so the width of a column cannot overflow; a scaled value too large for
        float32 becomes the largest float32, never infinite.

        Raises ValueError when the last axis of ``x`` is not f.
        """
        if x.ndim not in (1, 2) or x.shape[-1] != self.low.size:
            raise ValueError(
                f"x has shape {x.shape}; this scaling was fitted on {self.low.size} columns, "
                f"so pass rows of {self.low.size} values"
            )
        low = self.low.astype(np.float64)
        width = self.high.astype(np.float64) - low
        scaled = (x.astype(np.float64) - low) / np.where(self.constant, 1.0, width)
        scaled = np.where(self.constant, 0.0, scaled)
        return np.clip(scaled, -_LARGEST, _LARGEST).astype(np.float32)


def fit(x_train: Float32Array) -> MinMax:
    """Find the range of each column of ``x_train``, float32 of shape (n, f) with n >= 1.

    Raises ValueError for any other shape.
    """
    if x_train.ndim != 2 or len(x_train) == 0:
        raise ValueError(
            f"x_train has shape {x_train.shape}; pass a table of at least one row, (rows, columns)"
        )
    low, high = x_train.min(axis=0), x_train.max(axis=0)
    return MinMax(low.astype(np.float32), high.astype(np.float32))
