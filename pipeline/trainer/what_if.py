"""The same step twice: with every row, and with one row's weight set to zero.

Starts both times from the state a run kept before that step, cuts the same batch the same way and
divides by the same number of rows, so that whatever differs comes from that one row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from pipeline.config import RunConfig
from pipeline.datasets import DataSet
from pipeline.step_records import StepRecord
from pipeline.trainer.replica import NOBODY
from pipeline.trainer.training import Run


def what_if(
    config: RunConfig, data: DataSet, record: StepRecord, row: int
) -> tuple[StepRecord, StepRecord]:
    """Repeat the kept step with all rows, then without training row `row`.

    Raises ValueError when the run does not all-reduce, or `row` is not in that step.
    """
    if config.combine != "step":
        raise ValueError("only a run that all-reduces in every step can be asked this")
    rows = np.concatenate(record.rows)
    if row not in rows:
        raise ValueError(f"row {row} is not among the {len(rows)} rows of step {record.step}")
    run = Run(config, data, "what-if", lambda _event: None, lambda _record: None)
    return _repeat(run, record, rows, NOBODY), _repeat(run, record, rows, row)


def _repeat(run: Run, record: StepRecord, rows: np.ndarray, left_out: int) -> StepRecord:
    _restore(run, record)
    values = (rows, run.x[rows], run.data.y_train[rows])
    batches = iter(
        run.strategy.experimental_distribute_dataset(
            tf.data.Dataset.from_tensor_slices(values).batch(len(rows))
        )
    )
    return run.record(record.step, run.state(), run.train_step(batches, left_out))


def _restore(run: Run, record: StepRecord) -> None:
    """Put every copy of the weights and the optimizer's variables back to before the step."""
    for variable, value in zip(run.model.trainable_variables, record.before, strict=True):
        _set(variable, value)
    for variable, slot in zip(run.optimizer.variables, record.optimizer, strict=True):
        _set(variable, slot)


def _set(variable: Any, value: np.ndarray) -> None:
    variable.assign(value)
