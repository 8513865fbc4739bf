"""Patterns that give a key away to someone who knows nothing. Each is a warning, none an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from quiz.lint import Slip
from quiz.markup import plain
from quiz.model import LETTERS, Bank, Option, Question

_LONGER = 1.5


def warnings(bank: Bank) -> Iterator[Slip]:
    """Warnings about positions and lengths of the keys, set by set."""
    where = {question.id: index for index, question in enumerate(bank.questions)}
    for name in bank.set_names:
        questions = bank.in_set(name)
        first = ("questions", where[questions[0].id], "answer")
        if not bank.set_info(name).shuffle:
            for what, got in _positions([question.answer for question in questions]):
                remedy = "moving some options, or `shuffle: true` for the set"
                yield Slip(first, f"in the set '{name}' {what}", got, remedy)
        for what, got in _lengths(questions):
            remedy = "evening out the lengths"
            yield Slip(first, f"in the set '{name}' {what}", got, remedy)
        for question in questions:
            yield from _stands_out(question, where[question.id])
    for name in bank.sets:
        if name not in bank.set_names:
            what = f"the set '{name}' has no question"
            yield Slip(("sets", name), what, "none", f"a question with `set: {name}`")


def _positions(keys: list[str]) -> Iterator[tuple[str, str]]:
    letters = "".join(keys)
    longest = max((len(list(run)) for _, run in groupby(letters)), default=0)
    most, count = Counter(letters).most_common(1)[0]
    if longest >= 3:
        yield "the key has the same letter three times running", letters
    elif len(letters) >= 4 and count > len(letters) * 0.6:
        yield f"the key is {most} more often than not", letters
    for step in (2, 3, 4):
        if len(letters) >= 2 * step and len(set(letters)) > 1 and _repeats(letters, step):
            yield f"the keys repeat after {step}", letters
            return
    if len(letters) >= 10 and len(set(letters)) < len(LETTERS):
        unused = ", ".join(letter for letter in LETTERS if letter not in letters)
        yield f"the key is never {unused}", letters


def _repeats(letters: str, step: int) -> bool:
    return all(letters[i] == letters[i - step] for i in range(step, len(letters)))


def _lengths(questions: tuple[Question, ...]) -> Iterator[tuple[str, str]]:
    if len(questions) < 3:
        return
    for word, sign in (("longest", 1), ("shortest", -1)):
        count = sum(_extreme(question, sign) for question in questions)
        if count * 3 > len(questions) * 2:
            yield f"the key is mostly the {word} option", f"{count} of {len(questions)}"


def _extreme(question: Question, sign: int) -> bool:
    sizes = {letter: sign * _size(option) for letter, option in question.options.items()}
    key = sizes.pop(question.answer)
    return key > max(sizes.values())


def _stands_out(question: Question, index: int) -> Iterator[Slip]:
    sizes = {letter: _size(option) for letter, option in question.options.items()}
    key = sizes.pop(question.answer)
    longest = max(sizes.values())
    if key > 20 and key > _LONGER * longest:
        loc = ("questions", index, "options", question.answer)
        what = "the right option is far longer than the others"
        got = f"{key} characters, the next {longest}"
        yield Slip(loc, what, got, "fewer words in it, or more in the others")


def _size(option: Option) -> int:
    return len(plain(option.text or "")) + len(option.code or "")
