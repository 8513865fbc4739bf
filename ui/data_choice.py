"""Which table is shown: one that is built in, or a learner's file, read as its owner decided.

The session remembers the learner's own files (by id, with the label column and what is left
out), so that switching to another data set and back loses nothing. No widget is drawn here.
"""

from __future__ import annotations

import functools

import streamlit as st

from pipeline import datasets, sources
from pipeline.config import RunConfig
from pipeline.csv_data import CsvLimits
from pipeline.csv_text import read_text_table
from pipeline.datasets import DataError, DataSet
from pipeline.sources import Csv
from pipeline.uploads import UploadGone, is_upload
from ui import keys, services

Decisions = dict[str, str]
"""The settings that say how a file is read: `label` and `leave_out`."""
AS_IT_IS: Decisions = {"label": "", "leave_out": "nothing"}


def load(config: RunConfig) -> DataSet:
    """The data of these settings. Raises UploadGone or DataError."""
    if not is_upload(config.data):
        return datasets.load(config.data)
    services.uploads().name(config.data)  # raises when it has expired, however warm the cache
    return _load_upload(config.data, config.label, config.leave_out)


def read(csv: Csv, decisions: Decisions) -> DataSet:
    """A learner's file within this server's limits. Raises DataError."""
    config = RunConfig.checked({"data": "file", **decisions})
    return sources.open_data(config, csv, limits())


def limits() -> CsvLimits:
    """The largest file this server takes."""
    allowed = services.runs().limits
    return CsvLimits(rows=allowed.rows, columns=allowed.columns, megabytes=allowed.upload_megabytes)


def columns(data: str) -> list[str]:
    """The column names of an uploaded file; none when its header is not fit to choose from."""
    try:
        services.uploads().name(data)
        return list(_columns(data))
    except (UploadGone, DataError):
        return []


def offered(current: str) -> list[str]:
    """What can be chosen: the built-in sets, this session's files, and what a link names."""
    names = [*datasets.BUILT_IN, *st.session_state.get(keys.UPLOADS, {})]
    return names if current in names else [*names, current]


def title(data: str) -> str:
    """A data set's name for people: a file goes by its own name."""
    if not is_upload(data):
        return datasets.BUILT_IN.get(data, f"{data} (unknown)")
    try:
        return services.uploads().name(data)
    except UploadGone:
        return "a file that is gone"


def choose(data: str, decisions: Decisions | None = None) -> None:
    """Show this data set from the next script run on (to be called from a callback).

    A file is read as it was last time, unless decisions are given.
    """
    known: dict[str, Decisions] = dict(st.session_state.get(keys.UPLOADS, {}))
    decided = decisions or known.get(data) or dict(AS_IT_IS)
    if is_upload(data):
        known[data] = decided
        st.session_state[keys.UPLOADS] = known
    st.session_state["data"] = data
    st.session_state.update(decided)


@functools.lru_cache(maxsize=32)
def _load_upload(data: str, label: str, leave_out: str) -> DataSet:
    return read(services.uploads().open(data), {"label": label, "leave_out": leave_out})


@functools.lru_cache(maxsize=32)
def _columns(data: str) -> tuple[str, ...]:
    csv = services.uploads().open(data)
    table = read_text_table(csv.raw, csv.name, limits())
    return () if table.problems else tuple(table.names)
