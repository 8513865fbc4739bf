"""Warnings about shapes that give keys away."""

from __future__ import annotations

import pytest

from quiz.loading import examine_bytes

QUESTION = """
  - id: q{number}
    prompt: P
    options:
      A: {{text: {a}, feedback: F}}
      B: {{text: {b}, feedback: F}}
      C: {{text: {c}, feedback: F}}
      D: {{text: {d}, feedback: F}}
    answer: {key}
    hint: H
    solution: [S]
    common_mistakes: [M]
    difficulty: easy
    lesson: load
"""


def warnings(keys: str, key_text: str = "same size", head: str = "") -> list[str]:
    text = f"version: 1\ntitle: T\n{head}questions:\n"
    for number, key in enumerate(keys):
        words = {letter: f"words {letter}{letter}" for letter in "abcd"}
        words[key.lower()] = key_text
        text += QUESTION.format(number=number, key=key, **words)
    found = examine_bytes(text.encode())
    assert found.bank is not None, found.problems
    return [warning.what for warning in found.warnings]


@pytest.mark.parametrize("keys", ["A", "AB", "ABDCA", "BDC", "ABCDDBAC", "CADBBDAC"])
def test_mixed_keys_are_fine(keys: str):
    assert [text for text in warnings(keys) if "key" in text and "option" not in text] == []


@pytest.mark.parametrize(
    "keys, words",
    [
        ("DAAAB", "three times running"),
        ("ABACAA", "A more often than not"),
        ("ABABAB", "repeat after 2"),
        ("ABCDABCD", "repeat after 4"),
        ("ABCBACBCAABC", "never D"),
    ],
)
def test_patterns_in_the_letters_are_named(keys: str, words: str):
    assert any(words in text for text in warnings(keys))


def test_letters_do_not_matter_where_options_change_places():
    assert warnings("AAAA", head="sets: {practice: {title: T, shuffle: true}}\n") == [
        text for text in warnings("AAAA") if "option" in text
    ]


def test_keys_that_are_mostly_longest_or_shortest_are_named():
    assert any("mostly the longest" in text for text in warnings("ABDC", "a longer text"))
    assert any("mostly the shortest" in text for text in warnings("ABDC", "short"))


def test_a_key_that_stands_out_by_itself_is_named():
    found = warnings("A", "a text that goes on and on and on until it is by far the longest")

    assert found == ["the right option is far longer than the others"]


def test_a_set_without_questions_is_named():
    head = "sets: {practice: {title: T}, later: {title: L}}\n"

    assert "the set 'later' has no question" in warnings("A", head=head)
