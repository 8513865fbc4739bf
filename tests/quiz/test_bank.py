"""The project's own bank: what it must hold, and that it gives no key away by its shape."""

from __future__ import annotations

import re
from pathlib import Path

from quiz.loading import examine
from quiz.markup import plain
from quiz.model import Bank, Option

BANK = Path(__file__).resolve().parents[2] / "quiz/bank.yaml"
EXPECTED = {
    "practice": [
        ("strategy-purpose", "A", "easy"),
        ("correct-start", "B", "easy"),
        ("prediction-shape", "D", "medium"),
        ("scope-error", "C", "medium"),
        ("larger-batches", "A", "hard"),
    ],
    "check": [
        ("why-split", "B", "easy"),
        ("what-crosses", "D", "medium"),
        ("same-batch-loss", "C", "medium"),
    ],
    "further": [
        ("fit-batch", "B", "easy"),
        ("slower", "D", "medium"),
        ("uneven-loss", "C", "hard"),
        ("adam-hides", "A", "hard"),
        ("really-two", "D", "medium"),
    ],
}


def size(option: Option) -> int:
    return len(plain(option.text or "")) + len(option.code or "")


def test_the_sets_their_questions_and_keys_are_as_agreed(bank: Bank):
    found = {
        name: [(q.id, q.answer, q.difficulty) for q in bank.in_set(name)] for name in bank.set_names
    }

    assert found == EXPECTED


def test_there_is_not_one_warning_about_it():
    assert examine(BANK).warnings == ()


def test_every_option_has_evidence_and_judgements_say_that_they_are_not_testable(bank: Bank):
    judgements = []
    for question in bank.questions:
        for letter, option in question.options.items():
            assert option.evidence is not None, (question.id, letter)
            if option.evidence.not_testable:
                judgements.append(f"{question.id} {letter}")

    assert judgements == ["strategy-purpose D", "larger-batches C", "why-split B", "slower D"]


def test_an_experiment_stands_for_one_claim(bank: Bank):
    """Where two options share one, they claim the same."""
    users: dict[str, list[str]] = {}
    for question in bank.questions:
        for letter, option in question.options.items():
            assert option.evidence is not None
            users.setdefault(option.evidence.experiment, []).append(f"{question.id} {letter}")

    shared = {name: where for name, where in users.items() if len(where) > 1}
    assert shared == {"strategy-shrinks-data": ["strategy-purpose B", "why-split C"]}


def test_lengths_do_not_give_the_key_away(bank: Bank):
    longest = 0
    for question in bank.questions:
        sizes = {letter: size(option) for letter, option in question.options.items()}
        key = sizes.pop(question.answer)
        longest += key > max(sizes.values())
        if key > 20:
            assert 0.6 * min(sizes.values()) < key < 1.35 * max(sizes.values()), question.id

    assert longest <= len(bank.questions) / 2


def test_keys_are_spread_over_the_letters(bank: Bank):
    keys: list[str] = [question.answer for question in bank.questions]

    assert all(2 <= keys.count(letter) <= 5 for letter in "ABCD"), keys


def test_hints_get_stronger_and_none_says_the_key_itself(bank: Bank):
    for question in bank.questions:
        key = question.options[question.answer]
        for hint in question.hints:
            assert not (key.text and plain(key.text).lower() in plain(hint).lower()), question.id


def test_words_that_the_lesson_does_not_use_are_not_in_it():
    text = BANK.read_text(encoding="utf-8").lower()

    for word in ("worker", "mini-batch", "iteration", "synchroni", "red ", "green", "blue", "grey"):
        assert not re.search(rf"\b{word}", text), word


def test_the_key_insight_promises_time_and_not_convergence(bank: Bank):
    assert bank.key_insight is not None
    assert "every step" in bank.key_insight
    assert "never differ" in bank.key_insight
    assert "converge" not in bank.key_insight
