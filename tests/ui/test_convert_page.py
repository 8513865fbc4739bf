"""Convert it under AppTest with a fake trainer: closed, open, filling, refused, tried again."""

from __future__ import annotations

import json
import re

import pytest

from pipeline import convert
from pipeline.answers import RECORDED, question_key, recorded_key
from pipeline.run_log import PROGRESS_NAME, RESULT_NAME
from tests.ui.apptest import html, opened, text
from ui import convert_state, keys, services

pytestmark = pytest.mark.usefixtures("trainer")
SHIPPED = json.loads(
    (RECORDED / recorded_key(convert.TASK, {}) / RESULT_NAME).read_text(encoding="utf-8")
)


@pytest.fixture
def app(trainer):
    return opened("convert_it")


def cells(app) -> list[str]:
    """The outcome that stands in each cell, A to H."""
    return re.findall('<div class="outcome.*?</div>', html(app))


def mark(app, letters):
    for letter in letters:
        app.checkbox(key=keys.convert_cell("mark", letter)).check()
    return app.run()


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def test_the_closed_board_holds_no_outcome_and_asks_nothing(app, trainer):
    assert len(app.checkbox) == 8
    assert cells(app) == []
    assert "Error" not in text(app) + html(app)
    assert trainer.launched == []
    assert app.button(key=keys.CONVERT_RUN).label == "Run all eight"


def test_the_switches_and_the_letters_choose_the_program_that_is_shown(app):
    assert app.code[0].value == SHIPPED["programs"][0]["code"]
    app.segmented_control(key=keys.convert_part("build")).set_value("inside")
    app.segmented_control(key=keys.convert_part("optimizer")).set_value("sgd")
    app.run()
    assert "**Program C with SGD**, as it runs:" in text(app)
    assert "with strategy.scope():\n    model = keras" in app.code[0].value
    assert 'optimizer="sgd"' in app.code[0].value
    press(app, keys.convert_cell("choose", "G"))
    assert app.segmented_control(key=keys.convert_part("fit")).value == "inside"
    assert app.code[0].value.count("with strategy.scope():") == 2


def test_pressed_it_asks_once_and_cells_fill_as_programs_end(app, trainer):
    mark(app, "DG")
    press(app, keys.CONVERT_RUN)
    assert [folder.name for folder in trainer.launched] == [question_key(convert.TASK, {})]
    assert all("pale" in cell for cell in cells(app))
    assert "A recorded answer" in text(app)

    lines = [json.dumps(one) + "\n" for one in SHIPPED["programs"][:3]]
    (trainer.launched[0] / PROGRESS_NAME).write_text("".join(lines))
    app.run()
    assert [letter for letter, cell in zip("ABCDEFGH", cells(app), strict=True)
            if "pale" not in cell] == ["A", "B", "E"]  # fmt: skip

    folder = trainer.launched[0]
    (folder / RESULT_NAME).write_text(json.dumps(SHIPPED))
    (folder / "outcome.json").write_text('{"event": "run_finished", "checks": {}}')
    trainer.on_exit(folder, 0)
    app.run()
    assert not any("pale" in cell for cell in cells(app))
    assert "Run here, with TensorFlow" in text(app)
    assert len(trainer.launched) == 1


def test_each_cell_says_whether_the_learner_had_called_it(app):
    press(mark(app, "DG"), keys.CONVERT_RUN)
    told = dict(zip("ABCDEFGH", cells(app), strict=True))
    assert "you marked it ✓" in told["D"]
    assert "you marked it ✗" in told["G"]
    assert "you missed it ✗" in told["H"]
    assert "you left it out ✓" in told["A"]
    assert "You called **6 of 8** as TensorFlow did." in text(app)
    assert "2 right, 1 wrong in silence, 5 with an error**, with 3 different messages" in text(app)
    assert "Right are D and H: build and compile inside. Where fit stands" in text(app)


def test_without_marks_nothing_is_judged(app):
    press(app, keys.CONVERT_RUN)
    assert "You called" not in text(app)
    assert not any("you " in cell for cell in cells(app))


@pytest.mark.parametrize(
    ("optimizer", "letter", "told"),
    [
        ("adam", "A", "There is one copy, on CPU:0, and it took all 64 rows."),
        ("adam", "B", "The optimizer belongs to the strategy, the model does not."),
        ("adam", "C", "The weights belong to the strategy, the optimizer does not"),
        ("adam", "D", "The optimizer counted 8 of 8 steps."),
        ("adam", "E", "for one. The optimizer wants to make its own variables"),
        ("adam", "F", "wants its variables beside the weights"),
        ("sgd", "C", "counted 16 steps where 8 were taken"),
        ("sgd", "F", "finds ordinary ones, and stops without a word"),
    ],
)
def test_a_chosen_program_is_explained(app, optimizer, letter, told):
    app.segmented_control(key=keys.convert_part("optimizer")).set_value(optimizer)
    press(app, keys.CONVERT_RUN)
    press(app, keys.convert_cell("choose", letter))
    assert told in " ".join(text(app).split())


def test_the_open_page_has_all_sixteen_as_a_table_and_what_the_three_lines_print(app):
    press(app, keys.CONVERT_RUN)
    assert html(app).count("<tr><td>") == 8
    assert "AssertionError, without a text" in html(app)
    assert "Below program A with Adam it printed:" in text(app)
    assert "[64]" in app.code[-1].value
    press(app, keys.convert_cell("choose", "B"))
    assert "Nothing was trained by program B" in text(app)


def test_try_again_closes_the_board_and_takes_the_marks_away(app, trainer):
    press(mark(app, "DH"), keys.CONVERT_RUN)
    press(app, keys.CONVERT_AGAIN)
    assert [box.value for box in app.checkbox] == [False] * 8
    assert cells(app) == []
    press(app, keys.CONVERT_RUN)
    assert len(trainer.launched) == 1, "what is known is not asked again"


def test_marks_outlast_a_visit_to_another_page(app):
    mark(app, "BD")
    app.switch_page("mirror.py").run()
    app.switch_page("convert_it.py").run()
    marked = [box.key[-1] for box in app.checkbox if box.value]
    assert marked == ["B", "D"]


def test_without_tensorflow_the_recorded_answer_opens_and_says_so(app, monkeypatch, trainer):
    monkeypatch.setattr(convert_state, "tensorflow_is_installed", lambda: False)
    press(app, keys.CONVERT_RUN)
    assert "A recorded answer" in text(app)
    assert "This machine has no TensorFlow that could run them." in text(app)
    assert len(cells(app)) == 8
    assert trainer.launched == []


def test_a_trainer_that_fails_leaves_the_recorded_answer_a_reason_and_a_button(app, trainer):
    trainer.broken = True
    press(app, keys.CONVERT_RUN)
    services.answers().wait(question_key(convert.TASK, {}), 20)
    app.run()
    assert "TensorFlow does not start on this server" in text(app)
    assert not any("pale" in cell for cell in cells(app))
    press(app, keys.ASK_AGAIN)
    assert len(trainer.launched) == 2


def test_a_full_queue_is_said_and_the_recorded_answer_opens_all_the_same(trainer, monkeypatch):
    monkeypatch.setenv("LOCKSTEP_CONCURRENT_RUNS", "1")
    monkeypatch.setenv("LOCKSTEP_QUEUE_LENGTH", "0")
    app = opened("convert_it")
    services.answers().ask("mirror", {})
    press(app, keys.CONVERT_RUN)
    assert "runs are waiting already" in text(app)
    assert "They have not run on this machine." in text(app)
    assert len(cells(app)) == 8
    trainer.on_exit(trainer.launched[0], 1)
    press(app, keys.ASK_AGAIN)
    assert "Running them here" in text(app)
