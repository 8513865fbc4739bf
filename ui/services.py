"""The one `Runs`, `Feed`, `Answers` and `Uploads` of this app, made when first asked for.

`LOCKSTEP_DATA` is the folder that holds everything that is kept (default: `var` in the project).
"""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from pipeline import experiments_index
from pipeline.answers import Answers
from pipeline.feed import Feed
from pipeline.launch import ROOT, default_launcher, tensorflow_is_installed
from pipeline.limits import Limits
from pipeline.run_view import RunView
from pipeline.runs import Runs
from pipeline.uploads import Uploads
from quiz.attempts import AttemptStore
from quiz.database import DatabaseError, open_database
from quiz.keeper import BankKeeper
from quiz.learners import LearnerStore
from ui.contents import LESSONS


def data_folder() -> Path:
    """Where runs, answers and uploads are kept."""
    return Path(os.environ.get("LOCKSTEP_DATA") or ROOT / "var")


def startup_problem() -> str:
    """Why nothing can be kept, with a remedy; "" when it can. Makes the folder and the database."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return (
            f"Lockstep keeps runs and answers in {folder}, which cannot be written: "
            f"{error.strerror}. Set LOCKSTEP_DATA to a folder that can."
        )
    try:
        attempts()
    except DatabaseError as error:
        return str(error)
    except SQLAlchemyError as error:
        where = make_url(_database_url()).render_as_string()  # without the password
        return (
            f"The attempts at the quiz are kept in {where}, which cannot be used: "
            f"{getattr(error, 'orig', error)}. Put it right or move it away, or set DATABASE_URL "
            "to another."
        )
    return ""


@functools.cache
def runs() -> Runs:
    """The app's runs, opened: the trainer process begins to start with the first call."""
    folder = data_folder()
    limits = Limits.from_environment(os.environ)
    opened = Runs(
        folder / "runs", default_launcher(folder / "trainer.log", limits.run_niceness), limits
    )
    opened.open()
    return opened


@functools.lru_cache(maxsize=32)
def ended(run_id: str) -> RunView:
    """A run that has ended, recorded or not: it changes no more, so it is read only once."""
    return runs().view(run_id)


@functools.cache
def can_train() -> bool:
    """Whether this server has a TensorFlow; without it the lesson shows recorded runs."""
    return tensorflow_is_installed()


@functools.cache
def feed() -> Feed:
    """The app's live feed of its runs."""
    return Feed(runs())


@functools.cache
def answers() -> Answers:
    """What TensorFlow was asked besides runs."""
    return Answers(data_folder() / "answers", runs().workers)


@functools.cache
def uploads() -> Uploads:
    """Learners' CSV files."""
    limits = runs().limits
    return Uploads(data_folder() / "uploads", limits.upload_hours, limits.uploads_megabytes)


@functools.cache
def bank_keeper() -> BankKeeper:
    """The questions, from `LOCKSTEP_BANK` or the bank that ships."""
    path = os.environ.get("LOCKSTEP_BANK") or ROOT / "quiz" / "bank.yaml"
    return BankKeeper(path, known_lessons=LESSONS, known_experiments=experiments_index.names())


@functools.cache
def learners() -> LearnerStore:
    """Who takes the quiz."""
    return LearnerStore(_database())


@functools.cache
def attempts() -> AttemptStore:
    """What learners answered."""
    return AttemptStore(_database())


@functools.cache
def _database() -> Engine:
    """The database of the quiz; its schema is brought up to date here."""
    return open_database(_database_url())


def _database_url() -> str:
    """`DATABASE_URL`, or SQLite in the data folder."""
    return os.environ.get("DATABASE_URL") or f"sqlite:///{(data_folder() / 'quiz.db').resolve()}"
