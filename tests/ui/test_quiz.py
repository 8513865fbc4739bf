"""The quiz pages without a browser: what stands on them, and what is said when something fails.

The real pages under Streamlit's AppTest on a real database file; no TensorFlow starts.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from streamlit.testing.v1 import AppTest

from pipeline.answers import Answer
from pipeline.limits import LimitError
from quiz.results import Certainty, Row
from tests.pipeline.test_feed import IdleLauncher
from ui import keys, learner, services
from ui.quiz import bank_in_use, proof
from ui.quiz.earned import verdict_in_words
from ui.quiz.results_view import grid, in_cells, sure_wrong
from ui.quiz.wording import labels, points, short

ROOT = Path(__file__).resolve().parents[2]
BANK = ROOT / "quiz/bank.yaml"
OWNER = "a browser's cookie"
RESULT = {
    "name": "built-inside-scope",
    "claim": "It trains on both devices.",
    "observation": {"copies": 2},
    "saw": "2 copies of the weights.",
    "code": "print(2)",
    "holds": True,
    "control": {"what": "Leave the scope unused.", "saw": "1 copy.", "holds": False},
    "seconds": 1.25,
}


class FakeAnswers:
    """Answers as a test wants them: by experiment, one state each."""

    def __init__(self, state="done", error="", full=False):
        self.state, self.error, self.full = state, error, full
        self.asked = []

    def ask(self, task, arguments):
        assert task == "experiment"
        if self.full:
            raise LimitError("30 runs are waiting already.")
        self.asked.append(arguments["name"])
        return self.known(task, arguments)

    def known(self, task, arguments):
        if arguments["name"] not in self.asked:
            return None
        return Answer("key", Path("key"), self.state, RESULT, self.error)

    def get(self, key):
        return Answer(key, Path(key), self.state, RESULT, self.error)

    def recorded(self, task, arguments):
        return None


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCKSTEP_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr(services, "default_launcher", lambda *_: IdleLauncher())
    monkeypatch.setattr(bank_in_use, "_logged", ())
    monkeypatch.setattr(learner, "owner", lambda: OWNER)
    made = [services.runs, services.uploads, services.answers, services.feed]
    made += [services.bank_keeper, services.learners, services.attempts, services._database]
    for cached in made:
        cached.cache_clear()
    yield
    services.runs().close()
    services._database().dispose()
    for cached in made:
        cached.cache_clear()


def opened(page="practice_quiz"):
    app = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=30)
    app.run()  # the file of a page is known by its URL only once the navigation has been drawn
    app.switch_page(f"{page}.py").run()
    assert not app.exception
    return app


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def said(app):
    found = [node.value for kind in (app.markdown, app.warning, app.header) for node in kind]
    return "\n".join(found)


def the_attempt():
    with services._database().connect() as db:
        (found,) = (row[0] for row in db.exec_driver_sql("SELECT id FROM learners"))
    return services.attempts().all_of(found)[-1]


def closed(question="strategy-purpose"):
    """The quiz with this question's solution shown."""
    app = press(opened(), keys.QUIZ_START)
    press(app, keys.quiz_part("goto", question))
    return press(app, keys.quiz_part("show", question))


def test_opening_a_page_writes_nothing_and_start_begins_one_attempt():
    app = opened()
    with services._database().connect() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM learners").scalar() == 0
    press(app, keys.QUIZ_START)
    assert next(iter(the_attempt().orders)) == "strategy-purpose"
    assert "0 of 5 done" in said(app)


def test_how_the_quiz_is_taken_is_kept():
    app = opened()
    app.radio(key=keys.QUIZ_MODE).set_value("all").run()
    press(app, keys.QUIZ_START)
    assert [h.value.split(" ·")[0] for h in app.header] == [
        f"Question {number} of 5" for number in range(1, 6)
    ]
    app.radio(key=keys.QUIZ_MODE).set_value("one").run()
    assert len(app.header) == 1
    assert the_attempt() is not None
    assert services.learners().learner(OWNER).mode == "one"


def test_an_answer_that_cannot_be_kept_says_so_and_the_same_press_counts_later(monkeypatch):
    app = press(opened(), keys.QUIZ_START)
    attempt = the_attempt()
    choice = keys.quiz_choice(attempt.id, "strategy-purpose")
    app.radio(key=choice).set_value("A")

    def broken(*_, **__):
        raise OperationalError("INSERT", {}, Exception("disk full"))

    with monkeypatch.context() as patch:
        patch.setattr(services.attempts(), "answer", broken)
        press(app, keys.quiz_part("check", "strategy-purpose"))
    assert "could not be kept" in said(app)
    assert the_attempt().acts == ()
    press(app, keys.quiz_part("check", "strategy-purpose"))
    assert "**Right.** 1 of 1 point." in said(app)


def test_a_bank_with_faults_leaves_the_last_good_one_in_use(tmp_path, monkeypatch, caplog):
    bank = tmp_path / "bank.yaml"
    bank.write_text(BANK.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("LOCKSTEP_BANK", str(bank))
    app = press(opened(), keys.QUIZ_START)
    bank.write_text("version: 2\nquestions: no\n", encoding="utf-8")
    with caplog.at_level(logging.ERROR, "lockstep.quiz"):
        app.run()
        app.run()
    assert "Question 1 of 5" in said(app)
    assert "For the teacher" not in said(app)
    lines = [r.getMessage() for r in caplog.records if r.name == "lockstep.quiz"]
    assert len(lines) == len(set(lines)) >= 1
    assert all("bank.yaml:" in line for line in lines)
    monkeypatch.setenv("LOCKSTEP_TEACHER", "1")
    app.run()
    assert "For the teacher" in said(app)
    assert lines[0] in app.code[0].value


def test_without_any_good_bank_a_learner_gets_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCKSTEP_BANK", str(tmp_path / "none.yaml"))
    app = opened()
    assert "cannot be shown right now" in said(app)
    assert "none.yaml" not in said(app)


def test_a_set_that_is_added_to_the_bank_can_be_chosen(tmp_path, monkeypatch):
    bank = tmp_path / "bank.yaml"
    text = BANK.read_text(encoding="utf-8")
    last = text[text.index("  - id: really-two") :]
    more = last.replace("id: really-two", "id: more-devices").replace("further", "exam-practice")
    more = more.replace("proves that a model really", "shows best that some model")
    text = text.replace("sets:\n", "sets:\n  exam-practice: {title: Exam practice}\n")
    bank.write_text(text + more, encoding="utf-8")
    monkeypatch.setenv("LOCKSTEP_BANK", str(bank))
    app = opened("going_further")
    assert app.selectbox(key=keys.QUIZ_SET).options == ["Going further", "Exam practice"]
    app.selectbox(key=keys.QUIZ_SET).set_value("exam-practice").run()
    assert app.title[0].value == "Exam practice"
    press(app, keys.QUIZ_START)
    assert list(the_attempt().orders) == ["more-devices"]


def test_an_edited_bank_does_not_change_an_attempt_and_the_learner_is_told(tmp_path, monkeypatch):
    bank = tmp_path / "bank.yaml"
    text = BANK.read_text(encoding="utf-8")
    bank.write_text(text, encoding="utf-8")
    monkeypatch.setenv("LOCKSTEP_BANK", str(bank))
    app = press(opened(), keys.QUIZ_START)
    bank.write_text(text.replace("made for?", "meant for?"), encoding="utf-8")
    app.run()
    assert "made for?" in said(app)
    assert "were changed after you began" in said(app)


# ------------------------------------------------------------------- prove it


def test_prove_it_shows_claim_code_what_was_seen_and_the_control(monkeypatch):
    answers = FakeAnswers()
    monkeypatch.setattr(services, "answers", lambda: answers)
    app = closed("correct-start")
    assert answers.asked == []
    press(app, keys.quiz_part("prove", "correct-start"))
    assert answers.asked == [
        "built-before-strategy",
        "built-inside-scope",
        "scope-never-used",
        "strategy-after-fit",
    ]
    told = said(app)
    assert told.count("**holds** · It trains on both devices.") == 4
    assert (
        "**Control.** Leave the scope unused. Then: 1 copy\\. So the claim does not hold." in told
    )
    assert "print(2)" in [block.value for block in app.code]


@pytest.mark.parametrize(
    "answers, expected",
    [
        (FakeAnswers("failed", error="there is no task 'experiment'"), "TensorFlow gave no answer"),
        (FakeAnswers(full=True), "The queue was full"),
    ],
    ids=["failed", "full"],
)
def test_a_proof_that_fails_says_so_plainly_and_can_be_asked_again(monkeypatch, answers, expected):
    monkeypatch.setattr(services, "answers", lambda: answers)
    app = press(closed(), keys.quiz_part("prove", "strategy-purpose"))
    assert expected in said(app)
    answers.state, answers.full = "done", False
    press(app, keys.quiz_part("again", "strategy-purpose"))
    assert "It trains on both devices." in said(app)


def test_without_tensorflow_prove_it_says_so_and_asks_nothing(monkeypatch):
    answers = FakeAnswers()
    monkeypatch.setattr(services, "answers", lambda: answers)
    monkeypatch.setattr(proof, "tensorflow_is_installed", lambda: False)
    app = press(closed(), keys.quiz_part("prove", "strategy-purpose"))
    assert answers.asked == []
    assert "This machine has no TensorFlow" in said(app)


def test_before_a_question_is_closed_there_is_nothing_to_prove():
    app = press(opened(), keys.QUIZ_START)
    names = [button.key for button in app.button]
    assert keys.quiz_part("prove", "strategy-purpose") not in names


# ------------------------------------------------------------ words and tables


def view(**changes):
    found = {"right": False, "tried": [], "revealed": False, "feedback": "", "available": 1.0}
    return found | {"points": 0.0, "key": "C"} | changes


@pytest.mark.parametrize(
    "given, over, last",
    [
        (view(right=True, tried=["A"], points=1.0, feedback="Yes."), False, "Yes."),
        (view(tried=["A"], available=0.6), False, "You can try again for 0.6 points."),
        (view(tried=["A", "B", "D"], available=0.0), False, "there are no points left"),
        (view(revealed=True), False, "**The right answer is C.**"),
        (view(tried=["A"]), True, "the question was left open"),
    ],
)
def test_a_verdict_says_what_can_be_done_next(given, over, last):
    assert last in verdict_in_words(given, over=over)[-1]


def row(**changes):
    given = {
        "question_id": "q",
        "prompt": "Which?",
        "first": None,
        "first_text": "",
        "final": None,
        "final_text": "",
        "first_right": False,
        "right": False,
        "revealed": False,
        "tries": 0,
        "hints": 0,
        "confidence": None,
        "points": 0.0,
        "lesson": "load",
    }
    return Row(**(given | changes))


@pytest.mark.parametrize(
    "given, cells",
    [
        (row(), ("not answered", "not answered", "0")),
        (row(revealed=True), ("not answered", "solution shown", "0")),
        (
            row(first="A", final="B", right=True, tries=2, hints=1, points=0.5),
            ("A, not right", "B, right", "0.5 with a hint"),
        ),
        (
            row(first="A", final="A", tries=1, revealed=True),
            ("A, not right", "A, not right, then the solution", "0"),
        ),
    ],
)
def test_a_question_in_the_table_of_results(given, cells):
    assert in_cells(3, given) == ("3. Which?", *cells)


def test_sure_but_wrong_comes_first():
    certainty = Certainty(("c", "a"), ("d",), (), ("b",), ())
    numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
    _, rows = grid(certainty, numbers)
    assert rows == [("sure", "questions 1, 3", "question 2"), ("not sure", "question 4", "none")]
    assert "questions 1, 3" in sure_wrong(certainty, numbers)
    assert "never sure and wrong" in sure_wrong(Certainty((), ("a",), (), (), ()), numbers)


def test_options_that_are_programs_are_chosen_by_letter_alone():
    options = [{"letter": letter, "text": None, "code": f"f({letter})"} for letter in "AB"]
    assert labels({"options": options}) == {"A": "A", "B": "B"}
    options[0]["code"] = options[1]["code"] = None
    options[0]["text"], options[1]["text"] = "one", "two"
    assert labels({"options": options}) == {"A": "**A**\u2002one", "B": "**B**\u2002two"}


def test_small_words():
    assert points(1.0) == "1 point"
    assert points(0.3) == "0.3 points"
    assert short("What is `fit` *for*?") == "What is fit for?"
    assert short("word " * 40).endswith("word …")
