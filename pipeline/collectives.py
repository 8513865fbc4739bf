"""How an all-reduce can be done, move by move: all to one and back, and in a ring.

Plain NumPy, one buffer for each device, so that every move can be watched. Nothing is really sent
here: the replicas of a run do their all-reduce in TensorFlow. What it would cost on devices with
links of their own is `ring_bytes` and `ring_seconds`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.step_records import Floats

VALUE_BYTES = 4
"""A float32."""


class Send(NamedTuple):
    """One chunk on its way from one device to another; all three count from 0."""

    sender: int
    receiver: int
    chunk: int


class Move(NamedTuple):
    """What happens at once. `adding`: receivers add what arrives to their own, else they keep it
    instead of their own."""

    adding: bool
    sends: tuple[Send, ...]


Plan = Callable[[int], list[Move]]
"""The moves of a method, for so many devices."""


def ring(devices: int) -> list[Move]:
    """2(n-1) moves in which every device sends one chunk to its neighbour.

    The reduce-scatter adds: after n-1 moves each device has one chunk of the sum. The all-gather
    hands those round in n-1 more. Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
    clusters of workstations", Journal of Parallel and Distributed Computing 69 (2009) 117-124.
    """
    moves = []
    for adding in (True, False):
        for turn in range(devices - 1):
            ahead = 0 if adding else 1
            sends = [
                Send(device, (device + 1) % devices, (device + ahead - turn) % devices)
                for device in range(devices)
            ]
            moves.append(Move(adding, tuple(sends)))
    return moves


def all_to_one(devices: int) -> list[Move]:
    """2(n-1) moves: device 0 takes every other gradient in turn, then sends the sum to each.

    One gradient at a time, since all of them pass through the one link of device 0.
    """
    others, chunks = range(1, devices), range(devices)
    return [
        *(Move(True, tuple(Send(other, 0, chunk) for chunk in chunks)) for other in others),
        *(Move(False, tuple(Send(0, other, chunk) for chunk in chunks)) for other in others),
    ]


@dataclass(frozen=True)
class AllReduce:
    """An all-reduce carried out: its moves, and what every device holds before and after each.

    `bounds` (n+1,): chunk c is values `bounds[c]` to `bounds[c + 1]`. `buffers` (moves+1, n,
    values) float32. `parts` (moves+1, n, n, n) bool: whose values are in a device's chunk, by
    [position, device, chunk, replica].
    """

    moves: list[Move]
    bounds: NDArray[np.int64]
    buffers: Floats
    parts: NDArray[np.bool_]

    @property
    def devices(self) -> int:
        """How many devices take part."""
        return int(self.buffers.shape[1])

    @property
    def result(self) -> Floats:
        """What each device holds in the end, shape (n, values)."""
        return np.asarray(self.buffers[-1])

    @cached_property
    def sent(self) -> NDArray[np.int64]:
        """Bytes each device has sent by each position, shape (moves+1, n)."""
        return bytes_sent(self.moves, np.diff(self.bounds), self.devices)

    @cached_property
    def whole(self) -> NDArray[np.bool_]:
        """Which chunks of which device hold the whole sum, by [position, device, chunk]."""
        return np.asarray(self.parts.all(axis=-1))

    def off_by(self, truth: Floats) -> NDArray[np.float64]:
        """The largest absolute difference from `truth` (values,) on any device, by position."""
        wide = truth.astype(np.float64)
        return np.array([np.abs(held - wide).max(initial=0.0) for held in self.buffers])


def carry_out(plan: Plan, own: Sequence[Floats]) -> AllReduce:
    """Carry a plan out on each device's own values, flat and of equal length, in float32.

    A length that does not divide evenly gives chunks that differ by one value; with fewer values
    than devices some are empty.
    """
    devices, size = len(own), len(own[0])
    bounds = chunk_bounds(size, devices)
    moves = plan(devices)
    buffers = np.empty((len(moves) + 1, devices, size), np.float32)
    parts = np.zeros((len(moves) + 1, devices, devices, devices), np.bool_)
    buffers[0] = own
    for device in range(devices):
        parts[0, device, :, device] = True
    for place, move in enumerate(moves):
        before, after = buffers[place], buffers[place + 1]
        after[:], parts[place + 1] = before, parts[place]
        for sender, receiver, chunk in move.sends:
            values = slice(bounds[chunk], bounds[chunk + 1])
            arrives, held = before[sender, values], parts[place, sender, chunk]
            if move.adding:
                after[receiver, values] += arrives
                parts[place + 1, receiver, chunk] |= held
            else:
                after[receiver, values] = arrives
                parts[place + 1, receiver, chunk] = held
    return AllReduce(moves, bounds, buffers, parts)


def chunk_bounds(size: int, devices: int) -> NDArray[np.int64]:
    """Where the chunks of `size` values begin and end, shape (n+1,); as even as can be."""
    small, more = divmod(size, devices)
    sizes = [small + (chunk < more) for chunk in range(devices)]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def bytes_sent(moves: Sequence[Move], sizes: NDArray[np.int64], devices: int) -> NDArray[np.int64]:
    """Bytes each device has sent by each position, shape (moves+1, n); `sizes` in values."""
    sent = np.zeros((len(moves) + 1, devices), np.int64)
    for place, move in enumerate(moves):
        sent[place + 1] = sent[place]
        for sender, _, chunk in move.sends:
            sent[place + 1, sender] += VALUE_BYTES * sizes[chunk]
    return sent


def busiest(plan: Plan, values: int, devices: int) -> int:
    """Bytes that the busiest device sends in an all-reduce of so many float32 values."""
    sizes = np.diff(chunk_bounds(values, devices))
    return int(bytes_sent(plan(devices), sizes, devices)[-1].max())


def ring_bytes(size: float, devices: int) -> float:
    """Bytes that each device of a ring sends for a tensor of `size` bytes: 2(n-1)/n of it.

    Exact when the tensor divides evenly. No method can do with less on its busiest device:
    Patarasuk and Yuan (2009), as cited in `ring`; NVIDIA/nccl-tests, doc/PERFORMANCE.md.
    """
    return 2 * (devices - 1) / devices * size


def ring_seconds(size: float, devices: int, bytes_per_second: float, latency: float) -> float:
    """Seconds of a ring all-reduce of `size` bytes: 2(n-1)/n size / bandwidth + 2(n-1) latency.

    `bytes_per_second` is what one device can send over its link, `latency` the seconds each of the
    2(n-1) moves takes on top. The first term is that of `ring_bytes`, the second counts the moves
    of `ring`, which wait for each other. Raises ValueError for no device or no bandwidth.
    """
    if devices < 1 or bytes_per_second <= 0:
        raise ValueError(
            f"a ring needs a device and a bandwidth above 0, not {devices} and {bytes_per_second}"
        )
    return ring_bytes(size, devices) / bytes_per_second + 2 * (devices - 1) * latency
