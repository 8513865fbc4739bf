"""Stage 1: the data a run trains on, from synthetic rows, two shipped files or a learner's CSV.

    data = load("digits")
    data.x_train.shape, data.classes, data.notes

A ``DataSet`` holds raw values (scaling is ``preprocess``), is already divided into training
and validation rows, and cannot be written to, so one copy may serve every session. The data
never depend on the seed of a run, which governs start weights and order alone.
``csv_data`` turns an uploaded file into the same shape. This module draws nothing and trains
nothing.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Float32Array = NDArray[np.float32]
Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

BUILT_IN = {
    "synthetic": "Synthetic, 20 columns",
    "digits": "Handwritten digits, 8 x 8 pixels",
    "breast-cancer": "Breast cancer (Wisconsin), 30 measurements",
}

HELD_OUT = 0.2
HOLD_OUT_SEED = 2026
HOLD_OUT_NEEDS_ROWS = 10

SYNTHETIC_SEED = 20
SYNTHETIC_TRAINING_ROWS = 10_000
SYNTHETIC_VALIDATION_ROWS = 2_000
SYNTHETIC_COLUMNS = 20
SYNTHETIC_NOISE = 0.6

_DATA = Path(__file__).parent / "data"


class DataError(ValueError):
    """Data that cannot be used, with everything wrong said at once.

    ``problems`` has one sentence each: the place, the value received, the remedy. ``offers``
    names the leave-outs ("rows", "columns") that together would make the file readable;
    it is empty when no leave-out would. ``str()`` begins with the file's name, where there
    is a file.
    """

    def __init__(
        self, problems: Sequence[str], offers: frozenset[str] = frozenset(), name: str = ""
    ) -> None:
        super().__init__(tuple(problems), offers, name)
        self.problems = tuple(problems)
        self.offers = offers
        self.name = name

    def __str__(self) -> str:
        text = " ".join(self.problems)
        return f"{self.name}: {text}" if self.name else text


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows to learn from and rows to check with; every array is read-only.

    name           "synthetic", "digits", "breast-cancer" or the file name of a CSV
    title, about   for people; ``about`` says what a row and the label are, and the source
    features       f column names
    classes        k class names in the order of the label numbers; 2 means binary
    table_shape    (rows, feature columns) as read, before rows are held out; for the
                   synthetic set its 10,000 training rows x 20
    x_train        float32 (n, f), raw values; y_train int32 (n,), 0..k-1
    x_validation   float32 (v, f); y_validation int32 (v,); v may be 0
    train_rows     int64 (n,), the row of the source table (from 0) of each training row
    notes          sentences the learner should see
    """

    name: str
    title: str
    about: str
    features: tuple[str, ...]
    classes: tuple[str, ...]
    table_shape: tuple[int, int]
    x_train: Float32Array
    y_train: Int32Array
    x_validation: Float32Array
    y_validation: Int32Array
    train_rows: Int64Array
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("x_train", "y_train", "x_validation", "y_validation", "train_rows"):
            view = getattr(self, field).view()
            view.flags.writeable = False
            object.__setattr__(self, field, view)

    @property
    def output_units(self) -> int:
        """Units of the last layer: 1 for two classes, else one for each class."""
        return 1 if len(self.classes) == 2 else len(self.classes)


def hold_out(labels: Int32Array, fraction: float, seed: int) -> tuple[Int64Array, Int64Array]:
    """Choose validation rows, in each class about the same share.

    ``labels`` has shape (n,). Returns (training, validation) row indices, int64, each
    ascending and together every row once. ``round(n * fraction)`` rows are held out, fewer
    only where a class would lose its last training row. Under 10 rows nothing is held out.
    The same arguments always give the same rows.
    """
    rows = len(labels)
    if rows < HOLD_OUT_NEEDS_ROWS:
        return np.arange(rows, dtype=np.int64), np.empty(0, dtype=np.int64)
    _, members, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    quota = sizes * fraction
    take = np.minimum(np.floor(quota).astype(np.int64), sizes - 1)
    wanting = round(rows * fraction) - int(take.sum())
    by_remainder = np.argsort(-(quota - np.floor(quota)), kind="stable")
    for label in by_remainder[take[by_remainder] < sizes[by_remainder] - 1][: max(wanting, 0)]:
        take[label] += 1
    random = np.random.default_rng(seed)
    chosen = np.zeros(rows, dtype=np.bool_)
    for label, count in enumerate(take):
        chosen[random.permutation(np.flatnonzero(members == label))[:count]] = True
    return np.flatnonzero(~chosen).astype(np.int64), np.flatnonzero(chosen).astype(np.int64)


def from_table(
    *,
    name: str,
    title: str,
    about: str,
    features: Sequence[str],
    classes: Sequence[str],
    x: Float32Array,
    y: Int32Array,
    source_rows: Int64Array | None = None,
    notes: Sequence[str] = (),
) -> DataSet:
    """Divide one table, float32 (n, f) with labels int32 (n,), into a ``DataSet``.

    A fifth of the rows is held out by ``hold_out``; training rows keep their order.
    ``source_rows`` gives the source row of each row when some were left out before.
    Notes are added for constant columns and when nothing is held out.
    """
    train, validation = hold_out(y, HELD_OUT, HOLD_OUT_SEED)
    source = np.arange(len(y), dtype=np.int64) if source_rows is None else source_rows
    told = [*notes, *_constant_notes(x[train], features)]
    if not len(validation):
        told.append(
            f"With {len(y)} rows, under {HOLD_OUT_NEEDS_ROWS}, every row is used for training "
            "and none is held out for validation."
        )
    return DataSet(
        name=name,
        title=title,
        about=about,
        features=tuple(features),
        classes=tuple(classes),
        table_shape=(x.shape[0], x.shape[1]),
        x_train=x[train],
        y_train=y[train],
        x_validation=x[validation],
        y_validation=y[validation],
        train_rows=source[train],
        notes=tuple(told),
    )


@lru_cache
def load(name: str) -> DataSet:
    """Return a built-in data set by its name in ``BUILT_IN``; the same object each time.

    Raises DataError for another name, with the nearest one.
    """
    if name == "synthetic":
        return _synthetic()
    if name == "digits":
        return _digits()
    if name == "breast-cancer":
        return _breast_cancer()
    near = difflib.get_close_matches(name.lower(), BUILT_IN, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise DataError(
        [f"There is no data set called {name!r}. {hint}Choose one of {', '.join(BUILT_IN)}."]
    )


def synthetic_score(x: Float32Array) -> NDArray[np.float64]:
    """The rule behind the synthetic labels, before noise: (n, 20) values 0..10 to (n,) scores.

    With each value centred, c = (x - 5) / 5:  c1 + c2 + c3 - c4 - c5 - c6 + 1.5 c7 c8.
    The label is 1 where score plus normal noise (standard deviation 0.6) is above 0.
    Columns 9 to 20 say nothing about it.
    """
    c = (x.astype(np.float64) - 5) / 5
    linear: NDArray[np.float64] = c[:, 0:3].sum(axis=1) - c[:, 3:6].sum(axis=1)
    return linear + 1.5 * c[:, 6] * c[:, 7]


def _synthetic() -> DataSet:
    random = np.random.default_rng(SYNTHETIC_SEED)
    rows = SYNTHETIC_TRAINING_ROWS + SYNTHETIC_VALIDATION_ROWS
    x = random.uniform(0, 10, (rows, SYNTHETIC_COLUMNS)).round(2).astype(np.float32)
    noise = random.normal(0, SYNTHETIC_NOISE, rows)
    y = (synthetic_score(x) + noise > 0).astype(np.int32)
    train = slice(0, SYNTHETIC_TRAINING_ROWS)
    validation = slice(SYNTHETIC_TRAINING_ROWS, rows)
    return DataSet(
        name="synthetic",
        title=BUILT_IN["synthetic"],
        about=(
            "Made by a formula: 20 random numbers from 0 to 10 in each row, and label 1 where "
            "c1 + c2 + c3 − c4 − c5 − c6 + 1.5\u00a0×\u00a0c7\u00a0×\u00a0c8 plus random noise "
            "is above 0, with c = (x − 5) / 5; columns x9 to x20 say nothing about the label. "
            "The noise (standard deviation 0.6) flips about one label in nine, so no model can "
            "be right much more than 88% of the time."
        ),
        features=tuple(f"x{column}" for column in range(1, SYNTHETIC_COLUMNS + 1)),
        classes=("0", "1"),
        table_shape=(SYNTHETIC_TRAINING_ROWS, SYNTHETIC_COLUMNS),
        x_train=x[train],
        y_train=y[train],
        x_validation=x[validation],
        y_validation=y[validation],
        train_rows=np.arange(SYNTHETIC_TRAINING_ROWS, dtype=np.int64),
    )


def _digits() -> DataSet:
    features, x, labels = _shipped("digits.csv.gz")
    return from_table(
        name="digits",
        title=BUILT_IN["digits"],
        about=(
            "Each row is a handwritten digit as 8 x 8 pixels with ink values 0 to 16; the label "
            "is the digit, 0 to 9. Source: E. Alpaydin and C. Kaynak, Optical Recognition of "
            "Handwritten Digits (test part), UCI Machine Learning Repository, CC BY 4.0."
        ),
        features=features,
        classes=[str(digit) for digit in range(10)],
        x=x,
        y=np.array([int(label) for label in labels], dtype=np.int32),
    )


def _breast_cancer() -> DataSet:
    features, x, labels = _shipped("breast_cancer.csv.gz")
    classes = ("benign", "malignant")
    return from_table(
        name="breast-cancer",
        title=BUILT_IN["breast-cancer"],
        about=(
            "Each row is a tissue sample described by 30 measurements of its cell nuclei; the "
            "label says whether the tumour was benign (0) or malignant (1). Source: W. Wolberg, "
            "O. Mangasarian, N. Street and W. Street, Breast Cancer Wisconsin (Diagnostic), UCI "
            "Machine Learning Repository, CC BY 4.0."
        ),
        features=features,
        classes=classes,
        x=x,
        y=np.array([classes.index(label) for label in labels], dtype=np.int32),
    )


def _shipped(file: str) -> tuple[list[str], Float32Array, list[str]]:
    text = gzip.decompress((_DATA / file).read_bytes()).decode("ascii")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows], dtype=np.float32)
    return header[:-1], x, [row[-1] for row in rows]


def _constant_notes(x_train: Float32Array, features: Sequence[str]) -> list[str]:
    constant = np.flatnonzero((x_train == x_train[:1]).all(axis=0)).tolist()
    if not constant:
        return []
    named = ", ".join(f"{features[i]} ({x_train[0, i]:g})" for i in constant[:5])
    more = f" and {len(constant) - 5:,} more" if len(constant) > 5 else ""
    which = "Column" if len(constant) == 1 else "Columns"
    return [
        f"{which} {named}{more}: the value never changes in the training rows. "
        "Min-max scaling makes it 0.0, so nothing can be learned from it."
    ]
