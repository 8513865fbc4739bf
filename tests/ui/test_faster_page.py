"""Why isn't it faster?, under AppTest with a fake trainer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipeline import rate_rule, recordings, runs, scaling_plan
from pipeline.config import RunConfig
from pipeline.run_log import PROGRESS_NAME
from tests.pipeline.test_scaling_result import told
from tests.ui import apptest
from tests.ui.apptest import text
from ui import keys, services

pytestmark = pytest.mark.usefixtures("trainer")
ROOT = Path(__file__).resolve().parents[2]


def opened(tab="Measure here", **query):
    return apptest.opened("faster", session={keys.FASTER_TABS: tab}, **query)


def tables(app):
    return "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.parametrize("query", [{}, {"data": "digits", "replicas": 8}, {"global_batch": 1}])
def test_the_recorded_measurements_are_shown_and_labelled_and_nothing_is_asked(trainer, query):
    app = opened(**query)
    assert "Recorded on" in text(app)
    assert tables(app).count("scaling parts") == 1
    assert trainer.launched == []


def test_the_button_asks_for_this_model_and_the_result_is_then_the_one_shown(trainer):
    app = opened()
    app.radio(key=keys.SCALING_SIZE).set_value("medium").run()
    app.button(key=keys.SCALING_BUTTON).click().run()
    request = json.loads((trainer.launched[0] / "request.json").read_text())
    assert request["task"] == scaling_plan.TASK
    asked = request["arguments"]
    assert (asked["size"], asked["replicas"], asked["one_core"]) == ("medium", [1, 2, 4, 8], True)
    assert app.button(key=keys.SCALING_BUTTON).disabled
    line = {"what": "timing", "replicas": 4, "share": 0.5}
    (trainer.launched[0] / PROGRESS_NAME).write_text(json.dumps(line) + "\n{")
    app.run()
    (trainer.launched[0] / PROGRESS_NAME).write_text(json.dumps(line) + "\n")
    app.run()
    assert not app.exception

    trainer.answer({**told(), "size": "medium"})
    app.run()
    assert not app.exception
    assert "Two replicas are faster" in text(app)
    assert app.selectbox(key=keys.SCALING_SHOWN).value == trainer.launched[0].name
    assert not app.button(key=keys.SCALING_BUTTON).disabled


def test_two_measurements_stand_side_by_side(trainer):
    app = opened()
    app.button(key=keys.SCALING_BUTTON).click().run()
    trainer.answer(told())
    app.run()
    app.selectbox(key=keys.SCALING_OTHER).select("recorded-small").run()
    assert not app.exception
    assert "Two measurements" in text(app)
    assert "scaling compared" in tables(app)


def test_a_measurement_that_is_stopped_says_so_and_leaves_the_recorded_one(trainer):
    app = opened()
    app.button(key=keys.SCALING_BUTTON).click().run()
    app.button(key=keys.SCALING_STOP).click().run()
    assert not app.exception
    assert "The measurement was stopped." in text(app)
    assert app.selectbox(key=keys.SCALING_SHOWN).value == "recorded-small"


def test_without_a_working_tensorflow_the_reason_is_told(trainer):
    trainer.broken = True
    app = opened()
    app.button(key=keys.SCALING_BUTTON).click().run()
    services.answers().wait(trainer.launched[0].name, 20)
    app.run()
    assert "TensorFlow does not start on this server" in text(app)


def test_where_tensorflow_is_not_installed_nothing_can_be_pressed(monkeypatch):
    monkeypatch.setattr(services, "can_train", lambda: False)
    app = opened()
    assert app.button(key=keys.SCALING_BUTTON).disabled
    assert "has no TensorFlow" in text(app)


def test_a_loaded_machine_gets_no_verdict(trainer):
    app = opened()
    app.button(key=keys.SCALING_BUTTON).click().run()
    trainer.answer(told(foreign=1.2))
    app.run()
    assert "**No verdict**: other programs used 1.2 of 2 cores" in text(app)
    assert "Two replicas are" not in text(app)


@pytest.mark.parametrize("rate", rate_rule.RATES)
def test_the_learning_rate_is_told_with_the_recorded_losses(trainer, rate):
    app = opened("The learning rate")
    app.button_group(key=keys.RATE).set_value(rate).run()
    assert not app.exception
    view = services.ended(recordings.DEFAULT)
    answer = services.answers().recorded(rate_rule.TASK, rate_rule.question(view, 8, rate))
    assert answer is not None
    curves = answer.result["curves"]
    found = tables(app)
    for way in scaling_plan.WAYS:
        assert f"<td>{curves[way]['losses'][-1]:.3f}</td>" in found
    assert "**Recorded.**" in text(app)
    assert trainer.launched == []


def test_the_four_trainings_are_asked_for_on_the_data_of_ones_own_run(trainer):
    config = RunConfig(data="breast-cancer", epochs=1)
    run_id = services.runs().start(config, "someone")
    folder = services.runs().path(run_id)
    shutil.copy(runs.RECORDED / recordings.DEFAULT / "events.jsonl", folder)
    trainer.on_exit(folder, 0)
    app = opened("The learning rate", run=run_id, data="breast-cancer")
    assert "**Recorded.**" in text(app)

    app.button(key=keys.RATE_BUTTON).click().run()
    assert "TensorFlow trains four times." in text(app)
    request = json.loads((trainer.launched[-1] / "request.json").read_text())["arguments"]
    assert (request["run"], request["run_folder"]) == (run_id, str(folder.resolve()))
    rows = len(services.ended(run_id).data.x_train)
    assert request["batch"] == rows // (rate_rule.STEPS * 8)

    shipped = services.answers().recorded(
        rate_rule.TASK, rate_rule.question(services.ended(recordings.DEFAULT), 8, 0.02)
    )
    assert shipped is not None
    trainer.answer({**shipped.result, "rows": rows})
    app.run()
    assert not app.exception
    assert f"({rows} rows)" in text(app)
    assert "**Recorded.**" not in text(app)
