"""Thousands of damaged banks: each is refused in lines or accepted rightly, none ends in a crash.

What was accepted is compared with an independent reading of the same bytes by PyYAML's own loader:
nothing may have been lost, turned into another type, or shown that the file does not say.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from quiz.loading import examine_bytes
from quiz.model import LETTERS, Bank
from quiz.problems import report

BANK = Path(__file__).resolve().parents[2] / "quiz/bank.yaml"
LINE = re.compile(r"[^\n]+:\d+:\d+: [^\n]+; got [^\n]+; try [^\n]+")
# The two parsers differ in small things (a tab inside a text), so both sides use the same one.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

# A text without quotes, in the line of its key or dash, and what a comment takes from it.
CUT = re.compile(
    r"\s*(- (?=[A-Z])|(- )?(prompt|text|feedback|title|intro|hint): )[^'\"|>\[{#][^'\"]* #"
)
SEED = 20261201
PIECES = (
    *("'", '"', "`", "#", " # ", ": ", ":", "- ", "{", "}", "[", "]", "|", ">", "\t", "\n", "\r"),
    *("&a ", "*a", "!!int ", "? ", "<<: ", "---\n", "...\n", "%YAML 1.1\n", "\x00", "\u2028"),
    *("\ufeff", "\u202e", "\u200b", "é", "No", "~", "null", "1e3", "A", "answer: B\n", "<b>", "$"),
)
Mutation = Callable[[random.Random, bytes], bytes]


def _flip(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 5, 40, 400)) :]


def _truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _insert(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.choice(PIECES).encode() + data[at:]


def _lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(other, lines[at])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = b" " * rng.randrange(9) + lines[at].lstrip()
    else:
        lines[at] = lines[at] + b" " + lines[other].strip()
    return b"\n".join(lines)


def _splice(rng: random.Random, data: bytes) -> bytes:
    start, end, at = (rng.randrange(len(data)) for _ in range(3))
    return data[:at] + data[min(start, end) : max(start, end)][:2000] + data[at:]


MUTATIONS: tuple[Mutation, ...] = (
    _flip,
    _cut,
    _truncate,
    _insert,
    _insert,
    _lines,
    _lines,
    _splice,
)


def mutants(count: int, seed: int):
    original = BANK.read_bytes()
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        data = original
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            data = rng.choice(MUTATIONS)(rng, data) or b"x"
        yield number, data


def wrongly_accepted(bank: Bank, data: bytes) -> list[str]:
    """What an accepted bank says otherwise than the file, read independently."""
    raw: Any = yaml.load(data.decode("utf-8-sig").replace("\r\n", "\n"), Loader=LOADER)
    found = []
    if len(raw["questions"]) != len(bank.questions):
        found.append("a question was lost")
    if len({question.id for question in bank.questions}) != len(bank.questions):
        found.append("an id stands twice")
    for mine, theirs in zip(bank.questions, raw["questions"], strict=False):
        if tuple(mine.options) != LETTERS or mine.answer not in mine.options:
            found.append(f"{mine.id}: the options are not A to D")
        known = set(type(mine).model_fields) - {"hints"} | {"hint"}
        if set(theirs) - known:
            found.append(f"{mine.id}: keys were ignored: {set(theirs) - known}")
        pairs = [(mine.prompt, theirs["prompt"]), (mine.answer, theirs["answer"])]
        pairs += [(mine.options[x].feedback, theirs["options"][x]["feedback"]) for x in LETTERS]
        pairs += list(zip(mine.solution, theirs["solution"], strict=True))
        hints = [theirs["hint"]] if isinstance(theirs["hint"], str) else theirs["hint"]
        pairs += list(zip(mine.hints, hints, strict=True))
        found += [f"{mine.id}: {a!r} for {b!r}" for a, b in pairs if a != b.strip()]
    found += [f"cut: {line!r}" for line in data.decode().splitlines() if CUT.match(line)]
    return found


def check(count: int, seed: int) -> None:
    accepted, slowest = 0, 0.0
    for number, data in mutants(count, seed):
        began = time.process_time()
        found = examine_bytes(data, "m.yaml")
        slowest = max(slowest, time.process_time() - began)
        lines = report("m.yaml", found.problems)
        assert all(LINE.fullmatch(line) for line in lines), (number, lines)
        assert (found.bank is None) == bool(lines), number
        if found.bank is not None:
            accepted += 1
            assert wrongly_accepted(found.bank, data) == [], number
    assert accepted < count
    assert slowest < 5


def test_damaged_banks_are_refused_in_lines_or_accepted_rightly():
    check(300, SEED)


@pytest.mark.soak
def test_ten_thousand_damaged_banks_are_refused_in_lines_or_accepted_rightly():
    check(10_000, SEED + 1)
