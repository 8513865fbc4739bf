"""One kept step, also done wrong: three programs with a mistake, and what the checks say of each.

Starts from the same weights, rows and optimizer state as the run did, so that whatever differs
comes from the mistake. The right way is read from the record, as TensorFlow had it; the wrong ones
are worked out in NumPy with the run's own rule (`update`). A check holds within `TOLERANCE`, as in
`pipeline.trainer.checks`. Only for runs that sum their gradients in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.backward import Wide
from pipeline.events import TOLERANCE, Check
from pipeline.inspect_step import Inspected, fingerprint
from pipeline.step_records import Floats

CHECKS = ("sum_equals_all_reduced", "equals_single_device", "replicas_identical")
"""The three proofs, by the names that a run's last event gives them."""
RIGHT = "right"
NO_ALL_REDUCE = "no_all_reduce"
DIVIDED_TWICE = "divided_twice"
OWN_MEAN = "own_mean"
DEALT_UNEVENLY = "dealt_unevenly"
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7
"""Keras's defaults of Adam."""


@dataclass(frozen=True)
class Way:
    """One way to do the step.

    `sizes`: rows of each replica. `after[r]`: copy r's weights after it. `update_off`: how far the
    copies' updates are from the right one, as a share of its length (0: the same; the worst copy).
    """

    name: str
    sizes: list[int]
    after: list[list[Floats]]
    checks: dict[str, Check]
    update_off: float

    @property
    def fingerprints(self) -> list[str]:
        """One for each copy; equal copies have equal ones."""
        return [fingerprint(copy) for copy in self.after]

    @property
    def caught(self) -> list[str]:
        """The checks that fail."""
        return [name for name in CHECKS if not self.checks[name].ok]


def ways(step: Inspected) -> list[Way]:
    """The step as the run did it, then each wrong way. Raises ValueError without an all-reduce.

    - `no_all_reduce`: each copy is updated with its own gradient.
    - `divided_twice`: the loss is divided by the global batch and by the replicas once more.
    - `own_mean`: each replica takes the mean over its own rows, and the means are averaged.
    - `dealt_unevenly`: the same mistake, had the rows been dealt unevenly; only where the run's
      split was even, so that the mistake made no difference.
    """
    if not step.combined:
        raise ValueError("a run that never sums its gradients has no right way to compare with")
    replicas = step.replicas
    own = [[part.astype(np.float64) for part in parts] for parts in step.own]
    halved = [[part / replicas for part in parts] for parts in own]
    found = [
        _way(RIGHT, step, step.sizes, own, step.record.sums, step.record.after),
        _way(NO_ALL_REDUCE, step, step.sizes, own, own),
        _way(DIVIDED_TWICE, step, step.sizes, halved, [_sum(halved)] * replicas),
        _own_mean(OWN_MEAN, step, step.sizes, own),
    ]
    if DEALT_UNEVENLY in should_fail(step):
        found.append(_dealt_unevenly(step))
    return found


def should_fail(step: Inspected) -> list[str]:
    """The wrong ways that change anything in this step, so that a check ought to notice.

    Not with one replica, where there is nothing to combine; and means of one's own rows are right
    when all replicas had as many.
    """
    if step.replicas == 1:
        return []
    even = len(set(step.sizes)) == 1
    mean = ([DEALT_UNEVENLY] if step.sizes[0] > 1 else []) if even else [OWN_MEAN]
    return [NO_ALL_REDUCE, DIVIDED_TWICE, *mean]


def update(
    optimizer: str,
    state: Sequence[NDArray[np.generic]],
    before: Sequence[Floats],
    gradient: Sequence[NDArray[np.floating]],
) -> list[Floats]:
    """The weights after one update, float32, by Keras's SGD or Adam.

    `state`: the optimizer's variables before the step as Keras orders them: steps taken so far,
    learning rate, then for Adam momentum and velocity of each tensor in turn. Adam: Kingma and Ba
    2015 (arXiv:1412.6980), with the bias correction in the rate as in their section 2.
    """
    rate = float(state[1])
    with np.errstate(all="ignore"):
        if optimizer == "sgd":
            return [_single(w - rate * g) for w, g in zip(before, gradient, strict=True)]
        steps = int(state[0]) + 1
        rate *= np.sqrt(1 - BETA_2**steps) / (1 - BETA_1**steps)
        found = []
        pairs = zip(state[2::2], state[3::2], strict=True)
        for weight, slope, (old_mean, old_square) in zip(before, gradient, pairs, strict=True):
            mean = BETA_1 * np.asarray(old_mean, np.float64) + (1 - BETA_1) * slope
            square = BETA_2 * np.asarray(old_square, np.float64) + (1 - BETA_2) * slope**2
            found.append(_single(weight - rate * mean / (np.sqrt(square) + EPSILON)))
        return found


def _own_mean(name: str, step: Inspected, sizes: Sequence[int], own: list[list[Wide]]) -> Way:
    """`own` are gradients over all rows of the step; each replica divides by its own instead."""
    total, replicas = sum(sizes), len(sizes)
    means = [
        [part * total / (max(1, size) * replicas) for part in parts]
        for size, parts in zip(sizes, own, strict=True)
    ]
    return _way(name, step, sizes, means, [_sum(means)] * replicas)


def _dealt_unevenly(step: Inspected) -> Way:
    """The same rows, half of the last replica's given to the first."""
    size, replicas = step.sizes[0], step.replicas
    moved = size // 2
    last = step.traced(replicas - 1)
    parts = [step.traced(replica) for replica in range(replicas)]
    total = sum(step.sizes)
    given = last.of(slice(0, moved)).gradient(total)
    own = [part.gradient(total) for part in parts]
    own[0] = [mine + more for mine, more in zip(own[0], given, strict=True)]
    own[-1] = last.of(slice(moved, None)).gradient(total)
    sizes = [size + moved, *step.sizes[1:-1], size - moved]
    return _own_mean(DEALT_UNEVENLY, step, sizes, own)


def _way(
    name: str,
    step: Inspected,
    sizes: Sequence[int],
    own: Sequence[Sequence[NDArray[np.floating]]],
    used: Sequence[Sequence[NDArray[np.floating]]],
    after: list[list[Floats]] | None = None,
) -> Way:
    """Measure one way: `own[r]` is what replica r brings, `used[r]` what its copy is moved by."""
    record = step.record
    if after is None:
        after = [
            update(step.config.optimizer, record.optimizer, record.before, gradient)
            for gradient in used
        ]
    scale = max(1.0, *(float(np.abs(part).max()) for part in used[0]))
    apart = {
        "sum_equals_all_reduced": max(_apart(gradient, _sum(own)) for gradient in used),
        "equals_single_device": max(_apart(gradient, step.whole_batch) for gradient in used),
    }
    checks = {
        check: Check(ok=difference <= TOLERANCE * scale, max_abs_diff=difference)
        for check, difference in apart.items()
    }
    checks["replicas_identical"] = Check(
        ok=len({fingerprint(copy) for copy in after}) == 1,
        max_abs_diff=max(_apart(copy, after[0]) for copy in after),
    )
    right = _flat(record.after[0])
    with np.errstate(all="ignore"):
        off = max(float(np.linalg.norm(_flat(copy) - right)) for copy in after)
        length = float(np.linalg.norm(right - _flat(record.before)))
    return Way(name, list(sizes), after, checks, off / length if length else float(off > 0))


def _sum(parts: Sequence[Sequence[NDArray[np.floating]]]) -> list[Wide]:
    with np.errstate(all="ignore"):
        return [
            np.asarray(np.sum(same, axis=0, dtype=np.float64)) for same in zip(*parts, strict=True)
        ]


def _apart(some: Sequence[NDArray[np.floating]], others: Sequence[NDArray[np.floating]]) -> float:
    """The largest absolute difference; NaN where there is one, and NaN passes no check."""
    with np.errstate(all="ignore"):
        return float(
            np.max(
                [np.abs(a - b.astype(np.float64)).max() for a, b in zip(some, others, strict=True)]
            )
        )


def _flat(tensors: Sequence[Floats]) -> Wide:
    return np.concatenate([tensor.ravel() for tensor in tensors]).astype(np.float64)


def _single(values: NDArray[np.floating]) -> Floats:
    return np.asarray(values, dtype=np.float32)
