"""The quiz in a real browser, on a real database file."""

from __future__ import annotations

import csv
import json
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Newcomer
from tests.browser.quiz import QuizView, serious_faults
from tests.serving import WITHOUT_TENSORFLOW, Serve, Server, attempts_in

pytestmark = pytest.mark.browser
KEY = {
    "strategy-purpose": "A",
    "correct-start": "B",
    "prediction-shape": "D",
    "scope-error": "C",
    "larger-batches": "A",
}


def test_the_five_right_answers_score_full_marks_with_the_keyboard_alone(
    page: Page, server: Server
):
    before = {attempt.id for attempt in attempts_in(server)}
    quiz = QuizView(page, server.url).open()
    press = page.keyboard.press
    quiz.tab_to("start")
    press("Enter")
    for number, (question, letter) in enumerate(KEY.items(), start=1):
        expect(quiz.part(f"question_{question}")).to_be_focused()
        quiz.tab_to("choice_")
        press("Space")
        for _ in range("ABCD".index(letter)):
            press("ArrowDown")
        quiz.tab_to("sure_")
        press("Space")
        quiz.tab_to(f"check_{question}")
        press("Enter")
        expect(quiz.part(f"verdict1_{question}")).to_be_focused()
        expect(quiz.part(f"verdict1_{question}")).to_contain_text("Right. 1 of 1 point.")
        quiz.tab_to("to_results" if number == len(KEY) else f"next_{question}")
        press("Enter")

    expect(quiz.part("results")).to_be_focused()
    expect(quiz.part("results")).to_contain_text("5 of 5 points")
    expect(page.locator(".said")).to_have_text("5 of 5 points")
    (attempt,) = (a for a in attempts_in(server) if a.id not in before)
    assert [(a.question_id, a.act.option, a.act.confidence) for a in attempt.acts] == [
        (question, letter, "guess") for question, letter in KEY.items()
    ]
    assert attempt.score == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_state_says_what_it_is_and_has_no_serious_fault_for_those_who_need_help(
    newcomer: Newcomer, server: Server, scheme: str
):
    context = newcomer(
        color_scheme=scheme,
        viewport={"width": 1280 if scheme == "light" else 390, "height": 1600},
    )
    page = context.new_page()
    quiz = QuizView(page, server.url).open()
    quiz.start()
    assert serious_faults(page) == []

    quiz.button("check_strategy-purpose").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose an option first.")
    expect(quiz.button("check_strategy-purpose")).to_be_focused()
    verdict = quiz.answer("strategy-purpose", "B", sure="sure")
    expect(verdict).to_be_focused()
    expect(verdict).to_contain_text("Not right. You chose B.")
    expect(verdict).to_contain_text("You can try again for 0.6 points.")
    expect(page.get_by_text("Choose an option first.")).to_have_count(0)
    expect(page.locator(".said")).to_contain_text("Not right.")
    assert serious_faults(page) == []

    expect(quiz.button("open1_strategy-purpose")).to_have_text(
        "Open hint 1 of 2 (costs 0.1 points)"
    )
    quiz.button("open1_strategy-purpose").click()
    expect(quiz.part("hint1_strategy-purpose")).to_be_focused()
    expect(verdict).to_contain_text("You can try again for 0.5 points.")
    assert serious_faults(page) == []

    quiz.answer("strategy-purpose", "A", number=2)
    expect(quiz.part("verdict2_strategy-purpose")).to_contain_text("Right. 0.5 of 1 point.")
    expect(page.get_by_role("heading", name="Common mistakes")).to_be_visible()
    expect(page.get_by_role("link", name="Read again: Overview")).to_be_visible()
    assert serious_faults(page) == []

    quiz.go_to("correct-start")
    assert serious_faults(page) == []
    quiz.button("show_correct-start").click()
    expect(quiz.part("verdict1_correct-start")).to_contain_text("The right answer is B.")
    quiz.go_to("larger-batches")
    quiz.button("ask_finish").click()
    expect(quiz.part("finish")).to_contain_text("3 questions are still open")
    quiz.button("finish_anyway").click()

    results = quiz.part("results")
    expect(results).to_be_focused()
    expect(results).to_contain_text("0.5 of 5 points")
    expect(results).to_contain_text("You were sure of your first answer to question 1")
    first_cell = page.locator("table.certainty tbody td").nth(1)
    expect(first_cell).to_have_text("question 1")
    page.locator(".st-key-quiz_review_correct-start summary").click()
    expect(page.get_by_text("Making the strategy and never using its scope.")).to_be_visible()
    assert serious_faults(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_reload_second_tab_and_a_killed_server_lose_nothing_and_double_nothing(
    newcomer: Newcomer, serve: Serve, tmp_path: Path
):
    server = serve(tmp_path / "data", **WITHOUT_TENSORFLOW)
    context = newcomer()
    first = QuizView(context.new_page(), server.url).open()
    first.start()
    first.answer("strategy-purpose", "B")
    second = QuizView(context.new_page(), server.url)
    second.page.goto(second.url)
    expect(second.part("verdict1_strategy-purpose")).to_contain_text("You chose B")
    second.answer("strategy-purpose", "A", number=2)
    first.choose("strategy-purpose", "A")
    first.button("check_strategy-purpose").click()
    expect(first.part("verdict2_strategy-purpose")).to_contain_text("0.6 of 1 point")
    first.page.reload()
    expect(first.part("progress")).to_contain_text("1 of 5 done · 0.6 points so far")
    first.button("open1_correct-start").click()
    expect(first.part("hint1_correct-start")).to_be_visible()

    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    serve(server.data, int(server.url.rsplit(":", 1)[1]), **WITHOUT_TENSORFLOW)

    first.page.goto(first.url)
    expect(first.part("progress")).to_contain_text("1 of 5 done · 0.6 points so far")
    expect(first.part("hint1_correct-start")).to_be_visible()
    first.answer("correct-start", "B")
    expect(first.part("verdict1_correct-start")).to_contain_text("0.9 of 1 point")
    (attempt,) = attempts_in(server)
    assert [(a.act.kind, a.act.option) for a in attempt.acts] == [
        ("answer", "B"),
        ("answer", "A"),
        ("hint", None),
        ("answer", "B"),
    ]


def test_a_button_pressed_three_times_in_a_hurry_counts_once(page: Page, server: Server):
    before = {attempt.id for attempt in attempts_in(server)}
    quiz = QuizView(page, server.url).open()
    thrice = "button => { button.click(); button.click(); button.click() }"
    quiz.button("start").evaluate(thrice)
    quiz.choose("strategy-purpose", "C")
    quiz.button("check_strategy-purpose").evaluate(thrice)
    expect(quiz.part("verdict1_strategy-purpose")).to_be_visible()
    quiz.button("open1_strategy-purpose").evaluate(thrice)
    expect(quiz.part("hint1_strategy-purpose")).to_be_visible()
    quiz.answer("strategy-purpose", "A", number=2)

    expect(quiz.part("verdict2_strategy-purpose")).to_contain_text("0.5 of 1 point")
    (attempt,) = (a for a in attempts_in(server) if a.id not in before)
    assert [a.act.kind for a in attempt.acts] == ["answer", "hint", "answer"]


def test_a_code_typed_elsewhere_goes_on_with_the_attempt_and_never_stands_in_the_url(
    page: Page, newcomer: Newcomer, server: Server
):
    quiz = QuizView(page, server.url, "check-yourself").open()
    quiz.start()
    quiz.answer("why-split", "B")
    page.get_by_text("Go on with another device").click()
    quiz.button("make_code").click()
    code = quiz.part("device").locator("code").inner_text().strip()
    assert re.fullmatch(r"[0-9A-Z]{5}-[0-9A-Z]{5}", code)
    elsewhere = newcomer()
    other = QuizView(elsewhere.new_page(), server.url, "check-yourself").open()
    other.page.get_by_text("Go on with another device").click()

    other.type_code("ABCDE-12345")
    other.button("use").click()
    expect(other.part("device")).to_contain_text("nobody’s code")
    other.type_code(f" {code.lower()} ")
    other.button("use").click()

    expect(other.part("progress")).to_contain_text("1 of 3 done · 1 point so far")
    other.go_to("what-crosses")
    other.answer("what-crosses", "D")
    other.go_to("same-batch-loss")
    other.answer("same-batch-loss", "C")
    other.button("to_results").click()
    expect(other.part("insight")).to_contain_text("every step")
    page.reload()
    expect(quiz.part("results")).to_contain_text("3 of 3 points")
    for tab in (page, other.page):
        assert tab.url == quiz.url
    elsewhere.close()


def test_results_are_taken_away_as_three_files_and_only_missed_questions_are_taken_again(
    page: Page, server: Server
):
    quiz = QuizView(page, server.url, "check-yourself").open()
    page.get_by_text("all on one page", exact=True).click()
    quiz.start()
    quiz.answer("why-split", "B", sure="sure")
    quiz.answer("what-crosses", "A", sure="fairly sure")
    quiz.button("ask_finish").click()
    quiz.button("finish_anyway").click()
    files = {}
    for name in ("csv", "json", "anki"):
        with page.expect_download() as download:
            quiz.button(f"download_{name}").click()
        files[name] = Path(download.value.path()).read_text(encoding="utf-8-sig")

    rows = list(csv.DictReader(files["csv"].splitlines()))
    assert [(r["question"], r["first_answer"], r["points"], r["how_sure"]) for r in rows] == [
        ("why-split", "B", "1.0", "sure"),
        ("what-crosses", "A", "0.0", "fairly"),
        ("same-batch-loss", "", "0.0", ""),
    ]
    (kept,) = json.loads(files["json"])["attempts"]
    assert kept["score"] == 1
    cards = [line for line in files["anki"].splitlines() if not line.startswith("#")]
    assert len(cards) == 1
    assert cards[0].startswith('"lockstep-why-split"')
    quiz.button("again_missed").click()
    expect(quiz.part("progress")).to_contain_text("0 of 2 done")
    expect(quiz.part("question_why-split")).to_have_count(0)
    expect(quiz.part("question_same-batch-loss")).to_be_visible()
