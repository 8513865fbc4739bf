"""A step with and without one row, read: against records made by hand and a gradient in NumPy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import answers, datasets, recordings, runs, what_if_view
from pipeline.run_view import RunView
from pipeline.step_records import StepRecord
from pipeline.what_if_view import WhatIf, first_use

STEP, ROW = 9, 0


def tensors(*values: float) -> list[np.ndarray]:
    """A kernel of 3 x 2 and a bias of 2, each filled with one value."""
    kernel, bias = values
    return [np.full((3, 2), kernel, np.float32), np.full(2, bias, np.float32)]


def made(rows: list[list[int]], **changes: Any) -> StepRecord:
    record = StepRecord(
        step=4,
        before=tensors(0, 0),
        optimizer=[],
        own=[tensors(1, 1) for _ in rows],
        sums=[tensors(len(rows), len(rows))] * len(rows),
        after=[tensors(0.5, 0.5) for _ in rows],
        rows=[np.array(part, np.int64) for part in rows],
    )
    return replace(record, **changes)


def recorded_run() -> RunView:
    folder = runs.RECORDED / recordings.DEFAULT
    return RunView("two-replicas", folder, recordings.CONFIGS[recordings.DEFAULT],
                   datasets.load("synthetic"), recorded=True)  # fmt: skip


@pytest.fixture(scope="module")
def recorded() -> WhatIf:
    key = answers.recorded_key("what-if", recordings.what_if_question("two-replicas", STEP, ROW))
    return WhatIf.load(answers.RECORDED / key, ROW)


def row_gradient(run: RunView, weights: list[np.ndarray]) -> list[np.ndarray]:
    """The row's part of the mean loss's gradient: backpropagation by hand, in float64."""
    kernels = [w.astype(np.float64) for w in weights[::2]]
    biases = [b.astype(np.float64) for b in weights[1::2]]
    values = [run.scaled[ROW].astype(np.float64)]
    for kernel, bias in zip(kernels[:-1], biases[:-1], strict=True):
        values.append(np.maximum(values[-1] @ kernel + bias, 0))
    logit = (values[-1] @ kernels[-1] + biases[-1])[0]
    delta = np.array([1 / (1 + np.exp(-logit)) - run.data.y_train[ROW]]) / 256
    found: list[np.ndarray] = []
    for place in (2, 1, 0):
        found = [np.outer(values[place], delta), delta, *found]
        delta = (kernels[place] @ delta) * (values[place] > 0)
    return found


def test_what_the_owner_loses_is_the_gradient_of_that_one_row(recorded: WhatIf) -> None:
    expected = row_gradient(recorded_run(), recorded.complete.before)

    for found, right in zip(recorded.own[recorded.owner], expected, strict=True):
        np.testing.assert_allclose(found, right, atol=3e-8)


def test_the_replica_without_the_row_has_the_same_own_gradient_bit_for_bit(
    recorded: WhatIf,
) -> None:
    assert recorded.other is not None
    for one, other in zip(
        recorded.complete.own[recorded.other], recorded.without.own[recorded.other], strict=True
    ):
        assert one.tobytes() == other.tobytes()
    assert what_if_view.largest(recorded.own[recorded.other]) == 0.0


def test_both_copies_change_alike_and_stay_equal_bit_for_bit(recorded: WhatIf) -> None:
    for record in (recorded.complete, recorded.without):
        for one, other in zip(*record.after, strict=True):
            assert one.tobytes() == other.tobytes()
    assert recorded.copies_apart == 0.0
    assert recorded.changed(0) == recorded.changed(1) > 0
    assert recorded.parameters == 3_457


def test_the_recorded_step_is_the_first_kept_one_that_used_the_row() -> None:
    run = recorded_run()
    use = first_use(run, ROW)

    assert use is not None
    assert use.step == STEP
    assert ROW in run.record(STEP).rows[use.owner]
    assert use.other == 1 - use.owner
    for step in run.kept:
        if step < STEP:
            assert ROW not in np.concatenate(run.record(step).rows)


def test_a_row_in_no_kept_step_has_no_use() -> None:
    run = recorded_run()
    used = np.concatenate([np.concatenate(run.record(step).rows) for step in run.kept])
    unused = next(row for row in range(len(run.data.x_train)) if row not in used)

    assert first_use(run, unused) is None


def test_the_other_replica_is_one_with_rows_if_there_is_one() -> None:
    assert WhatIf(made([[], [7], [3]]), made([[], [7], [3]]), 7).other == 2
    assert WhatIf(made([[7], []]), made([[7], []]), 7).other == 1
    assert WhatIf(made([[7]]), made([[7]]), 7).other is None


def test_copies_that_differ_are_reported_whichever_step_they_differ_in() -> None:
    drifted = made([[7], [3]], after=[tensors(0.5, 0.5), tensors(0.5, 0.75)])

    assert WhatIf(drifted, made([[7], [3]]), 7).copies_apart == 0.25
    assert WhatIf(made([[7], [3]]), drifted, 7).copies_apart == 0.25


def test_the_part_shown_keeps_the_strongest_rows_and_columns_in_their_order() -> None:
    wide = np.zeros((40, 64), np.float32)
    rows, columns = np.arange(3, 40, 2), np.arange(1, 64, 3)
    wide[np.ix_(rows, columns)] = 1
    one = made([[7], [3]], sums=2 * [[wide, np.zeros(64, np.float32)]])
    other = made([[7], [3]], sums=2 * [[np.zeros_like(wide), np.zeros(64, np.float32)]])
    part = WhatIf(one, other, 7).part()

    assert part is not None
    assert part.tensor == 0
    assert set(rows) <= set(part.rows)
    assert set(columns) <= set(part.columns)
    assert part.rows == sorted(part.rows)
    assert (len(part.rows), len(part.columns)) == (20, 32)
    assert part.of([wide.astype(np.float64)]).sum() == len(rows) * len(columns)


def test_a_matrix_without_a_change_is_passed_over() -> None:
    quiet, loud = np.zeros((3, 2), np.float32), np.ones((2, 1), np.float32)
    bias = np.ones(2, np.float32)
    one = made([[7], [3]], sums=2 * [[quiet, bias, loud, bias]])
    other = made([[7], [3]], sums=2 * [[quiet, bias, 0 * loud, bias]])

    part = WhatIf(one, other, 7).part()
    assert part is not None
    assert part.tensor == 2
    assert WhatIf(one, one, 7).part() is None


def test_an_answer_without_its_records_says_which_is_missing(tmp_path: Path) -> None:
    made([[7], [3]]).save(tmp_path / "with")

    with pytest.raises(ValueError, match="no step without the row"):
        WhatIf.load(tmp_path, 7)
