"""The data a config names: a built-in set, or the CSV that belongs to the run.

A CSV's bytes are handed in (from a path on the command line, an upload in the app, or the copy in
the run's folder), so a run can be repeated when the original file is gone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from pipeline import datasets
from pipeline.config import RunConfig
from pipeline.csv_data import CsvLimits, CsvOptions, read_csv
from pipeline.datasets import DataError, DataSet

CSV_NAME = "data.csv"
CSV_ABOUT = "data.json"
ADMITTED = CsvLimits(rows=sys.maxsize, columns=sys.maxsize, megabytes=sys.maxsize)
"""For a file that `Runs` has let in already, under limits of its own."""


class Csv(NamedTuple):
    """A learner's file: its own name, and its bytes as they came."""

    name: str
    raw: bytes


def is_built_in(name: str) -> bool:
    """Whether `name` is one of the data sets that ship with Lockstep."""
    return name in datasets.BUILT_IN


def open_data(config: RunConfig, csv: Csv | None, limits: CsvLimits | None = None) -> DataSet:
    """The rows of `config.data`; `csv` is the file unless it is built in.

    Raises DataError, with sentences for the learner.
    """
    if is_built_in(config.data):
        return datasets.load(config.data)
    if csv is None:
        raise DataError((f"{config.data}: no such data; the file is missing",))
    options = CsvOptions(
        label=config.label or None,
        leave_out=frozenset(config.leave_out.split("+")) - {"nothing"},
    )
    return read_csv(csv.raw, csv.name, options, limits or CsvLimits())


def write_copy(folder: Path, csv: Csv) -> None:
    """Keep a copy of the file in a run's folder."""
    (folder / CSV_NAME).write_bytes(csv.raw)
    (folder / CSV_ABOUT).write_text(json.dumps({"name": csv.name}), encoding="utf-8")


def read_copy(folder: Path) -> Csv | None:
    """The copy in a run's folder; None when the run's data is built in."""
    try:
        raw = (folder / CSV_NAME).read_bytes()
        return Csv(json.loads((folder / CSV_ABOUT).read_text(encoding="utf-8"))["name"], raw)
    except FileNotFoundError:
        return None
