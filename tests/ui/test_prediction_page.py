"""Prediction trace under AppTest with a fake trainer: every state of its answer."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from pipeline import answers, prediction, recordings
from pipeline.answers import question_key, recorded_key
from pipeline.config import RunConfig
from pipeline.prediction import TASK
from tests.ui.apptest import finished, html, opened, text
from ui import keys, services
from ui.prediction import _alike

pytestmark = pytest.mark.usefixtures("trainer")


def question(row: int, size: int = 64, batch_size: int = 32):
    return prediction.question(services.ended(recordings.DEFAULT), row, size, batch_size)


def answer_it(trainer, row: int) -> None:
    """End the question about a row: the recorded answer, as if it were about that row's block."""
    asked = question(row)
    folder = next(f for f in trainer.launched if f.name == question_key(TASK, asked))
    shipped = answers.RECORDED / recorded_key(TASK, question(0))
    shutil.copy(shipped / "activations.npz", folder)
    result = json.loads((shipped / "result.json").read_text()) | {"first": asked["first"]}
    (folder / "result.json").write_text(json.dumps(result))
    run = answers.RECORDED.parent / "runs" / recordings.DEFAULT
    shutil.copy(run / "events.jsonl", folder)
    trainer.on_exit(folder, 0)


def table(app, name: str) -> list[list[str]]:
    """The cells of a table on the page."""
    (found,) = re.findall(rf'<table class="lesson {name}">(.*?)</table>', html(app), re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", found, re.S)
    return [re.findall(r"<td>(.*?)</td>", row) for row in rows[1:]]


def test_the_recorded_run_shows_its_recorded_answer_and_asks_nothing(trainer):
    app = opened("prediction_trace", replicas=8)

    assert trainer.launched == []
    assert "A recorded answer" in text(app)
    assert "seed 7, 2 replicas" in text(app), "whose replicas these are"
    assert table(app, "shapes") == [
        ["1", "R0 and R1", "(16, 20)", "(16, 64)", "(16, 32)", "(16, 1)"],
        ["2", "R0 and R1", "(16, 20)", "(16, 64)", "(16, 32)", "(16, 1)"],
    ]
    assert "returned shape `(64, 1)`" in text(app)
    assert "one output unit" in text(app).replace("*", "")
    assert table(app, "compared")[0][1] == "0.0"


@pytest.mark.parametrize(
    "size, batch_size, counts",
    [(63, 32, [16, 16, 15]), (65, 64, [32, 1, 0]), (1, 32, [1, 0])],
)
def test_other_sizes_are_chosen_on_the_page(size, batch_size, counts):
    app = opened("prediction_trace")
    app.radio(key=keys.PREDICTED_ROWS).set_value(size)
    app.radio(key=keys.PREDICTED_BATCH).set_value(batch_size).run()

    assert not app.exception
    shapes = table(app, "shapes")
    assert list(dict.fromkeys(int(re.findall(r"\d+", row[2])[0]) for row in shapes)) == list(
        dict.fromkeys(counts)
    )
    assert f"returned shape `({size}, 1)`" in text(app)
    assert ("without rows still runs" in text(app)) == (0 in counts)


def test_another_row_is_asked_about_with_the_recorded_answer_meanwhile(trainer):
    app = opened("prediction_trace", row=300)

    assert [f.name for f in trainer.launched] == [question_key(TASK, question(300))]
    assert "Your row appears here when TensorFlow has predicted it." in text(app)
    assert "Row 0 of the recorded run is shown." in text(app)
    assert "**Row 0** of the recorded run" in text(app)

    answer_it(trainer, 300)
    app.run()

    told = text(app)
    assert "Observed here" in told
    assert "**Your row** · 300" in told
    run = services.ended(recordings.DEFAULT)
    weights = run.record(run.kept[-1]).after[0]
    place = 300 - question(300)["first"]
    logit = prediction.activations(weights, run.scaled[place : place + 1])[-1]
    assert f"**{float(logit[0, 0]):.4g}**".replace("-", "−") in told


def test_rows_of_one_batch_share_an_answer(trainer):
    opened("prediction_trace", row=5)
    opened("prediction_trace", row=63)

    assert trainer.launched == [], "rows 0 to 63 are one batch, and its answer ships"


def test_after_a_failure_the_reason_stays_and_it_is_asked_again_only_on_demand(trainer):
    trainer.broken = True
    app = opened("prediction_trace", row=300)
    services.answers().wait(question_key(TASK, question(300)), 20)
    app.run()

    assert "TensorFlow could not predict your rows." in text(app)
    assert "Row 0 of the recorded run is shown." in text(app)
    before = len(trainer.launched)
    app.run()
    assert len(trainer.launched) == before
    app.button(key=keys.ASK_AGAIN).click().run()
    assert len(trainer.launched) == before + 1


def test_where_tensorflow_is_not_installed_nothing_is_asked(trainer, monkeypatch):
    monkeypatch.setattr(services, "can_train", lambda: False)
    app = opened("prediction_trace", row=300)

    assert trainer.launched == []
    assert "This machine has no TensorFlow that could be asked about your row." in text(app)


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"combine": "never"}, "its copies are different models"),
        ({}, "The run shown kept no weights."),
    ],
)
def test_a_run_that_has_no_one_model_is_said_to_have_none(trainer, settings, told):
    run_id = finished(trainer, RunConfig.checked(settings))
    app = opened("prediction_trace", run=run_id, **settings)

    assert told in text(app)
    assert "Row 0 of the recorded run is shown." in text(app)


def test_a_run_that_is_going_on_is_waited_for():
    run_id = services.runs().start(RunConfig(), "someone")

    assert "still going on" in text(opened("prediction_trace", run=run_id))


def test_other_data_than_the_shown_runs_is_said_to_be_so():
    app = opened("prediction_trace", data="digits", replicas=8)

    assert "The run shown was made with other data" in text(app)
    asked = app.radio(key=keys.prediction("prediction-trace"))
    assert "64 rows go into `predict`" in asked.label
    assert asked.options == ["all 64", "32", "16, twice"]


def test_neighbours_that_have_the_same_share_a_line():
    assert _alike([4, 4, 4, 1, 0, 0]) == [("R0 to R2", 4), ("R3", 1), ("R4 and R5", 0)]
