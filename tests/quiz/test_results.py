"""Looking back on attempts, and taking them away as files."""

from __future__ import annotations

import csv
import io
import json

import pytest

from quiz.export import anki_cards, as_cell, attempts_csv, attempts_json
from quiz.results import over_time, results_of, to_retake


@pytest.fixture
def attempt(desk):
    """Sure and wrong, then right; unsure and right; solution shown; unsaid; blank."""
    attempt = desk.start()
    desk.answer(attempt, "strategy-purpose", "B", "sure")
    desk.answer(attempt, "strategy-purpose", "A", "guess")
    desk.answer(attempt, "correct-start", "B", "fairly")
    desk.answer(attempt, "prediction-shape", "A", "guess")
    desk.reveal(attempt, "prediction-shape")
    desk.hint(attempt, "scope-error", 1)
    desk.answer(attempt, "scope-error", "C")
    return desk.finish(attempt)


def test_results_tell_the_score_and_what_to_do_next(attempt):
    found = results_of(attempt)

    assert (found.score, found.most) == (2.5, 5)
    assert found.missed == ("strategy-purpose", "prediction-shape", "larger-batches")
    assert found.reread == ("overview", "prediction-trace", "faster")
    assert (found.rows[0].first, found.rows[0].final) == ("B", "A")
    assert [row.points for row in found.rows] == [0.6, 1.0, 0, 0.9, 0]


def test_how_sure_is_set_against_how_right_and_blanks_are_left_out(attempt):
    found = results_of(attempt).certainty

    assert found.sure_wrong == ("strategy-purpose",)
    assert found.unsure_wrong == ("prediction-shape",)
    assert found.unsure_right == ("correct-start",)
    assert found.sure_right == ()
    assert found.unsaid == ("scope-error",)


def test_what_was_missed_can_be_taken_again(desk, attempt, bank):
    again = desk.store.start(desk.learner.id, bank, "practice", only=to_retake(attempt, bank))

    assert [q.id for q in again.questions] == list(results_of(attempt).missed)


def test_attempts_over_time_are_the_finished_ones_in_order(desk, attempt):
    desk.start()

    (row,) = over_time(desk.store.all_of(desk.learner.id))

    assert (row["attempt"], row["score"], row["max"]) == (1, 2.5, 5)


def test_the_csv_has_one_line_for_each_question(attempt):
    rows = list(csv.DictReader(io.StringIO(attempts_csv([attempt]))))

    assert [row["question"] for row in rows] == list(attempt.standings)
    assert rows[0]["first_text"] == "Making the data set smaller so that one device can hold it"
    assert [row["points"] for row in rows] == ["0.6", "1.0", "0.0", "0.9", "0.0"]
    assert rows[4]["first_answer"] == ""


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        " =1",
        "\t=1",
        "\r=1",
        "\n=1",
        "\uff1d1",
        "=cmd|' /C calc'!A0",
    ],
)
def test_no_cell_is_a_formula(text: str):
    assert as_cell(text).startswith("'")


@pytest.mark.parametrize("value", ["(64, 10)", "a = b", "", 0.6, -1, "1-2"])
def test_other_cells_are_left_as_they_are(value):
    assert as_cell(value) == str(value)


def test_the_json_says_the_same(attempt):
    (found,) = json.loads(attempts_json([attempt]))["attempts"]

    assert found["score"] == 2.5
    assert found["certainty"]["sure_wrong"] == ["strategy-purpose"]
    assert found["finished_at"].startswith("2026-12-01T09:")


def test_anki_gets_a_card_for_each_question_whose_solution_was_earned(attempt, bank):
    text = anki_cards([attempt])

    head = [line for line in text.splitlines() if line.startswith("#")]
    cards = list(csv.reader(io.StringIO(text.split("\n", len(head))[-1]), delimiter="\t"))
    assert head[:2] == ["#separator:tab", "#html:true"]
    assert [card[0] for card in cards] == [
        f"lockstep-{name}"
        for name in ("strategy-purpose", "correct-start", "prediction-shape", "scope-error")
    ]
    assert all(len(card) == 4 and "\n" not in "".join(card) for card in cards)
    assert "<code>tf.distribute.MirroredStrategy</code>" in cards[0][1]
    assert "    model = build_model()<br>" in cards[1][1]
    assert bank.question("larger-batches").solution[0] not in text


def test_downloads_hold_nothing_that_was_not_earned(desk):
    attempt = desk.start()
    attempt = desk.answer(attempt, "scope-error", "A")
    question = attempt.question("scope-error")
    secret = [question.options[x].feedback for x in "ABCD"]
    secret += [*question.hints, *question.solution, *question.common_mistakes, "move-build-inside"]

    text = attempts_csv([attempt]) + attempts_json([attempt]) + anki_cards([attempt])

    assert [piece for piece in secret if piece in text] == []
    assert "lockstep-" not in anki_cards([attempt])
    assert question.options["C"].text not in text
