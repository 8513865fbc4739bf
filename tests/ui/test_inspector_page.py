"""The step inspector under AppTest: the recorded run, runs of one's own, other tables."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from pipeline import inspect_step, recordings, wrong_ways
from pipeline.config import RunConfig
from pipeline.step_records import StepRecord
from tests.ui.apptest import finished, html, opened, text
from ui import keys, services
from ui.inspector_checks import _percent

pytestmark = pytest.mark.usefixtures("trainer")

SLIDER = keys.inspected_step(recordings.DEFAULT)


def table(app, name: str) -> list[list[str]]:
    """The cells of a table on the page."""
    (found,) = re.findall(rf'<table class="lesson {name}">(.*?)</table>', html(app), re.S)
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", found)[1:]]


def record(step: int = 9) -> StepRecord:
    return services.ended(recordings.DEFAULT).record(step)


def own_run(trainer, config: RunConfig, *records: StepRecord) -> str:
    """A run of one's own that has ended and keeps these steps."""
    run_id = finished(trainer, config)
    for one in records:
        one.save(services.runs().path(run_id))
    return run_id


def test_it_begins_at_the_first_kept_step_that_used_the_row():
    app = opened("step_inspector")

    assert app.title[0].value == "Different gradients go in, one update comes out"
    assert app.select_slider(key=SLIDER).value == 9
    assert "Step 9 of 200, epoch 1: 128 rows on each replica" in text(app).replace("*", "")
    assert "This step **on R0**" in text(app)
    expect_the_rows_own_part(text(app))
    expect_lengths_as_in_the_log(table(app, "inspected"))
    expect_each_wrong_program_found_out(app)


def expect_the_rows_own_part(told: str) -> None:
    step = inspect_step.open_step(services.ended(recordings.DEFAULT), 9)
    place = int(np.flatnonzero(step.record.rows[0] == 0)[0])
    norms = []
    for replica in range(2):
        traced = step.traced(replica)
        for row in range(traced.rows):
            part = traced.of([row]).gradient(256)
            norms.append(np.sqrt(sum(np.sum(np.square(tensor)) for tensor in part)))
    less = int(np.sum(np.array(norms) < norms[place]))

    assert f"pulls harder than **{less} of the step’s 255 other rows**" in told


def expect_lengths_as_in_the_log(rows: list[list[str]]) -> None:
    run = services.ended(recordings.DEFAULT)
    (logged,) = [step for step in run.steps if step.step == 9]
    lengths = [float(row[4]) for row in rows]
    expected = [part.gradient_norm for part in logged.replicas] + [logged.all_reduced_norm]
    assert lengths[:3] == pytest.approx(expected, rel=1e-5)


def test_another_step_and_another_tensor_are_chosen():
    app = opened("step_inspector")
    app.select_slider(key=SLIDER).set_value(48)
    app.selectbox(key=keys.INSPECTED_TENSOR).set_value(3).run()

    assert not app.exception
    assert "Step 48 of 200, epoch 2" in text(app).replace("*", "")
    assert "all 32 values" in text(app)
    assert table(app, "inspected")[0][2] == f"{np.abs(record(48).own[0][3]).max():.3g}"
    assert "does not use it" in text(app)


def test_a_button_goes_to_the_next_step_that_used_the_row_and_replies_are_that_steps():
    app = opened("step_inspector")
    app.radio(key=keys.prediction("inspector")).set_value(2)
    app.button(key=keys.TO_MY_ROW).click().run()
    assert app.select_slider(key=SLIDER).value == 67
    step = inspect_step.open_step(services.ended(recordings.DEFAULT), 67)
    ways = {way.name: way for way in wrong_ways.ways(step)}
    off = ways[wrong_ways.DIVIDED_TWICE].checks["equals_single_device"].max_abs_diff
    assert f"It fails by {off:.3g} in this step" in text(app)


def expect_each_wrong_program_found_out(app) -> None:
    marks = {row[0]: "".join(cell[0] for cell in row[1:4]) for row in table(app, "ways")}

    assert marks == {
        "as the run did it": "✓✓✓",
        "no all-reduce, each copy takes its own gradient": "✗✗✗",
        "divided by the replicas once more": "✓✗✓",
        "each replica’s own mean, then the average of the means": "✓✓✓",
        "the same, had the rows been dealt 192 + 64": "✓✗✓",
    }
    assert "Own means pass here, and rightly" in text(app)
    assert "Adam hides a wrong divisor" in text(app)
    assert f"2 copies, all {inspect_step.fingerprint(record().after[0])}" in text(app)


def test_a_run_that_keeps_no_step_gives_way_to_the_recorded_one(trainer):
    app = opened("step_inspector", run="four-replicas")
    assert "keeps no step in full" in text(app)
    assert app.select_slider(key=SLIDER).value == 9


def test_an_uneven_step_of_ones_own_run_fails_the_own_means_and_can_be_gone_to(trainer):
    even, uneven = record(), record(10)
    uneven = replace(uneven, rows=[uneven.rows[0], uneven.rows[1][:-40]])
    run_id = own_run(trainer, RunConfig(), even, uneven)
    app = opened("step_inspector", run=run_id)
    app.button(key=keys.TO_UNEVEN).click().run()

    assert not app.exception
    assert app.select_slider(key=keys.inspected_step(run_id)).value == 10
    assert "128 and 88 rows on R0 to R1" in text(app)
    assert "Own means pass" not in text(app)


def test_a_run_that_never_sums_says_what_is_known_of_it(trainer):
    kept = record()
    moved = [tensor + np.float32(0.25) for tensor in kept.after[0]]
    apart = replace(kept, sums=[], after=[kept.after[0], moved])
    app = opened("step_inspector", run=own_run(trainer, RunConfig(combine="never"), apart))

    assert not app.exception
    assert app.title[0].value == "Different gradients go in, different updates come out"
    assert "after this step the copies are up to 0.25 apart" in text(app)
    assert "nothing is summed" in text(app)


def test_one_replica_is_told_that_nothing_can_go_wrong(trainer):
    kept = record()
    rows = [np.concatenate(kept.rows)]
    own = [kept.all_reduced]
    alone = replace(kept, rows=rows, own=own, sums=own, after=kept.after[:1])
    app = opened("step_inspector", run=own_run(trainer, RunConfig(replicas=1), alone))

    assert app.title[0].value == "One gradient goes in, one update comes out"
    assert "With one replica all pass, and rightly" in text(app)


def test_a_step_that_burst_is_shown_without_numbers(trainer):
    kept = record()
    burst = [[np.full_like(tensor, np.nan) for tensor in part] for part in kept.own]
    run_id = own_run(trainer, RunConfig(), replace(kept, own=burst, sums=burst, after=burst))
    app = opened("step_inspector", run=run_id)

    assert not app.exception
    assert "not a number" in text(app)
    assert table(app, "ways")[0][1] == "✗ no number"


def test_a_damaged_step_says_so(trainer):
    run_id = own_run(trainer, RunConfig(), record())
    path = record(10).save(services.runs().path(run_id))
    path.write_bytes(path.read_bytes()[:50_000])
    app = opened("step_inspector", run=run_id)
    app.select_slider(key=keys.inspected_step(run_id)).set_value(10).run()

    assert not app.exception
    assert "can no longer be read" in text(app)


def test_a_row_of_another_table_is_not_taken_for_yours():
    app = opened("step_inspector", data="digits", row=5)
    assert "Row 0 of the run shown" in text(app)
    assert "Your row is in another table" in text(app)


@pytest.mark.parametrize(
    "share, told",
    [(0.5, "50.0%"), (2e-5, "under 0.01%"), (0.0, "under 0.01%"), (float("nan"), "no number")],
)
def test_shares_are_told_as_far_as_they_mean_something(share, told):
    assert _percent(share) == told
