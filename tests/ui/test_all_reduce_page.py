"""How an all-reduce works, in every state of the run that is shown; a fake trainer, no TensorFlow.

Kept steps are made by hand here: gradients in NumPy, and their sum.
"""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pipeline import distribute, recordings, runs
from pipeline.config import RunConfig
from pipeline.sources import Csv
from pipeline.step_records import StepRecord
from tests.ui import apptest
from tests.ui.apptest import text
from ui import keys, ring, services
from ui.words import number

pytestmark = pytest.mark.usefixtures("trainer")
ROOT = Path(__file__).resolve().parents[2]
WORDS = (ROOT / "tests/cases/data/three_class_words.csv").read_bytes()


def own_run(trainer, config, steps=(1,), burst=False, csv=None):
    """A run of one's own with kept steps whose replicas have random gradients."""
    run_id = services.runs().start(config, "someone", csv)
    view = services.runs().view(run_id)
    rng = np.random.default_rng(5)
    sizes = (view.data.x_train.shape[1], 64, 32, view.data.output_units)
    shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]

    def tensors():
        return [rng.normal(size=shape).astype("f4") for shape in shapes]

    order = distribute.epoch_orders(view.data.y_train, config, 1)[0]
    rows = list(distribute.cut(order[: config.global_batch], config.replicas))
    for step in steps:
        own = [tensors() for _ in rows]
        total = [np.sum(parts, axis=0) for parts in zip(*own, strict=True)]
        if burst:
            total[0][0, 0] = np.nan
        sums = [total] * len(rows) if config.combine == "step" else []
        StepRecord(step, tensors(), [], own, sums, own, rows).save(view.folder)
    shutil.copy(runs.RECORDED / "shuffled-never" / "events.jsonl", view.folder)
    trainer.on_exit(view.folder, 0)
    return run_id


def opened(**query):
    return apptest.opened("all_reduce", **query)


def tables(app):
    bodies = [element.proto.body for element in app.get("html")]
    return [
        [re.findall(r"<td>(.*?)</td>", row) for row in body.split("<tr>")[2:]]
        for body in bodies
        if "<table" in body
    ]


def test_the_recorded_run_is_shown_with_four_replicas_and_reaches_tensorflows_sum():
    app = opened()
    told = text(app)
    checks, numbers, counted = tables(app)

    assert "It ran on 2 replicas; here its 256 rows are dealt to 4 replicas (64 rows each)" in told
    for row in checks:
        assert [cell[0] for cell in row[1:4]] == ["✗", "✗", "✓"]
        assert row[4] == "bit for bit"
    total = services.ended(recordings.DEFAULT).record(1).all_reduced
    strongest = max((tensor.ravel() for tensor in total), key=lambda all_: np.abs(all_).max())
    assert number(float(strongest[np.abs(strongest).argmax()]), 7) in [row[3] for row in numbers]
    assert [row[0] for row in counted] == [str(n) for n in range(2, 9)]
    values = sum(tensor.size for tensor in total)
    for row in counted:
        n = int(row[0])
        assert row[1] == f"{4 * values * (n - 1):,}"
        assert row[3] == f"{2 * (n - 1) / n * 4 * values:,.1f}"


def test_as_it_ran_the_sum_is_exactly_tensorflows():
    app = opened()
    app.select_slider(key=keys.ring_replicas(recordings.DEFAULT)).set_value(2).run()

    assert not app.exception
    assert "as it ran on 2 replicas (128 rows each). The gradients are TensorFlow’s own" in text(
        app
    )
    assert [row[3] for row in tables(app)[0]] == ["✓\u00a00.0"] * 2
    assert "Exactly 0" in text(app)


def test_another_step_is_chosen_among_those_that_are_kept():
    app = opened()
    last = services.ended(recordings.DEFAULT).kept[-1]
    app.select_slider(key=keys.ring_step(recordings.DEFAULT)).set_value(last).run()

    assert not app.exception
    assert f"with the gradient of step {last}:" in text(app)


@pytest.mark.parametrize("data", ["digits", "breast-cancer"])
def test_fewer_rows_than_replicas_leave_some_that_send_zeros(trainer, data):
    config = RunConfig(data=data, replicas=8, global_batch=3)
    told = text(opened(run=own_run(trainer, config)))

    assert "as it ran on 8 replicas (1, 1, 1, 0, 0, 0, 0, 0 rows)" in told
    assert "A replica without rows has a gradient of zeros" in told


def test_a_run_of_one_replica_is_dealt_to_four(trainer):
    config = RunConfig(replicas=1, global_batch=10)
    told = text(opened(run=own_run(trainer, config)))

    assert "It ran on 1 replica; here its 10 rows are dealt to 4 replicas (3, 3, 3, 1 rows)" in told


def test_a_csv_with_three_classes_is_dealt_too(trainer):
    csv = Csv("<b>words</b>.csv", WORDS)
    config = RunConfig(data=services.uploads().save(csv), replicas=3, global_batch=4)
    run_id = own_run(trainer, config, csv=csv)
    app = opened(run=run_id)
    app.select_slider(key=keys.ring_replicas(run_id)).set_value(5).run()

    assert not app.exception
    assert "(1, 1, 1, 1, 0 rows)" in text(app)
    assert "<b>" not in text(app)


@pytest.mark.parametrize(
    "settings, steps, reason",
    [
        ({"combine": "never"}, (1,), "The run shown does not all-reduce in every step"),
        ({}, (), "The run shown has kept no step in full yet"),
    ],
)
def test_a_run_that_has_nothing_to_show_is_replaced_and_the_page_says_why(
    trainer, settings, steps, reason
):
    told = text(opened(run=own_run(trainer, RunConfig(**settings), steps)))

    assert reason in told
    assert "The recorded run stands in for it." in told
    assert "step 1 of the recorded run" in told


def test_a_gradient_that_has_burst_is_said_to_be_no_numbers(trainer):
    told = text(opened(run=own_run(trainer, RunConfig(), burst=True)))

    assert "values that are no numbers any more" in told


def test_the_sentences_add_up_as_they_are_written():
    for count in (3, 8):
        made = ring.made(recordings.DEFAULT, 1, count)
        assert made is not None
        assert len(made.frames) == 2 * (count - 1) + 1
        additions = [re.search(r": (\S+) and (\S+) make (\S+)\.$", told) for told in made.frames]
        found = [[float(part.replace("−", "-")) for part in a.groups()] for a in additions if a]
        assert len(found) == count - 1
        for held, arrives, total in found:
            assert held + arrives == pytest.approx(total, abs=1e-9)


def test_the_prediction_is_answered_with_this_runs_bytes():
    app = opened()
    app.radio(key=keys.prediction(ring.SLUG)).set_value(1).run()
    size = 4 * services.ended(recordings.DEFAULT).shapes.parameters

    assert f"**Yes.** {2 * 7 / 8 * size / 1000:.1f} kB instead of {size / 1000:.1f} kB" in text(app)
