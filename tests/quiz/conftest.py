"""A small bank, a store on a file, and a clock that a test can turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quiz.attempts import AttemptStore
from quiz.database import open_database
from quiz.learners import LearnerStore
from quiz.loading import Examined, examine_bytes, load
from quiz.model import Bank
from quiz.problems import report

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cases/bank"


class Clock:
    """Starts at a fixed moment and goes on one second each time it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture(scope="session")
def bank() -> Bank:
    """The project's own bank."""
    return load(ROOT / "quiz/bank.yaml")


@pytest.fixture
def valid() -> str:
    """The text of a good bank with one question."""
    return (CASES / "valid.yaml").read_text(encoding="utf-8")


Lines = Callable[[str | bytes], list[str]]


@pytest.fixture
def lines() -> Lines:
    """What is wrong with a text, as the command prints it."""

    def of(text: str | bytes) -> list[str]:
        data = text.encode() if isinstance(text, str) else text
        found: Examined = examine_bytes(data, "b.yaml", known_lessons={"aggregate"})
        assert (found.bank is None) == bool(found.problems)
        return report("b.yaml", found.problems)

    return of


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'quiz.db'}"


class Desk:
    """One learner at one store."""

    def __init__(self, url: str, bank: Bank) -> None:
        self.clock = Clock()
        self.engine = open_database(url)
        self.learners = LearnerStore(self.engine, clock=self.clock)
        self.store = AttemptStore(self.engine, clock=self.clock, new_seed=lambda: 5)
        self.bank = bank
        self.learner = self.learners.learner("cookie")
        self._presses = 0

    def start(self, set_name: str = "practice"):
        return self.store.start(self.learner.id, self.bank, set_name)

    def answer(self, attempt, question_id: str, letter: str | None, sure: str | None = None):
        self._presses += 1
        return self.store.answer(
            self.learner.id,
            attempt.id,
            question_id,
            letter,
            confidence=sure,
            client_id=f"press-{self._presses}",
        )

    def hint(self, attempt, question_id: str, number: int):
        self._presses += 1
        press = f"press-{self._presses}"
        return self.store.open_hint(
            self.learner.id, attempt.id, question_id, number, client_id=press
        )

    def reveal(self, attempt, question_id: str):
        self._presses += 1
        press = f"press-{self._presses}"
        return self.store.reveal(self.learner.id, attempt.id, question_id, client_id=press)

    def finish(self, attempt):
        return self.store.finish(self.learner.id, attempt.id)


@pytest.fixture
def desk(url: str, bank: Bank):
    made = Desk(url, bank)
    yield made
    made.engine.dispose()
