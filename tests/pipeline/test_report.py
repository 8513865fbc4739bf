"""A run as text: every event that has something to say says it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from pipeline.events import Check, Epoch, RunFinished, RunStarted, RunStopped, Stage, Step
from pipeline.report import Report, shape


def text_of(*events):
    file = io.StringIO()
    with Report(Console(file=file, highlight=False, width=200)) as report:
        for event in events:
            report.show(event)
    return file.getvalue()


def epoch(**changes):
    fields: dict[str, Any] = {
        "epoch": 1,
        "loss": 0.6931,
        "accuracy": 0.5,
        "val_loss": 0.7,
        "val_accuracy": 0.25,
        "seconds": 1.25,
        "observation": "Starting point: [loss] 0.693.",
    }
    return Epoch(**fields | changes)


def test_a_shape_is_written_with_thousands():
    assert shape((10_000, 20)) == "10,000 x 20"


def test_the_start_says_on_what_and_how_much():
    started = RunStarted(
        run_id="x", config={}, versions={}, device_note="2 [logical] devices.", parameters=3457,
        steps=1200,
    )  # fmt: skip
    text = text_of(started)
    assert "2 [logical] devices." in text
    assert "3,457 parameters, 1,200 steps" in text


def test_a_stage_shows_both_shapes_and_a_short_sample():
    stage = Stage(
        stage="load", shape_in=(64, 9), shape_out=(51, 9), sample=(0.5, None, *range(7)), row=3
    )
    text = text_of(stage)
    assert "64 x 9 -> 51 x 9" in text
    assert "row 3: [0.5, -, 0, 1, ..., 6]" in text


def test_the_distribute_stage_shows_each_replicas_part():
    stage = Stage(
        stage="distribute", shape_in=(51, 4), shape_out=((2, 4), (1, 4), (0, 4)), sample=(1.0,)
    )
    assert "first step (2 x 4) + (1 x 4) + (0 x 4)" in text_of(stage)


def test_an_epoch_is_a_line_under_one_heading():
    text = text_of(epoch(), epoch(epoch=2))
    assert text.count("held-out loss") == 1
    assert text.count("Starting point: [loss] 0.693.") == 2
    assert "0.6931" in text


def test_numbers_that_are_not_there_are_dashes():
    (line,) = [
        line
        for line in text_of(epoch(loss=None, val_loss=None, val_accuracy=None)).splitlines()
        if "Starting" in line
    ]
    assert line.split()[:5] == ["1", "-", "0.5000", "-", "-"]


@pytest.mark.parametrize("ok, mark", [(True, "ok "), (False, "NO ")])
def test_a_check_is_told_with_its_verdict_and_its_difference(ok, mark):
    finished = RunFinished(
        checks={"replicas_identical": Check(ok=ok, max_abs_diff=0.25)}, checked_steps=(1, 2)
    )
    text = text_of(finished)
    assert f"{mark} all copies of the weights are equal, bit for bit (0.25 apart)" in text
    assert "measured on 2 steps" in text


def test_a_step_moves_the_bar_and_prints_nothing_that_stays():
    step = Step(step=1, epoch=1, loss=None, replicas=(), all_reduced_norm=None)
    assert text_of(step, RunStopped()).strip() == ""
