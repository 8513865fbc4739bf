"""Break it under AppTest with a fake trainer: what is run finds its place, and says whose it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pipeline import cards, run_log
from pipeline.answers import RECORDED, question_key, recorded_key
from pipeline.cards import CARDS, TASK
from pipeline.events import RunFinished
from ui import break_it_card, break_it_cards, keys, services
from ui.words import fill

pytestmark = pytest.mark.usefixtures("trainer")
ROOT = Path(__file__).resolve().parents[2]
NUMBERS = re.compile(r"\d\d")


@pytest.fixture
def app() -> AppTest:
    opened = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=60)
    opened.run()  # the page's URL is known once the pages are
    return opened.switch_page("break_it.py")


@pytest.fixture
def without_tensorflow(monkeypatch):
    for module in (break_it_cards, __import__("pipeline.launch", fromlist=["x"])):
        monkeypatch.setattr(module, "tensorflow_is_installed", lambda: False)


def said(app: AppTest) -> str:
    assert not app.exception, app.exception
    return "\n".join(
        [*(part.value for part in app.markdown), *(part.value for part in app.code)]
        + [part.proto.body for part in app.get("html")]
    )


def open_card(app: AppTest, slug: str) -> AppTest:
    return app.selectbox(keys.CARD_CHOSEN).set_value(slug).run()


def answer(tmp_path: Path, name: str) -> None:
    """Put an answer where one that was asked would be: the recorded one."""
    folder = tmp_path / "answers" / question_key(TASK, {"name": name})
    shipped = RECORDED / recorded_key(TASK, {"name": name}) / "result.json"
    folder.mkdir(parents=True)
    (folder / "request.json").write_text("{}")
    (folder / "result.json").write_bytes(shipped.read_bytes())
    run_log.end(folder / run_log.FILE_NAME, RunFinished(checks={}))


def test_before_anything_was_run_no_verdict_is_shown(app):
    app.run()

    assert "None has run." in said(app)
    assert "Reported in public" not in said(app)
    assert app.session_state[keys.CARD_CHOSEN] == CARDS[0].slug


def test_a_link_opens_its_card(app):
    app.query_params["card"] = "dropout"
    app.run()

    assert any(break_it_cards.words("dropout").title in part.value for part in app.header)
    assert "def dropped_alike" in said(app)


def test_running_a_card_asks_tensorflow_and_says_that_it_waits(app, trainer):
    app.run()
    app.button(keys.CARD_BUTTON).click().run()

    assert len(trainer.launched) == 1
    assert "TensorFlow runs it on two devices" in said(app)
    assert "Reported in public" not in said(app)


def test_without_tensorflow_a_card_shows_the_recorded_answer_and_says_so(app, without_tensorflow):
    app.run()
    app.radio(keys.card_guess("card-scope-unused")).set_value("error").run()
    app.button(keys.CARD_BUTTON).click().run()
    told = said(app)

    assert "A recorded answer" in told
    assert "This machine has no TensorFlow" in told
    assert "A silent mistake." in told
    assert "end with an error" in told
    assert "https://github.com/tensorflow/tensorflow/issues/33764" in told


def test_all_recorded_answers_are_placed_and_listed(app, without_tensorflow):
    app.run()
    app.button(keys.CARDS_ALL).click().run()
    told = said(app)

    counts = break_it_cards.recorded_counts()
    assert told.count("<tr><td>") >= len(CARDS)
    for card in CARDS:
        assert break_it_cards.words(card.slug).short in told
    assert counts.total() == len(CARDS)
    assert not [button for button in app.button if button.key == keys.CARDS_ALL]


def test_every_choice_shows_code_verdict_repair_and_reports(app, without_tensorflow):
    verdicts = {
        "error": "An error.",
        "hangs": "It hangs.",
        "silent": "A silent mistake.",
        "fine": "It is right.",
    }
    app.session_state[keys.CARDS_RUN] = [choice.name for choice in cards.choices()]
    app.run()
    for card in CARDS:
        open_card(app, card.slug)
        words = break_it_cards.words(card.slug)
        for choice in card.choices:
            if choice.key:
                app.radio(keys.card_choice(card.slug)).set_value(choice.key).run()
            told = said(app)
            assert f"### {verdicts[choice.verdict]}" in told, choice.name
            assert words.why in told
            assert words.fix in told
            for program in (choice.program, choice.other_program):
                assert break_it_card.source(program) in told
            for report in card.reports:
                assert cards.link(report) in told


def test_when_tensorflow_fails_the_recorded_answer_stands_in_with_the_reason(app, trainer):
    trainer.broken = True
    app.run()
    app.button(keys.CARD_BUTTON).click().run()
    question = cards.CARDS[0].choices[0].question
    services.answers().wait(question_key(TASK, question), 10)
    app.run()
    told = said(app)

    assert "A recorded answer" in told
    assert "does not start on this server" in told.replace("\\", "")
    assert app.button(keys.ASK_AGAIN)


def test_an_answer_of_tensorflow_is_shown_at_once_and_not_called_recorded(app, tmp_path):
    answer(tmp_path, "card-scope-unused")
    app.run()
    app.button(keys.CARD_BUTTON).click().run()
    told = said(app)

    assert "A silent mistake." in told
    assert "A recorded answer" not in told
    assert not app.get("warning")


def test_run_all_puts_a_few_questions_at_a_time(app, trainer):
    app.run()
    app.button(keys.CARDS_ALL).click().run()

    waiting = services.runs().workers.unfinished()
    assert len(waiting) <= break_it_cards.TOGETHER


def test_every_card_has_words_and_every_choice_a_label_of_its_own():
    for card in CARDS:
        words = break_it_cards.words(card.slug)
        assert len(words.short) <= 20
        assert not NUMBERS.search(words.title)
        if len(card.choices) > 1:
            assert set(words.choices) == {choice.key for choice in card.choices}
            assert len({words.label(choice) for choice in card.choices}) == len(card.choices)
        else:
            assert not words.choices
        assert fill(words.why, {}) == words.why


def test_no_words_are_left_of_a_card_that_is_gone():
    assert set(break_it_cards._all()) == {card.slug for card in CARDS}
