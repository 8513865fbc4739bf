"""What a page is about: the present settings and data, your row, and the run whose numbers count.

The run is the one in the URL, or the recorded one until there is one of your own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from pipeline import datasets, preprocess, recordings, shapes, uploads
from pipeline.config import RunConfig
from pipeline.damaged import Damaged
from pipeline.datasets import DataError, DataSet
from pipeline.preprocess import MinMax
from pipeline.run_view import RunView
from pipeline.runs import UnknownRun
from pipeline.step_records import Floats
from ui import data_choice, keys, notices, services, settings


@dataclass(frozen=True)
class Context:
    """The present settings, their data and shapes, and the run that is shown."""

    config: RunConfig
    data: DataSet
    shapes: shapes.Shapes
    run: RunView

    @property
    def row(self) -> int:
        """Your row: a training row, counted from 0."""
        return min(self.config.row, len(self.data.x_train) - 1)

    @property
    def row_label(self) -> str:
        """Your row's class, as a label to read."""
        return f"label {self.data.classes[self.data.y_train[self.row]]}"

    @property
    def scaler(self) -> MinMax:
        """Min-max scaling fitted on the training rows."""
        return preprocess.fit(self.data.x_train)

    @property
    def raw_row(self) -> Floats:
        """Your row's values, as loaded."""
        return np.asarray(self.data.x_train[self.row])

    @property
    def scaled_row(self) -> Floats:
        """Your row's values, scaled."""
        return np.asarray(self.scaler.apply(self.raw_row[None])[0])

    @property
    def run_is_current(self) -> bool:
        """Whether the run shown was made with the present settings."""
        return self.run.config == self.config


def current() -> Context:
    """The context of this script run; a file that is gone or refused falls back to synthetic."""
    config = settings.current()
    try:
        data = load(config)
    except (uploads.UploadGone, DataError) as error:
        notices.tell(f"{error} The synthetic data is shown instead.")
        config = config.model_copy(update={"data": "synthetic", **data_choice.AS_IT_IS})
        data = datasets.load(config.data)
    try:
        coming = shapes.of(data, config)
    except ValueError as error:  # one-class-each with fewer rows of a class than replicas
        notices.tell(f"{error}. Shuffled rows are shown instead.")
        config = config.model_copy(update={"order": "shuffled"})
        coming = shapes.of(data, config)
    return Context(config, data, coming, shown_run())


def load(config: RunConfig) -> DataSet:
    """The data of these settings. Raises UploadGone or DataError."""
    return data_choice.load(config)


def shown_run() -> RunView:
    """The run in the URL; without one, or with one that is gone or damaged, the recorded run."""
    run_id = st.session_state.get(keys.RUN)
    if run_id:
        try:
            run = services.runs().view(run_id)
            run.told  # noqa: B018 - read now, so that damage is met here
            return run
        except UnknownRun as error:
            notices.tell(f"{error} A recorded run is shown instead.")
        except Damaged as error:
            notices.tell(
                f"The record of this run cannot be read ({error}). A recorded run is shown instead."
            )
    return services.runs().view(recordings.DEFAULT)
