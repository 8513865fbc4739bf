"""One kept step of a run, opened: tensors by name, the update, fingerprints, one row's own part.

    step = inspect_step.open_step(run, 9)
    step.names[0]            # "dense 1, kernel"
    step.own[1][0]           # R1's gradient of it, as TensorFlow had it
    step.update(0)[0]        # after - before, of copy 0
    step.traced(0)           # R0's rows through the network and back, in NumPy

Plain reading and NumPy: nothing is trained, drawn or worded here.
"""

from __future__ import annotations

import functools
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline import backward, step_records
from pipeline.backward import Traced, Wide
from pipeline.config import RunConfig
from pipeline.run_view import RunView
from pipeline.step_records import Floats, StepRecord


@dataclass(frozen=True)
class Inspected:
    """A kept step with what belongs to it: its run's settings, scaled rows and labels.

    `features`: all training rows, scaled, (rows, columns) float32. `labels`: (rows,).
    """

    record: StepRecord
    config: RunConfig
    features: Floats
    labels: NDArray[np.int32]

    @property
    def replicas(self) -> int:
        """How many replicas took the step."""
        return len(self.record.rows)

    @property
    def combined(self) -> bool:
        """Whether the run sums its gradients in every step."""
        return bool(self.record.sums)

    @property
    def own(self) -> list[list[Floats]]:
        """Each replica's own gradient, tensor by tensor."""
        return self.record.own

    @property
    def sizes(self) -> list[int]:
        """How many rows each replica had."""
        return [len(rows) for rows in self.record.rows]

    @property
    def names(self) -> list[str]:
        """The tensors' names, in the order of the record's lists."""
        return tensor_names(len(self.record.before))

    def update(self, replica: int) -> list[Wide]:
        """What the step added to the weights of one copy: after - before, tensor by tensor.

        A run that does not sum keeps only copy 0's weights before the step.
        """
        pairs = zip(self.record.after[replica], self.record.before, strict=True)
        with np.errstate(invalid="ignore"):
            return [after.astype(np.float64) - before for after, before in pairs]

    @cached_property
    def fingerprints(self) -> list[str]:
        """One fingerprint for each copy after the step; see `fingerprint`."""
        return [fingerprint(copy) for copy in self.record.after]

    def owner(self, row: int) -> int | None:
        """The replica that had training row `row` in this step; None when nobody had it."""
        return next((r for r, rows in enumerate(self.record.rows) if row in rows), None)

    def divisor(self, replica: int) -> int:
        """What the run divides a replica's summed losses by: the step's rows, or only its own."""
        return sum(self.sizes) if self.combined else max(1, self.sizes[replica])

    def traced(self, replica: int) -> Traced:
        """One replica's rows through the network and back, from the weights before the step.

        Raises ValueError for a copy whose weights were not kept: only copy 0's are, when the run
        does not sum its gradients.
        """
        if replica and not self.combined:
            raise ValueError(f"the weights of copy {replica} before the step were not kept")
        return self._traced[replica]

    @cached_property
    def whole_batch(self) -> list[Wide]:
        """The gradient that one device gets from all rows of the step: their mean loss."""
        rows = np.concatenate(self.record.rows)
        traced = backward.trace(self.record.before, self.features[rows], self.labels[rows])
        return traced.gradient(max(1, len(rows)))

    @cached_property
    def _traced(self) -> list[Traced]:
        return [
            backward.trace(self.record.before, self.features[rows], self.labels[rows])
            for rows in self.record.rows
        ]


def open_step(run: RunView, step: int) -> Inspected:
    """Open a kept step. Raises OSError or ValueError when it is missing or damaged."""
    return Inspected(run.record(step), run.config, run.scaled, run.data.y_train)


@functools.cache
def tensor_names(count: int) -> list[str]:
    """`dense 1, kernel`, `dense 1, bias`, ... for so many tensors; the last layer is `output`."""
    layers = [*(f"dense {n}" for n in range(1, count // 2)), "output"]
    return [f"{layer}, {kind}" for layer in layers for kind in ("kernel", "bias")]


def fingerprint(tensors: Sequence[Floats]) -> str:
    """The first 8 hexadecimal digits of the SHA-256 of all tensors' bytes, one after the other."""
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(np.ascontiguousarray(tensor).tobytes())
    return found.hexdigest()[:8]


def steps_with(run: RunView, row: int) -> list[int]:
    """The kept steps that used training row `row`: only the kept files are looked into."""
    return [step for step in run.kept if any(row in part for part in _dealt(run.folder, step))]


def uneven_steps(run: RunView) -> list[int]:
    """The kept steps in which the replicas had different numbers of rows."""
    return [step for step in run.kept if len(set(map(len, _dealt(run.folder, step)))) > 1]


def as_file(step: Inspected) -> bytes:
    """The step's full tensors as an `.npz` file, named to be read: `gradient/R0/dense 1, kernel`.

    Besides `gradient`, `sum`, `before`, `after` and `update`: `rows/R0`, ... and `step`.
    """
    record, arrays = step.record, {"step": np.array(step.record.step)}

    def add(head: str, tensors: Sequence[NDArray[np.generic]]) -> None:
        for name, tensor in zip(step.names, tensors, strict=True):
            arrays[f"{head}/{name}"] = tensor

    add("before", record.before)
    if step.combined:
        add("sum", record.all_reduced)
    for replica in range(step.replicas):
        arrays[f"rows/R{replica}"] = record.rows[replica]
        add(f"gradient/R{replica}", record.own[replica])
        add(f"after/R{replica}", record.after[replica])
        if step.combined or replica == 0:
            add(f"update/R{replica}", step.update(replica))
    written = io.BytesIO()
    np.savez(written, **arrays)  # type: ignore[arg-type]
    return written.getvalue()


@functools.lru_cache(maxsize=64)
def _dealt(folder: Path, step: int) -> list[NDArray[np.int64]]:
    """Each replica's row numbers, none where the step cannot be read.

    A kept step never changes, so it is read once.
    """
    try:
        return step_records.rows_of(step_records.record_path(folder, step))
    except (OSError, ValueError):
        return []
