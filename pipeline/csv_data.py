"""A learner's CSV file -> a ``DataSet``, or every reason why not in one ``DataError``.

    data = read_csv(raw, "mine.csv")
    data = read_csv(raw, "mine.csv", CsvOptions(label="kind", leave_out=frozenset({"rows"})))

The label is the last column unless another is named; every other column must hold numbers.
Nothing is repaired in silence: rows with missing or infinite values and columns with words are
refused with an offer to leave them out, and whatever was decided on the way is in the notes.
The text itself is taken apart by ``csv_text``. No file is written or kept.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.csv_text import (
    NAMED,
    CsvLimits,
    TextTable,
    is_number,
    listed,
    read_text_table,
    shown,
)
from pipeline.datasets import DataError, DataSet, from_table

__all__ = ["CsvLimits", "CsvOptions", "DataError", "read_csv"]

Float64Array = NDArray[np.float64]

LEAVE_OUT = frozenset({"rows", "columns"})
_MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?"})
_INFINITE = frozenset({"inf", "infinity", "∞"})


@dataclass(frozen=True)
class CsvOptions:
    """What the learner decided about the file.

    label      the column taken as label; None is the last
    leave_out  offers accepted: "rows" leaves out rows with missing or infinite values,
               "columns" leaves out columns that hold words
    """

    label: str | None = None
    leave_out: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = sorted(self.leave_out - LEAVE_OUT)
        if unknown:
            raise ValueError(f"leave_out has {unknown}; only 'rows' and 'columns' can be left out")


@dataclass(frozen=True)
class _Column:
    """One column read as numbers: float64 (n,), NaN where a cell is missing or a word."""

    name: str
    cells: list[str]
    values: Float64Array
    words: list[int]
    decimal_comma: bool


@dataclass
class _Findings:
    """What is wrong so far: ``problems`` for good, ``curable`` with the offer that cures it."""

    problems: list[str]
    notes: list[str]
    curable: list[str] = field(default_factory=list)
    offers: set[str] = field(default_factory=set)


def read_csv(
    raw: bytes,
    name: str,
    options: CsvOptions = CsvOptions(),
    limits: CsvLimits = CsvLimits(),  # noqa: B008 (frozen)
) -> DataSet:
    """Read the bytes of a file called ``name`` as a table to learn from.

    Values become float32, always finite; labels int32 numbers of the class names, which are
    sorted (numbers by size, with 1 and 1.0 the same class; words by letter). A fifth of the
    rows is held out unless there are fewer than 10.

    Raises DataError, and nothing else, for any bytes that are not such a table. Its ``offers``
    are only what has been tried and makes this file readable.
    """
    return _build(read_text_table(raw, name, limits), name, options, limits)


def _build(table: TextTable, name: str, options: CsvOptions, limits: CsvLimits) -> DataSet:
    found = _Findings(list(table.problems), list(table.notes))
    label_index = _label_index(table.names, options.label, found)
    if label_index is None or not table.rows:
        raise DataError(found.problems, name=name)
    columns = [_read_column(table, index) for index in range(len(table.names))]
    label = columns.pop(label_index)
    features = _number_columns(table, columns, options, found)
    keep = _whole_rows(table, [*features, label], options, found)
    classes, y = _classes(label, keep, limits, found)
    _refuse(table, name, options, limits, found)
    x = np.stack([column.values[keep] for column in features], axis=1).astype(np.float32)
    if any(column.decimal_comma for column in [*features, label]):
        found.notes.insert(0, "Numbers are written with a decimal comma: 1,5 was read as 1.5.")
    return from_table(
        name=name,
        title=name,
        about=(
            f"Your own file: each row is one example with {len(features):,} numbers. The label is "
            f"column {shown(label.name)}, with {len(classes)} classes "
            f"({listed([shown(c, 20) for c in classes])})."
        ),
        features=[column.name for column in features],
        classes=classes,
        x=x,
        y=y,
        source_rows=np.array(table.numbers, dtype=np.int64)[keep] - 1,
        notes=found.notes,
    )


def _refuse(
    table: TextTable, name: str, options: CsvOptions, limits: CsvLimits, found: _Findings
) -> None:
    """Raise what was found; offer leave-outs only if the file can be read with them."""
    problems = [*found.problems, *found.curable]
    if not problems:
        return
    offers = frozenset(found.offers)
    if found.problems:
        raise DataError(problems, name=name)
    try:
        _build(table, name, replace(options, leave_out=options.leave_out | offers), limits)
    except DataError as error:
        then = [f"With that left out: {problem}" for problem in error.problems]
        raise DataError([*problems, *then], name=name) from None
    raise DataError(problems, offers, name)


def _label_index(names: list[str], label: str | None, found: _Findings) -> int | None:
    if label is None:
        return len(names) - 1
    if label.strip() in names:
        return names.index(label.strip())
    near = difflib.get_close_matches(label.strip(), names, n=1, cutoff=0.5)
    hint = f" Did you mean {shown(near[0])}?" if near else ""
    found.problems.append(
        f"There is no column called {shown(label)} to take as label.{hint} "
        f"The columns are {listed([shown(name) for name in names])}."
    )
    return None


def _read_column(table: TextTable, index: int) -> _Column:
    cells = [row[index] for row in table.rows]
    # A comma is a decimal comma only where it cannot be a separator and no dot is in use.
    comma = table.separator != "," and any("," in c for c in cells)
    comma = comma and not any("." in cell for cell in cells)
    plain = [cell.replace(",", ".", 1) for cell in cells] if comma else cells
    values, words = _numbers(plain)
    return _Column(table.names[index], cells, values, words, comma and not words)


def _numbers(cells: Sequence[str]) -> tuple[Float64Array, list[int]]:
    """Values with NaN for missing cells and words, and the positions of the words."""
    text = "".join(cells)
    if text.isascii() and "_" not in text:  # float() takes 1_0 and other scripts' digits
        try:
            values = np.array([float(cell) for cell in cells], dtype=np.float64)
        except ValueError:
            values = np.array([np.nan])
        if np.isfinite(values).all():
            return values, []
    values = np.full(len(cells), np.nan)
    words: list[int] = []
    for position, cell in enumerate(cells):
        if is_number(cell):
            values[position] = float(cell)
        elif cell.lstrip("+-").lower() in _INFINITE:
            values[position] = -np.inf if cell.startswith("-") else np.inf
        elif not _is_missing(cell):
            words.append(position)
    return values, words


def _is_missing(cell: str) -> bool:
    return cell.lower() in _MISSING


def _number_columns(
    table: TextTable, columns: list[_Column], options: CsvOptions, found: _Findings
) -> list[_Column]:
    """The feature columns without words; those with words are left out or reported."""
    worded = [column for column in columns if column.words]
    features = [column for column in columns if not column.words]
    empty = [shown(column.name) for column in features if np.isnan(column.values).all()]
    if empty:
        found.problems.append(
            f"No value at all in column {listed(empty)}: fill it in, or delete it from the file."
        )
    if not features:
        found.problems.append(
            "No column of numbers is left besides the label: the network needs at least one."
        )
    if worded and "columns" in options.leave_out:
        names = listed([shown(column.name) for column in worded])
        found.notes.append(f"Left out, because it holds words: column {names}.")
    elif worded:
        found.offers.add("columns")
        for column in worded[:NAMED]:
            first = column.words[0]
            found.curable.append(
                f"Column {shown(column.name)} holds words in {len(column.words):,} of "
                f"{len(column.cells):,} rows (first in {table.row(first)}: "
                f"{shown(column.cells[first])}): write numbers there, or leave the column out."
            )
        if len(worded) > NAMED:
            found.curable.append(f"{len(worded) - NAMED:,} more columns hold words.")
    return features


def _whole_rows(
    table: TextTable, columns: list[_Column], options: CsvOptions, found: _Findings
) -> NDArray[np.int64]:
    """Positions of the rows to use; rows with missing or infinite values are reported.

    The label is the last of ``columns``. While the file is refused, the rows with a sound label
    are returned, so that a fault of the label itself can be told at the same time.
    """
    missing = np.zeros((len(table.rows), len(columns)), dtype=np.bool_)
    infinite = np.zeros_like(missing)
    for index, column in enumerate(columns):
        with np.errstate(over="ignore"):
            infinite[:, index] = np.isinf(column.values.astype(np.float32))
        missing[:, index] = np.isnan(column.values)
        if column.words:  # only the label: there a word is a class, and so is the word inf
            missing[:, index] = [_is_missing(cell) for cell in column.cells]
            infinite[:, index] = False
    faulty = missing | infinite
    bad = faulty.any(axis=1)
    whole = np.flatnonzero(~bad).astype(np.int64)
    if not bad.any():
        return whole
    if "rows" in options.leave_out:
        rows = listed([f"{table.numbers[i]:,}" for i in np.flatnonzero(bad)])
        found.notes.append(
            f"Left out, because of missing or infinite values: {_rows(int(bad.sum()))} ({rows})."
        )
        if not len(whole):
            found.problems.append("No row is left: every row has a missing or infinite value.")
        return whole
    found.offers.add("rows")
    for cells, kind in ((missing, "missing"), (infinite, "infinite")):
        count = int(cells.any(axis=1).sum())
        if count:
            places = [
                f"column {shown(columns[c].name)} {table.row(r)} is {_cell(columns[c].cells[r])}"
                for r, c in np.argwhere(cells)[:NAMED].tolist()
            ]
            found.curable.append(
                f"{_rows(count)} {'has' if count == 1 else 'have'} {kind} values "
                f"({listed(places, int(cells.sum()))}): correct them, or leave "
                f"{'this row' if count == 1 else 'these rows'} out."
            )
    return np.flatnonzero(~faulty[:, -1]).astype(np.int64)


def _cell(cell: str) -> str:
    """A missing or infinite cell as the learner wrote it, explained where it looks sound."""
    if is_number(cell.replace(",", ".", 1)):
        return f"{shown(cell)}, too large for float32"
    return shown(cell) or "empty"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _classes(
    label: _Column, keep: NDArray[np.int64], limits: CsvLimits, found: _Findings
) -> tuple[list[str], NDArray[np.int32]]:
    """Class names in order and the class number of each row to use."""
    if label.words:
        written, y = np.unique(np.array(label.cells, dtype=object)[keep], return_inverse=True)
        classes = [str(word) for word in written]
    else:
        sizes, y = np.unique(label.values[keep], return_inverse=True)
        classes = [_plain(float(size)) for size in sizes]
    name, count = shown(label.name), len(classes)
    if count == 1:
        found.problems.append(
            f"The label, column {name}, has one class ({shown(classes[0])}): learning to tell "
            "classes apart needs at least two; add rows or choose another column as label."
        )
    if count > limits.classes or (len(keep) >= 10 and count > 2 and count * 2 > len(keep)):
        found.problems.append(
            f"The label, column {name}, has {count:,} different values in {_rows(len(keep))} "
            f"({listed([shown(c, 20) for c in classes[:3]], count)}): Lockstep classifies, with "
            f"at most {limits.classes} classes of several rows each; choose another column as "
            "label."
        )
    return classes, y.astype(np.int32)


def _plain(number: float) -> str:
    """A class number as people write it: 1 for 1.0, 0.5 for 0.5."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
