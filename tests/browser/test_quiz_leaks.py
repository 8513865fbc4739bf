"""Nothing that gives an answer away reaches the browser before it is earned.

A copy of the bank has a unique marker in every text that is earned. The markers are looked for in
all websocket frames, all HTTP bodies, and the page with its shadow roots.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.quiz import QuizView, Wiretap
from tests.serving import ROOT, WITHOUT_TENSORFLOW, Serve

pytestmark = pytest.mark.browser
FIRST = "strategy-purpose"
CLOSED = {"solution", "common_mistakes", "in_practice"}
"""What is shown once a question is closed; the evidence comes with Prove it."""


def marked_bank(path: Path) -> dict[str, str]:
    """Write the bank with a marker in each earned text; returns them by what they mark."""
    bank = yaml.safe_load((ROOT / "quiz/bank.yaml").read_text(encoding="utf-8"))
    markers: dict[str, str] = {}

    def mark(name: str) -> str:
        return markers.setdefault(name, f"qz{len(markers):03}marker")

    bank["key_insight"] += f" {mark('insight')}"
    for question in bank["questions"]:
        name = question["id"]
        for field in ("hint", "solution", "common_mistakes"):
            question[field] = [
                f"{text} {mark(f'{name} {field} {number}')}"
                for number, text in enumerate(question[field], start=1)
            ]
        if "in_practice" in question:
            question["in_practice"] += f" {mark(f'{name} in_practice')}"
        for letter, option in question["options"].items():
            option["feedback"] += f" {mark(f'{name} feedback {letter}')}"
            # The experiment keeps its name, which the app checks, and is its own marker.
            evidence = option["evidence"]
            if isinstance(evidence, str):
                evidence = {"experiment": evidence}
            markers[f"{name} evidence {letter}"] = evidence["experiment"]
            reason = mark(f"{name} evidence {letter} reason")
            option["evidence"] = {**evidence, "not_testable": f"{reason} is a judgement."}
    path.write_text(yaml.safe_dump(bank, allow_unicode=True), encoding="utf-8")
    return markers


def test_nothing_reaches_the_browser_before_it_is_earned(page: Page, serve: Serve, tmp_path: Path):
    markers = marked_bank(tmp_path / "bank.yaml")
    server = serve(tmp_path / "data", LOCKSTEP_BANK=str(tmp_path / "bank.yaml"))
    tap = Wiretap(page)
    quiz = QuizView(page, server.url).open()
    page.get_by_text("all on one page", exact=True).click()
    quiz.start()
    expect(quiz.part("question_larger-batches")).to_be_visible()
    assert tap.heard(markers) == set()

    quiz.answer(FIRST, "B")
    earned = {f"{FIRST} feedback B"}
    assert tap.heard(markers) == earned

    page.get_by_text("one question at a time", exact=True).click()
    quiz.button(f"open1_{FIRST}").click()
    expect(quiz.part(f"hint1_{FIRST}")).to_be_visible()
    earned |= {f"{FIRST} hint 1"}
    assert tap.heard(markers) == earned

    quiz.go_to("correct-start")
    quiz.answer("correct-start", "B")
    once_closed = {n for n in markers if n.startswith("correct-start ") and n.split()[1] in CLOSED}
    earned |= {*once_closed, "correct-start feedback B"}
    assert tap.heard(markers) == earned

    quiz.go_to("larger-batches")
    quiz.button("ask_finish").click()
    quiz.button("finish_anyway").click()
    for name in ("csv", "json", "anki"):
        tap.download(quiz.button(f"download_{name}"))
    page.locator(f".st-key-quiz_review_{FIRST} summary").click()
    expect(page.get_by_text("This attempt is finished")).to_be_visible()
    assert tap.heard(markers) == earned
    assert tap.frames > 20
    assert tap.bodies > 20


def test_a_hint_in_a_collapsed_expander_would_be_found(page: Page, serve: Serve, tmp_path: Path):
    markers = marked_bank(tmp_path / "bank.yaml")
    root = leaky_copy(tmp_path / "leaky")
    server = serve(
        tmp_path / "data",
        root=root,
        LOCKSTEP_BANK=str(tmp_path / "bank.yaml"),
        **WITHOUT_TENSORFLOW,
    )
    tap = Wiretap(page)
    quiz = QuizView(page, server.url).open()
    assert tap.heard(markers) == set()
    quiz.start()
    expect(page.locator("summary", has_text="A hint")).to_be_visible()
    expect(page.get_by_text(markers[f"{FIRST} hint 1"])).not_to_be_visible()

    assert tap.heard(markers) == {f"{FIRST} hint 1"}


def leaky_copy(root: Path) -> Path:
    """The app, but each next hint also lies in an expander that nobody has opened."""
    root.mkdir()
    for name in ("app.py", "pages", "pipeline", "quiz", "lesson", ".streamlit"):
        (root / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "ui", root / "ui")
    file = root / "ui/quiz/question.py"
    text = file.read_text(encoding="utf-8")
    drawn = "            _next_hint(attempt, view)\n"
    assert drawn in text
    leak = '            st.expander("A hint").markdown(attempt.question(question_id).hints[0])\n'
    file.write_text(text.replace(drawn, leak + drawn), encoding="utf-8")
    return root
