"""Attempts as learners live them: kept, resumed, counted once, never another's."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from quiz.attempts import AttemptClosed, BlankAnswer, NoSuchAttempt
from quiz.grading import AnswerError
from quiz.model import LETTERS, Bank
from tests.hostile import values

RIGHT = {"strategy-purpose": "A", "correct-start": "B", "prediction-shape": "D"}


def rows(desk, table: str) -> int:
    with desk.engine.connect() as db:
        return int(db.scalar(sa.text(f"SELECT count(*) FROM {table}")) or 0)


def test_an_attempt_is_as_it_was_after_the_server_starts_again(desk, url, bank):
    attempt = desk.start()
    desk.answer(attempt, "scope-error", "A", "sure")
    desk.hint(attempt, "scope-error", 1)
    before = desk.answer(attempt, "strategy-purpose", "A", "guess")
    desk.engine.dispose()

    again = type(desk)(url, bank)
    after = again.store.unfinished(again.learner.id, "practice")

    assert after == before
    assert again.learner == desk.learner
    again.engine.dispose()


def test_starting_twice_goes_on_with_the_same_attempt(desk):
    first = desk.start()
    desk.answer(first, "scope-error", "C")

    second = desk.start()

    assert second.id == first.id
    assert second.score == 1
    assert desk.start("check").id != first.id


def test_the_same_press_counts_once_however_often_it_arrives(desk):
    attempt = desk.start()
    for _ in range(3):
        found = desk.store.answer(
            desk.learner.id, attempt.id, "scope-error", "A", client_id="one press"
        )

    assert rows(desk, "acts") == 1
    assert found.standing("scope-error").tried == ("A",)
    assert found.standing("scope-error").available == 6


def test_a_press_that_arrives_again_after_the_end_is_answered_and_not_refused(desk):
    attempt = desk.start()
    press = (desk.learner.id, attempt.id, "scope-error", "C")
    before = desk.store.answer(*press, client_id="p")
    desk.finish(attempt)

    after = desk.store.answer(*press, client_id="p")

    assert after.acts == before.acts


def test_a_wrong_option_chosen_again_costs_nothing(desk):
    attempt = desk.start()
    for _ in range(3):
        desk.answer(attempt, "scope-error", "A")

    assert desk.answer(attempt, "scope-error", "C").score == 0.6


def test_two_tabs_cannot_make_more_of_an_attempt_than_one(desk):
    one, two = desk.start(), desk.start()
    desk.answer(one, "scope-error", "C")
    desk.answer(two, "scope-error", "C")
    desk.answer(two, "scope-error", "A")
    desk.hint(one, "scope-error", 1)

    found = desk.store.get(desk.learner.id, one.id)

    assert found.score == 1
    assert found.done == 1


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_blank_is_not_recorded(desk, nothing):
    attempt = desk.start()

    with pytest.raises(BlankAnswer, match="Choose an option first"):
        desk.answer(attempt, "scope-error", nothing)

    assert rows(desk, "acts") == 0


@pytest.mark.parametrize(
    "question_id, letter, sure",
    [
        ("scope-error", "E", None),
        ("scope-error", "c", None),
        ("why-split", "B", None),
        ("nothing", "B", None),
        ("scope-error", "C", "certain"),
        ("' OR 1=1 --", "C", None),
    ],
)
def test_what_fits_no_question_is_refused_and_not_recorded(desk, question_id, letter, sure):
    attempt = desk.start()

    with pytest.raises(AnswerError):
        desk.answer(attempt, question_id, letter, sure)

    assert rows(desk, "acts") == 0


def test_another_learner_s_attempt_cannot_be_seen_or_changed(desk):
    attempt = desk.start()
    other = desk.learners.learner("another cookie")

    with pytest.raises(NoSuchAttempt):
        desk.store.get(other.id, attempt.id)
    with pytest.raises(NoSuchAttempt):
        desk.store.answer(other.id, attempt.id, "scope-error", "C", client_id="p")
    with pytest.raises(NoSuchAttempt):
        desk.store.finish(other.id, attempt.id)
    assert desk.store.get(desk.learner.id, attempt.id).finished_at is None


def test_a_finished_attempt_takes_no_more_answers_and_is_followed_by_a_new_one(desk):
    attempt = desk.finish(desk.start())

    with pytest.raises(AttemptClosed):
        desk.answer(attempt, "scope-error", "C")
    assert desk.finish(attempt).finished_at == attempt.finished_at
    assert desk.start().id != attempt.id
    assert desk.store.all_of(desk.learner.id, "practice")[0].id == attempt.id


def test_editing_the_bank_changes_nothing_in_an_attempt_that_was_begun(desk, bank: Bank):
    attempt = desk.start()
    desk.answer(attempt, "scope-error", "C")
    content = json.loads(bank.to_json())
    for question in content["questions"]:
        question["answer"] = "B"
        question["prompt"] = "Edited"
    desk.bank = Bank.from_json(json.dumps(content))

    going_on = desk.start()

    assert going_on.id == attempt.id
    assert going_on.score == 1
    assert going_on.question("scope-error").prompt != "Edited"
    assert going_on.bank_hash != desk.bank.content_hash
    desk.finish(going_on)
    assert desk.start().question("scope-error").prompt == "Edited"


def test_a_bank_is_kept_once_for_all_attempts_at_it(desk):
    for _ in range(3):
        desk.finish(desk.start())

    assert rows(desk, "attempts") == 3
    assert rows(desk, "banks") == 1


def test_hints_open_in_order_and_each_is_charged_once(desk):
    attempt = desk.start()

    with pytest.raises(AnswerError, match="2 hints, 0 of them open; 2 is not next"):
        desk.hint(attempt, "scope-error", 2)
    desk.hint(attempt, "scope-error", 1)
    desk.hint(attempt, "scope-error", 1)
    desk.hint(attempt, "scope-error", 2)
    with pytest.raises(AnswerError, match="3 is not next"):
        desk.hint(attempt, "scope-error", 3)

    assert desk.answer(attempt, "scope-error", "C").score == 0.8
    view = desk.store.get(desk.learner.id, attempt.id).view("scope-error")
    assert view["hints"] == list(desk.bank.question("scope-error").hints)


def test_asking_for_the_solution_closes_a_question_without_points(desk):
    attempt = desk.start()
    desk.reveal(attempt, "scope-error")

    found = desk.answer(attempt, "scope-error", "C")

    assert (found.score, found.done) == (0, 1)
    assert found.view("scope-error")["solution"]


def test_solutions_can_be_asked_for_after_the_end_without_changing_points(desk):
    attempt = desk.start()
    desk.answer(attempt, "scope-error", "C")
    desk.answer(attempt, "correct-start", "A")
    before = desk.finish(attempt)

    after = desk.reveal(attempt, "correct-start")

    assert after.view("correct-start")["solution"]
    assert after.score == before.score == 1


def test_options_of_a_shuffled_set_keep_their_order_and_their_meaning(desk, bank: Bank):
    attempt = desk.start("further")
    desk.engine.dispose()
    again = desk.store.unfinished(desk.learner.id, "further")

    assert again.orders == attempt.orders
    assert any(order != LETTERS for order in attempt.orders.values())
    for question in attempt.questions:
        view = again.view(question.id)
        for place, letter in enumerate(LETTERS):
            stable = again.stable_letter(question.id, letter)
            assert view["options"][place]["text"] == question.options[stable].text
            assert again.shown_letter(question.id, stable) == letter
        shown = again.shown_letter(question.id, question.answer)
        again = desk.answer(again, question.id, shown)
        assert again.view(question.id)["key"] == shown
        assert again.view(question.id)["tried"] == [shown]
    assert again.score == 5


def test_a_set_that_does_not_shuffle_keeps_the_order_of_the_bank(desk):
    assert set(desk.start().orders.values()) == {LETTERS}


def test_only_some_questions_can_be_taken_again(desk, bank: Bank):
    attempt = desk.store.start(
        desk.learner.id, bank, "practice", only={"scope-error", "larger-batches", "gone"}
    )

    assert [question.id for question in attempt.questions] == ["scope-error", "larger-batches"]
    assert attempt.most == 2
    with pytest.raises(AnswerError):
        desk.answer(attempt, "correct-start", "B")


@pytest.mark.parametrize("set_name, only", [("exam", None), ("practice", {"gone"})])
def test_an_attempt_at_nothing_is_refused(desk, bank, set_name, only):
    with pytest.raises(AnswerError, match="no such questions"):
        desk.store.start(desk.learner.id, bank, set_name, only)


def test_what_may_leave_the_server_holds_nothing_that_was_not_earned(desk):
    attempt = desk.start()
    desk.answer(attempt, "scope-error", "A")
    question = attempt.question("scope-error")
    secret = [question.options[x].feedback for x in "BCD"] + [*question.hints, *question.solution]

    view = desk.store.get(desk.learner.id, attempt.id).view("scope-error")

    assert [text for text in secret if text in json.dumps(view, ensure_ascii=False)] == []
    assert question.options["A"].feedback in json.dumps(view, ensure_ascii=False)
    assert "key" not in view


# ------------------------------------------------------------------- learners


def test_a_visit_writes_nothing_until_the_learner_starts(desk):
    before = rows(desk, "learners")

    assert desk.learners.find("a passer-by") is None
    assert rows(desk, "learners") == before


def test_a_learner_goes_on_from_another_device_with_a_code_typed_somehow(desk):
    attempt = desk.start()
    desk.answer(attempt, "scope-error", "C")
    code = desk.learners.new_code(desk.learner.id)
    typed = " " + code.lower().replace("-", " ").replace("0", "o").replace("1", "l")

    found = desk.learners.resume("the phone", typed)

    assert found.id == desk.learner.id
    assert found.has_code
    assert desk.learners.find("the phone").id == desk.learner.id
    assert desk.learners.find("cookie").id == desk.learner.id
    assert desk.store.unfinished(found.id, "practice").score == 1


def test_a_clock_that_is_set_back_leaves_attempts_in_the_order_they_were_made(desk):
    first = desk.finish(desk.start())
    desk.clock.now -= timedelta(days=365)
    second = desk.finish(desk.start())
    third = desk.start()

    found = desk.store.all_of(desk.learner.id)

    assert [attempt.id for attempt in found] == [first.id, second.id, third.id]
    moments = [first.started_at, first.finished_at, second.started_at, second.finished_at]
    assert [*moments, third.started_at] == sorted({*moments, third.started_at})


def test_a_thousand_hostile_codes_are_nobody_s(desk):
    desk.learners.new_code(desk.learner.id)
    for typed in values(seed=6, count=1_000):
        assert desk.learners.resume("the phone", typed) is None
    assert desk.learners.find("the phone") is None


@pytest.mark.parametrize(
    "typed", ["", "no", "00000-00000", "x" * 100_000, "U" * 10, "' OR '1", "é"]
)
def test_what_is_nobody_s_code_changes_nothing(desk, typed: str):
    desk.learners.new_code(desk.learner.id)

    assert desk.learners.resume("the phone", typed) is None
    assert desk.learners.find("the phone") is None


def test_neither_a_cookie_nor_a_code_stands_in_the_database(desk, url: str):
    learner = desk.learners.learner("what the browser sends")
    code = desk.learners.new_code(learner.id)
    desk.engine.dispose()

    kept = b"".join(file.read_bytes() for file in Path(url[10:]).parent.glob("*.db*"))

    assert learner.id.encode() in kept
    for secret in ("what the browser sends", code, code.replace("-", "")):
        assert secret.encode() not in kept


def test_a_new_code_replaces_the_one_before(desk):
    old, new = (desk.learners.new_code(desk.learner.id) for _ in range(2))

    assert old != new
    assert desk.learners.resume("the phone", old) is None
    assert desk.learners.resume("the phone", new).id == desk.learner.id


def test_a_device_that_was_someone_else_s_leaves_their_attempts_alone(desk, bank: Bank):
    other = desk.learners.learner("the phone")
    theirs = desk.store.start(other.id, bank, "practice")
    code = desk.learners.new_code(desk.learner.id)

    desk.learners.resume("the phone", code)

    assert desk.learners.find("the phone").id == desk.learner.id
    assert desk.store.get(other.id, theirs.id).learner_id == other.id


def test_neither_cookies_nor_codes_are_in_the_database(desk, url: str):
    code = desk.learners.new_code(desk.learner.id)
    desk.learners.learner("a cookie to look for")
    desk.engine.dispose()

    folder = Path(url.removeprefix("sqlite:///")).parent
    kept = b"".join(path.read_bytes() for path in folder.iterdir())

    for secret in (code, code.replace("-", ""), "a cookie to look for"):
        assert secret.encode() not in kept


def test_how_a_learner_takes_the_quiz_is_remembered(desk):
    assert desk.learner.mode == "one"

    desk.learners.set_mode(desk.learner.id, "all")

    assert desk.learners.find("cookie").mode == "all"
    with pytest.raises(ValueError, match="'one' or 'all'"):
        desk.learners.set_mode(desk.learner.id, "some")
