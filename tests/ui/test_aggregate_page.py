"""Aggregate, Train's lower half and the training trace, under AppTest with a fake trainer."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from pipeline import recordings, runs
from pipeline.answers import question_key
from pipeline.sources import Csv
from tests.ui.apptest import finished, html, opened, text
from ui import keys, services
from ui.words import plain

pytestmark = pytest.mark.usefixtures("trainer")
ROOT = Path(__file__).resolve().parents[2]
CSV = (ROOT / "tests/cases/data/three_rows.csv").read_bytes()
WORDS = (ROOT / "tests/cases/data/three_class_words.csv").read_bytes()


def test_the_recorded_run_shows_its_recorded_answer_and_asks_nothing(trainer):
    app = opened("aggregate")

    assert app.title[0].value == "R1 never saw your row, and learned from it"
    assert trainer.launched == []
    told = text(app)
    assert "Used in step **9, on R0**" in told
    assert "R1’s own gradient changes by **exactly 0.0**" in told
    assert "difference between the copies **exactly 0.0**" in told


def test_another_row_is_asked_about_and_the_page_says_so_meanwhile(trainer):
    run = services.ended(recordings.DEFAULT)
    step, row = 1, int(run.record(1).rows[1][0])
    app = opened("aggregate", row=row)

    assert app.title[0].value == "R0 never saw your row, and learned from it"
    assert f"TensorFlow repeats step {step}, with your row and without it." in text(app)
    question = recordings.what_if_question("two-replicas", step, row)
    assert [folder.name for folder in trainer.launched] == [question_key("what-if", question)]
    request = json.loads((trainer.launched[0] / "request.json").read_text())
    assert request["arguments"]["run_folder"] == str(run.folder.resolve())


def test_without_tensorflow_the_recorded_row_is_shown_with_the_reason(trainer):
    trainer.broken = True
    row = int(services.ended(recordings.DEFAULT).record(1).rows[1][0])
    app = opened("aggregate", row=row)
    key = question_key("what-if", recordings.what_if_question("two-replicas", 1, row))
    services.answers().wait(key, 20)
    app.run()

    assert "TensorFlow could not repeat the step with your row." in text(app)
    assert "TensorFlow does not start on this server" in text(app)
    assert "The maps show row 0 of the recorded run" in text(app)
    assert app.button(key=keys.ASK_AGAIN)
    before = len(trainer.launched)
    app.run()
    assert len(trainer.launched) == before, "a question that failed is not asked by itself"


def test_a_row_in_no_kept_step_is_said_to_be_so(trainer):
    run = services.ended(recordings.DEFAULT)
    kept = {row for step in run.kept for part in run.record(step).rows for row in part.tolist()}
    row = next(row for row in range(10_000) if row not in kept)
    app = opened("aggregate", row=row)

    assert "in this run none of them used your row" in text(app)
    assert app.title[0].value == "R1 never saw row 0, and learned from it"
    assert "**Row 0** of the recorded run" in text(app)
    assert trainer.launched == []


@pytest.mark.parametrize("data", ["digits", "breast-cancer"])
def test_other_data_than_the_shown_runs_is_said_to_be_so(data):
    told = text(opened("aggregate", data=data, replicas=8))

    assert "The run shown was made with other data" in told


@pytest.mark.parametrize(
    "settings, reason",
    [
        ({"replicas": 1}, "The run shown has one replica"),
        ({"combine": "never"}, "does not all-reduce in every step"),
    ],
)
def test_a_run_without_a_sum_to_look_at_says_why(trainer, settings, reason):
    config = recordings.CONFIGS[recordings.DEFAULT].model_copy(update=settings)
    app = opened("aggregate", run=finished(trainer, config), **settings)

    assert reason in text(app)


def test_a_run_that_is_gone_leaves_the_recorded_one():
    assert "R1 never saw your row" in text(opened("aggregate", run="0" * 20))


def test_the_twin_without_the_all_reduce_fails_its_check_beside_the_run():
    found = html(opened("aggregate"))

    assert found.count("✓") == 3
    assert found.count("✗") == 1


def test_the_three_ways_are_told_with_the_numbers_of_their_runs():
    told = text(opened("aggregate"))
    ends = []
    for way in ("step", "epoch", "never"):
        log = (runs.RECORDED / f"one-class-{way}" / "events.jsonl").read_text()
        epochs = [json.loads(line) for line in log.splitlines() if '"epoch","epoch"' in line]
        shares = [event for event in epochs if event["event"] == "epoch"][-1]["all_rows_accuracy"]
        ends.append(f"{sum(shares) / len(shares):.1%}")
    assert f"On all rows it is {ends[0]}, {ends[1]} and {ends[2]}." in told


def test_one_learner_starts_as_many_of_the_three_as_may_run_and_the_third_later(trainer):
    app = opened("aggregate", data="digits", epochs=1)
    app.button(key=keys.ONE_CLASS_BUTTON).click().run()
    assert not app.exception
    assert len(trainer.launched) == 2
    assert "never: **waits for a free place**" in text(app)
    assert app.button(key=keys.ONE_CLASS_BUTTON).disabled
    trainer.on_exit(trainer.launched[0], 1)
    app.run()
    configs = [json.loads((f / "request.json").read_text())["config"] for f in trainer.launched]
    assert [config["combine"] for config in configs] == ["step", "epoch", "never"]
    assert {config["order"] for config in configs} == {"one-class-each"}
    assert {config["data"] for config in configs} == {"digits"}


def test_when_the_three_are_done_they_take_the_place_of_the_recorded_ones(trainer):
    app = opened("aggregate", replicas=1)
    app.button(key=keys.ONE_CLASS_BUTTON).click().run()
    for place, way in enumerate(("step", "epoch", "never")):
        folder = trainer.launched[place]
        shutil.copy(runs.RECORDED / f"one-class-{way}" / "events.jsonl", folder)
        trainer.on_exit(folder, 0)
        app.run()
    assert not app.exception
    assert "Your three runs, made on this machine: 5 epochs, 2 replicas." in text(app)
    assert not app.button(key=keys.ONE_CLASS_BUTTON).disabled


def test_a_run_of_the_three_that_fails_is_told_and_the_recorded_ones_stay(trainer):
    app = opened("aggregate", epochs=1)
    app.button(key=keys.ONE_CLASS_BUTTON).click().run()
    for place in range(3):
        trainer.on_exit(trainer.launched[place], 1)
        app.run()
    assert not app.exception
    assert "every step: The run's process ended early (exit status 1)." in text(app)
    assert "Recorded runs, made on" in text(app)


def test_a_table_too_small_for_one_class_each_says_so_and_starts_nothing(trainer):
    upload = services.uploads().save(Csv("three.csv", CSV))
    app = opened("aggregate", data=upload, replicas=8)
    app.button(key=keys.ONE_CLASS_BUTTON).click().run()

    assert not app.exception
    assert trainer.launched == []
    assert "one-class-each with 8 replicas needs at least one row" in text(app)


def test_train_tells_the_recorded_losses_and_how_far_they_are_apart():
    app = opened("train")
    app.radio(key=keys.prediction("train")).set_value(2).run()

    assert not app.exception
    losses = re.findall(r"(\d\.\d{4}) with (\d)", text(app))
    assert [replicas for _, replicas in losses] == ["1", "2", "4"]
    assert len({loss for loss, _ in losses}) == 1
    assert "Of 195 full steps" in text(app)


def test_train_shows_your_rows_prediction_only_for_the_row_the_run_followed():
    assert "your row’s own label" in text(opened("train"))
    assert "The run shown followed row 0" in text(opened("train", row=3))
    assert "The run shown followed row 0" in text(opened("train", data="digits"))


def test_speed_says_nothing_that_the_ranges_do_not_allow():
    log = [services.ended(name) for name in ("one-replica", "two-replicas")]
    one, two = ([event.seconds for event in run.epochs[1:]] for run in log)
    overlap = min(one) <= max(two) and min(two) <= max(one)

    assert ("decides nothing" in text(opened("train"))) == overlap


def test_the_trace_compares_batches_by_computed_numbers():
    app = opened("training_trace")
    app.radio(key=keys.prediction("training-trace")).set_value(0).run()
    small, large = (
        services.ended(name).epochs[-1].loss or 0.0 for name in ("two-replicas", "batch-512")
    )

    assert not app.exception
    assert 0 < small < large
    assert f"It is higher, {large:.3f} against {small:.3f}: 100 updates instead of 200" in text(app)


def test_against_updates_the_larger_batch_does_not_fall_behind():
    frames = text(opened("training_trace"))
    small, large = (services.ended(name).epochs for name in ("two-replicas", "batch-512"))
    held = {event.last_step: event.val_loss or 0.0 for event in small}

    assert "An epoch is not an update" in frames
    for event in large:
        if event.last_step in held:
            assert event.val_loss is not None
            assert event.val_loss <= held[event.last_step] + 0.01


def test_the_reference_example_is_labelled_and_told_by_the_same_rule():
    app = opened("training_trace")
    shown = html(app)

    assert "from no run" in text(app)
    for loss, accuracy in ((0.65, 0.60), (0.48, 0.75), (0.35, 0.82), (0.28, 0.87), (0.22, 0.91)):
        assert f"<td>{loss:.2f}</td><td>{accuracy:.2f}</td>" in shown
    assert "Loss fell by 26%, accuracy rose to 0.75." in shown


def test_class_names_of_a_file_cannot_become_markup(trainer):
    upload = services.uploads().save(Csv("words.csv", WORDS.replace(b"owl", b"<b>*owl*</b>")))
    app = opened("aggregate", data=upload, epochs=1)
    app.button(key=keys.ONE_CLASS_BUTTON).click().run()
    for place, way in enumerate(("step", "epoch", "never")):
        folder = trainer.launched[place]
        shutil.copy(runs.RECORDED / f"one-class-{way}" / "events.jsonl", folder)
        trainer.on_exit(folder, 0)
        app.run()
    assert not app.exception
    classes = services.runs().view(trainer.launched[0].name).data.classes
    told = "\n".join(element.value for element in app.markdown)
    assert "<b>*owl*</b>" in classes
    for name in classes:
        assert plain(name) in told
    assert "<b>" not in told
