"""The contract: every event survives its line, and no line can hurt a reader."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from pipeline import events
from pipeline.events import EventError, from_line, to_line

REPLICA = events.ReplicaStep(
    replica=0, device="CPU:0", batch_shape=(128, 20), loss=0.7, gradient_norm=0.5, accuracy=0.25
)
EVENTS: list[events.Event] = [
    events.RunStarted(
        schema=1,
        run_id="abc",
        config={"replicas": 2, "data": "größe.csv"},
        versions={"python": "3"},
        started="2026-01-01T00:00:00+00:00",
        devices=("CPU:0", "CPU:1"),
        device_note="Two.",
        parameters=3457,
        steps=200,
        steps_per_epoch=40,
        classes=("0", "1"),
    ),
    events.Stage(stage="load", shape_in=(9, 2), shape_out=(9, 2), sample=(1.5, None), row=3),
    events.Stage(stage="distribute", shape_in=(9, 2), shape_out=((5, 2), (4, 2)), sample=(0.5, 1)),
    events.Step(
        step=1,
        epoch=1,
        loss=0.5,
        replicas=(
            REPLICA,
            REPLICA.model_copy(update={"replica": 1, "batch_shape": (0, 20), "loss": None}),
        ),
        all_reduced_norm=0.25,
        accuracy=0.5,
        copies_max_abs_diff=0.0,
    ),
    events.Epoch(
        epoch=1,
        loss=0.5,
        accuracy=0.75,
        val_loss=None,
        val_accuracy=None,
        seconds=1.5,
        observation="Loss fell by 3%.",
        all_rows_accuracy=(0.5, None),
        row_prediction=(0.25, 0.75),
    ),
    events.RunFinished(
        checks={"replicas_identical": events.Check(ok=True, max_abs_diff=0.0)},
        checked_steps=(1, 2, 200),
        seconds=2.5,
    ),
    events.RunStopped(),
    events.RunFailed(error="The run passed\nthe 600 seconds."),
]
named = pytest.mark.parametrize("event", EVENTS, ids=[type(event).__name__ for event in EVENTS])


@named
def test_an_event_survives_its_line(event):
    assert from_line(to_line(event)) == event


@named
def test_an_event_is_one_line_of_standard_json(event):
    line = to_line(event)
    assert line.count("\n") == 1
    assert line.endswith("}\n")
    assert json.loads(line)["event"] == event.event


@named
def test_a_field_from_the_future_is_ignored(event):
    line = json.dumps(json.loads(to_line(event)) | {"from_the_future": [1]})
    assert from_line(line) == event


@named
def test_bytes_read_like_text(event):
    assert from_line(to_line(event).encode()) == event


def test_the_schema_is_called_schema_on_the_line():
    assert json.loads(to_line(EVENTS[0]))["schema"] == events.SCHEMA


def test_a_kind_from_the_future_is_nothing():
    assert from_line('{"event":"run_paused","why":3}') is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_becomes_null(value):
    step = events.Step(step=1, epoch=1, loss=value, replicas=(), all_reduced_norm=1.0)
    assert json.loads(to_line(step))["loss"] is None


def test_a_number_that_is_none_becomes_null_deep_inside(tmp_path):
    bad = REPLICA.model_copy(update={"gradient_norm": math.nan})
    step = events.Step(step=1, epoch=1, loss=1.0, replicas=(bad,), all_reduced_norm=1.0)
    stage = events.Stage(
        stage="load", shape_in=(1, 2), shape_out=(1, 2), sample=(math.inf, math.nan)
    )
    assert json.loads(to_line(step))["replicas"][0]["gradient_norm"] is None
    assert json.loads(to_line(stage))["sample"] == [None, None]


def test_every_float32_survives_exactly():
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**32, 3_000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    stage = events.Stage(
        stage="load", shape_in=(1, 1), shape_out=(1, 1), sample=tuple(map(float, values))
    )
    back = from_line(to_line(stage))
    assert isinstance(back, events.Stage)
    assert np.array(back.sample, np.float32).tobytes() == values.tobytes()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not json",
        "null",
        "3",
        "[]",
        '"run_stopped"',
        "{}",
        '{"event":7}',
        '{"event":"step"}',
        '{"event":"step","step":"many","epoch":1,"loss":1,"replicas":[],"all_reduced_norm":1}',
        '{"event":"stage","stage":"lunch","shape_in":[],"shape_out":[],"sample":[]}',
        '{"event":"run_stopped"',
        b"\xff\xfe",
        "[" * 100_000,
    ],
)
def test_what_is_no_event_is_refused_with_a_sentence(line):
    with pytest.raises(EventError, match=r"not JSON|not an event|bad field"):
        from_line(line)


def test_the_field_that_is_bad_is_named():
    with pytest.raises(EventError, match=r"epoch event.* epoch\.seconds"):
        from_line(
            '{"event":"epoch","epoch":1,"loss":1,"accuracy":1,"val_loss":1,"val_accuracy":1,'
            '"seconds":"long","observation":""}'
        )


def test_an_event_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        events.RunFailed(error="one").error = "other"  # type: ignore[misc]
