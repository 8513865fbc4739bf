"""What is kept of chosen steps in full: one `.npz` for each, beside the run's log.

Written by the trainer, read by the inspector and the pages. `forward` runs the model's
network on kept weights with plain NumPy, so any row's prediction at a kept step is at hand without
TensorFlow. Which steps are kept: `chosen_steps`.
"""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.damaged import Damaged

Floats = NDArray[np.float32]
FOLDER = "steps"
FIRST = 10
THINNED = 20


@dataclass(frozen=True)
class StepRecord:
    """One step in full. Tensors are lists in the order kernel, bias, kernel, bias, ...

    `before`: the weights the step started from (all copies are equal under the all-reduce).
    `optimizer`: the optimizer's own variables before the step. `own[r]`: replica r's gradient.
    `sums[r]`: their sum as replica r got it (empty when the run does not all-reduce).
    `after[r]`: copy r's weights after the update. `rows[r]`: row numbers replica r had.
    """

    step: int
    before: list[Floats]
    optimizer: list[NDArray[np.generic]]
    own: list[list[Floats]]
    sums: list[list[Floats]]
    after: list[list[Floats]]
    rows: list[NDArray[np.int64]]

    @property
    def all_reduced(self) -> list[Floats]:
        """The sum as replica 0 got it; empty when the run does not all-reduce."""
        return self.sums[0] if self.sums else []

    def save(self, run_folder: Path) -> Path:
        """Write the record under the run's folder; returns its path."""
        path = record_path(run_folder, self.step)
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, NDArray[np.generic]] = {"step": np.array(self.step)}
        for name in ("before", "optimizer", "rows"):
            for index, array in enumerate(getattr(self, name)):
                arrays[f"{name}/{index}"] = array
        for name in ("own", "sums", "after"):
            # Copies that agree bit for bit are stored once.
            lists: list[list[Floats]] = getattr(self, name)
            for replica, tensors in enumerate(lists):
                if replica and all(map(_same_bits, tensors, lists[0])):
                    continue
                for index, array in enumerate(tensors):
                    arrays[f"{name}/{replica}/{index}"] = array
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        partial.rename(path)
        return path

    @classmethod
    def load(cls, path: Path) -> StepRecord:
        """Read a record back. Raises OSError when it is missing and Damaged when it is damaged."""
        with _damage_named(path):
            return cls._load(path)

    @classmethod
    def _load(cls, path: Path) -> StepRecord:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            names = set(file.files)

            def tensors(prefix: str) -> list[NDArray[np.generic]]:
                found: list[NDArray[np.generic]] = []
                while f"{prefix}/{len(found)}" in names:
                    found.append(file[f"{prefix}/{len(found)}"])
                return found

            rows = tensors("rows")
            replicas = range(len(rows))
            own = [tensors(f"own/{replica}") for replica in replicas]
            sums = [tensors(f"sums/{replica}") for replica in replicas]
            after = [tensors(f"after/{replica}") for replica in replicas]
            return cls(
                step=int(file["step"]),
                before=tensors("before"),  # type: ignore[arg-type]
                optimizer=tensors("optimizer"),
                own=[part or own[0] for part in own],  # type: ignore[misc]
                sums=[part or sums[0] for part in sums if part or sums[0]],  # type: ignore[misc]
                after=[part or after[0] for part in after],  # type: ignore[misc]
                rows=rows,  # type: ignore[arg-type]
            )


def record_path(run_folder: Path, step: int) -> Path:
    """Where the record of `step` lies."""
    return run_folder / FOLDER / f"step-{step:06d}.npz"


def recorded_steps(run_folder: Path) -> list[int]:
    """The steps of a run that are kept in full, in order."""
    return sorted(int(path.stem.split("-")[1]) for path in run_folder.glob(f"{FOLDER}/step-*.npz"))


def rows_of(path: Path) -> list[NDArray[np.int64]]:
    """Only the row numbers of a record, one array for each replica. Raises as `load`."""
    with (
        _damage_named(path),
        path.open("rb") as opened,
        np.load(opened, allow_pickle=False) as file,
    ):
        count = sum(name.startswith("rows/") for name in file.files)
        return [file[f"rows/{replica}"] for replica in range(count)]


@contextlib.contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except (zipfile.BadZipFile, EOFError, LookupError, ValueError) as error:
        raise Damaged(f"{path.name} is damaged: {error}") from None


def chosen_steps(total: int, steps_per_epoch: int, also: Iterable[int] = ()) -> list[int]:
    """Which of `total` steps to keep: the first ten, then thinning out, always the last.

    `also` adds steps of special interest (where your row is used). The number kept does not
    grow with the length of the run: at most 10 + 20 + 1 and those of `also`.
    """
    steps = set(range(1, min(total, FIRST) + 1)) | {total}
    if total > FIRST:
        steps |= {int(step) for step in np.geomspace(FIRST, total, THINNED).round()}
    steps |= {step for step in also if 1 <= step <= total}
    return sorted(steps)


def forward(weights: list[Floats], rows: Floats) -> Floats:
    """Logits of `rows` (n, features) for weights [kernel, bias, ...]: (n, output units) float32."""
    values = rows
    for kernel, bias in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        values = np.maximum(values @ kernel + bias, 0)
    return np.asarray(values @ weights[-2] + weights[-1], dtype=np.float32)


def probabilities(logits: Floats) -> Floats:
    """Class probabilities (n, classes): a sigmoid for one logit, else a softmax; float32."""
    wide = logits.astype(np.float64)
    if wide.shape[1] == 1:
        wide = np.concatenate([np.zeros_like(wide), wide], axis=1)
    shifted = np.exp(wide - wide.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), dtype=np.float32)


def _same_bits(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return one.tobytes() == other.tobytes()
