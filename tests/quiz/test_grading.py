"""Points: what raises them, what lowers them, and what must not change them."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from quiz.grading import Act, AnswerError, earned_view, grade, public_view, standing
from quiz.model import LETTERS, Bank


def answer(letter: Any, sure: Any = None) -> Act:
    return Act("answer", option=letter, confidence=sure)


def hint(number: int) -> Act:
    return Act("hint", hint=number)


REVEAL = Act("reveal")


@pytest.mark.parametrize(
    "acts, tenths",
    [
        ([], 0),
        ([answer("C")], 10),
        ([answer("A"), answer("C")], 6),
        ([answer("A"), answer("B"), answer("C")], 3),
        ([answer("A"), answer("B"), answer("D"), answer("C")], 0),
        ([answer("A"), answer("A"), answer("A"), answer("C")], 6),
        ([hint(1), answer("C")], 9),
        ([hint(1), hint(1), answer("C")], 9),
        ([hint(1), hint(2), answer("C")], 8),
        ([hint(1), answer("A"), hint(2), answer("C")], 4),
        ([hint(n) for n in range(1, 13)] + [answer("C")], 0),
        ([REVEAL, answer("C")], 0),
        ([answer("A"), REVEAL, answer("C")], 0),
        ([answer("C"), REVEAL, answer("A"), hint(1)], 10),
        ([answer("A"), hint(1)], 0),
    ],
)
def test_points_follow_the_stated_rule(bank: Bank, acts: list[Act], tenths: int):
    assert standing(bank.question("scope-error"), acts).tenths == tenths


def histories(count: int):
    for number in range(count):
        rng = random.Random(number)
        yield [
            rng.choice(
                [*(answer(letter, "sure") for letter in LETTERS), hint(1), hint(2), hint(3), REVEAL]
            )
            for _ in range(rng.randrange(9))
        ]


def test_no_history_leaves_the_range_and_nothing_after_the_end_changes_it(bank: Bank):
    for question in bank.questions:
        for acts in histories(300):
            steps = [standing(question, acts[:end]) for end in range(len(acts) + 1)]
            for before, after in itertools.pairwise(steps):
                assert 0 <= after.tenths <= 10
                assert after.available <= before.available
                assert not (before.closed and after.tenths != before.tenths)
                assert before.tenths in (0, after.tenths)
                assert after.closed >= before.closed
                # What was promised is what a right answer brings.
                if not before.closed and after.right:
                    assert after.tenths == before.available


def test_trying_again_or_a_hint_never_brings_more_than_doing_without(bank: Bank):
    for question in bank.questions:
        for acts in histories(200):
            full = standing(question, acts).tenths
            for left_out, act in enumerate(acts):
                if act.kind != "answer" or act.option != question.answer:
                    without = acts[:left_out] + acts[left_out + 1 :]
                    assert standing(question, without).tenths >= full


def test_repeating_every_act_changes_nothing(bank: Bank):
    question = bank.question("larger-batches")
    for acts in histories(300):
        twice = [act for act in acts for _ in range(3)]
        assert standing(question, twice) == standing(question, acts)


def test_how_sure_is_remembered_of_the_first_try_and_never_scored(bank: Bank):
    question = bank.question("scope-error")

    found = standing(question, [answer("A", "sure"), answer("C", "guess")])

    assert found.confidence == "sure"
    assert {standing(question, [answer("C", sure)]).tenths for sure in ("guess", "sure", None)} == {
        10
    }


def test_a_hint_opened_after_the_right_answer_is_free(bank: Bank):
    found = standing(bank.question("scope-error"), [answer("C"), hint(1)])

    assert (found.tenths, found.hints, found.charged) == (10, (1,), 0)


@pytest.mark.parametrize("blank", [None, ""])
def test_a_blank_is_not_wrong_and_gets_no_feedback(bank: Bank, blank):
    found = grade(bank.question("scope-error"), blank)

    assert found.option is None
    assert found.feedback == ""


def test_each_option_gets_its_own_feedback(bank: Bank):
    for question in bank.questions:
        found = [grade(question, letter) for letter in LETTERS]
        assert len({item.feedback for item in found}) == 4
        assert [item.correct for item in found] == [x == question.answer for x in LETTERS]


@pytest.mark.parametrize("option", ["E", "c", "AB", "C ", "\u0421", "0"])
def test_an_option_that_does_not_exist_is_refused(bank: Bank, option: str):
    with pytest.raises(AnswerError, match="no option"):
        grade(bank.question("scope-error"), option)


def secrets_of(question) -> list[str]:
    """Every text that has to be earned."""
    found = [*question.hints, *question.solution, *question.common_mistakes, question.lesson]
    found += [option.feedback for option in question.options.values()]
    found += [o.evidence.experiment for o in question.options.values() if o.evidence]
    return [*found, question.in_practice or question.solution[0]]


def test_before_answering_a_learner_can_see_nothing_that_has_to_be_earned(bank: Bank):
    for question in bank.questions:
        view = repr(public_view(question)) + repr(earned_view(question, standing(question, [])))
        assert [text for text in secrets_of(question) if repr(text)[1:-1] in view] == []
        assert "answer" not in public_view(question)


def test_options_are_lettered_as_they_are_shown_not_as_they_are_kept(bank: Bank):
    question = bank.question("scope-error")

    view = public_view(question, ("C", "A", "D", "B"))

    assert [option["letter"] for option in view["options"]] == list("ABCD")
    assert view["options"][0]["text"] == question.options["C"].text
    assert set(view["options"][0]) == {"letter", "text", "code"}


def test_a_wrong_answer_earns_its_own_feedback_and_nothing_else(bank: Bank):
    for question in bank.questions:
        wrong = next(letter for letter in LETTERS if letter != question.answer)
        earned = earned_view(question, standing(question, [answer(wrong), hint(1)]))
        mine = question.options[wrong].feedback
        assert earned == {"right": False, "feedback": mine, "hints": [question.hints[0]]}


def test_a_closed_question_earns_its_solution(bank: Bank):
    question = bank.question("scope-error")
    for acts in ([answer("C")], [REVEAL]):
        earned = earned_view(question, standing(question, acts))
        assert earned["solution"] == list(question.solution)
        assert earned["key"] == "C"
        assert earned["evidence"]["A"]["experiment"] == "move-compile-outside"
