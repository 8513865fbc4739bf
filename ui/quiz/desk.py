"""What a learner does, as callbacks of buttons, and where they stand.

Every act carries an id that was made when its button was drawn, so that a button pressed three
times in a hurry counts once. Refusals become a notice beside the question.
"""

from __future__ import annotations

import contextlib
import sqlite3
import uuid
from collections.abc import Collection, Iterator

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from quiz.attempt import Attempt
from quiz.attempts import NoSuchAttempt
from quiz.grading import AnswerError
from quiz.learners import Learner, Mode
from ui import keys, learner, services
from ui.quiz import bank_in_use, focus
from ui.quiz.wording import points, say, verdict_key


def me() -> Learner | None:
    """The learner of this browser; None before the first start."""
    return services.learners().find(learner.owner())


def press(attempt: Attempt, question_id: str, kind: str) -> str:
    """The id of the next press of a button: new as soon as the question stands differently."""
    now = attempt.standing(question_id)
    made: dict[str, str] = st.session_state.setdefault(keys.QUIZ_PRESSES, {})
    name = f"{attempt.id} {question_id} {kind} {len(now.tried)} {len(now.hints)}"
    return made.setdefault(name, uuid.uuid4().hex)


# ---------------------------------------------------------------- callbacks


def start(set_name: str, only: Collection[str] | None = None) -> None:
    """Begin an attempt, or go on with the one that is open."""
    bank = bank_in_use.bank()
    if bank is None:
        return
    with refusals_told():
        owner = services.learners().learner(learner.owner())
        mode = st.session_state.get(keys.QUIZ_MODE)
        if mode in ("one", "all"):
            services.learners().set_mode(owner.id, mode)
        attempt = services.attempts().start(owner.id, bank, set_name, only)
        show(attempt, first_open(attempt))


def check(attempt_id: str, question_id: str, client_id: str) -> None:
    """Check the option that is chosen in the form."""
    letter = st.session_state.get(keys.quiz_choice(attempt_id, question_id))
    sure = st.session_state.get(keys.quiz_sure(attempt_id, question_id))
    _stay(attempt_id, question_id)
    with refusals_told(question_id):
        learner_id = _learner_id()
        before = services.attempts().get(learner_id, attempt_id)
        after = services.attempts().answer(
            learner_id, attempt_id, question_id, letter, confidence=sure, client_id=client_id
        )
        view = after.view(question_id)
        if len(after.acts) == len(before.acts) and not view["closed"]:
            # The same press again, or an option that was tried: nothing has changed.
            if view["tried"] and view["tried"][-1] != letter:
                notice(question_id, say("tried", letter=letter))
            return
        told = say("wrong_said")
        if view["closed"]:
            told = say("right_said", points=f"{view['points']:g}")
        elif view["available"]:
            told += " " + say("more", points=points(view["available"]))
        focus.move(verdict_key(view), told)


def open_hint(attempt_id: str, question_id: str, number: int, client_id: str) -> None:
    """Open one hint."""
    _stay(attempt_id, question_id)
    with refusals_told(question_id):
        services.attempts().open_hint(
            _learner_id(), attempt_id, question_id, number, client_id=client_id
        )
        told = say("hint_said", number=number)
        focus.move(keys.quiz_part(f"hint{number}", question_id), told)


def reveal(attempt_id: str, question_id: str, client_id: str) -> None:
    """Show the solution."""
    _stay(attempt_id, question_id)
    with refusals_told(question_id):
        after = services.attempts().reveal(
            _learner_id(), attempt_id, question_id, client_id=client_id
        )
        focus.move(verdict_key(after.view(question_id)), say("revealed_said"))


def ask_to_finish(attempt_id: str, wanted: bool) -> None:
    """Say what is still open before an attempt is finished, or take that back."""
    st.session_state[keys.QUIZ_FINISHING] = attempt_id if wanted else ""
    focus.move(keys.QUIZ_FINISH if wanted else keys.QUIZ_PROGRESS)


def finish(attempt_id: str) -> None:
    """End the attempt."""
    with refusals_told():
        done = services.attempts().finish(_learner_id(), attempt_id)
        focus.move(keys.QUIZ_RESULTS, say("result", score=f"{done.score:g}", most=done.most))


def show(attempt: Attempt, question_id: str) -> None:
    """Turn to a question."""
    _stay(attempt.id, question_id)
    focus.move(keys.quiz_part("question", question_id))


def set_mode(learner_id: str) -> None:
    """Keep how this learner wants to take the quiz."""
    mode: Mode = "all" if st.session_state[keys.QUIZ_MODE] == "all" else "one"
    with refusals_told():
        services.learners().set_mode(learner_id, mode)


# ------------------------------------------------------------------ standing


def at(attempt: Attempt) -> str:
    """The question that is shown when they come one at a time."""
    chosen = st.session_state.get(keys.QUIZ_AT, {}).get(attempt.id)
    return chosen if chosen in attempt.orders else first_open(attempt)


def first_open(attempt: Attempt) -> str:
    """The first question that is not closed; the first of all when none is open."""
    standings = attempt.standings
    return next((name for name, now in standings.items() if not now.closed), next(iter(standings)))


def notice(question_id: str, text: str) -> None:
    """A sentence to show once, at this question ("" is the page)."""
    st.session_state[keys.QUIZ_NOTICE] = (question_id, text)


def tell_notice(question_id: str) -> None:
    """Show the sentence that is meant for this question, if there is one."""
    if st.session_state.get(keys.QUIZ_NOTICE, (None, ""))[0] == question_id:
        st.warning(st.session_state.pop(keys.QUIZ_NOTICE)[1], icon=":material/info:")


def _stay(attempt_id: str, question_id: str) -> None:
    """Keep this question in view, although it may be closed by now."""
    st.session_state[keys.QUIZ_AT] = {attempt_id: question_id}


def _learner_id() -> str:
    found = me()
    return found.id if found else ""


@contextlib.contextmanager
def refusals_told(question_id: str = "") -> Iterator[None]:
    """A refusal, by the rules or the database, becomes a notice at this question ("": the page)."""
    try:
        yield
    except (AnswerError, NoSuchAttempt) as error:
        notice(question_id, str(error))
    except SQLAlchemyError as error:
        notice(question_id, say("not_kept", reason=why(error)))


def why(error: SQLAlchemyError) -> str:
    """What the database said, where that cannot hold an address or a password."""
    said = getattr(error, "orig", None)
    return str(said) if isinstance(said, sqlite3.Error) else type(error).__name__
