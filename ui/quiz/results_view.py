"""The results of the last attempt: what to look at again comes before the score's details."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from quiz.attempt import Attempt
from quiz.model import Bank
from quiz.results import Certainty, Results, Row, over_time, results_of, to_retake
from ui import contents, frame, keys
from ui.quiz import desk, downloads, earned, question
from ui.quiz.wording import say, short


def draw(attempts: Sequence[Attempt], bank: Bank | None) -> None:
    """Results of the attempt that was finished last; all attempts in one table."""
    last = max(attempts, key=lambda attempt: attempt.finished_at or attempt.started_at)
    found = results_of(last)
    numbers = {row.question_id: number for number, row in enumerate(found.rows, start=1)}
    with st.container(key=keys.QUIZ_RESULTS):
        st.header(say("result", score=f"{found.score:g}", most=found.most), anchor=False)
        st.markdown(sure_wrong(found.certainty, numbers))
    if last.set_name == "check" and last.bank.key_insight:
        with st.container(border=True, key=keys.QUIZ_INSIGHT):
            st.subheader(say("insight"), anchor=False)
            st.markdown(last.bank.key_insight)
    st.subheader(say("certainty"), anchor=False)
    st.markdown(say("certainty_help"))
    frame.table(*grid(found.certainty, numbers), "certainty")
    if found.certainty.unsaid:
        st.markdown(say("unsaid", which=_which(found.certainty.unsaid, numbers)))
    st.subheader(say("each"), anchor=False)
    frame.table(
        (say("head_question"), say("head_first"), say("head_final"), say("head_points")),
        [in_cells(number, row) for number, row in enumerate(found.rows, start=1)],
        "answers",
    )
    _reread(found)
    _again(last, bank)
    st.subheader(say("review"), anchor=False)
    st.markdown(say("review_help"))
    for number, row in enumerate(found.rows, start=1):
        _review(last, row.question_id, f"{number}\u2002{short(row.prompt)}")
    _over_time(attempts)
    downloads.draw(last.learner_id)


def sure_wrong(certainty: Certainty, numbers: dict[str, int]) -> str:
    """The sentence that is worth most."""
    which = _which(certainty.sure_wrong, numbers)
    if not certainty.sure_wrong:
        return say("sure_wrong_none")
    name = "sure_wrong_one" if len(certainty.sure_wrong) == 1 else "sure_wrong_many"
    return say(name, which=which)


def grid(
    certainty: Certainty, numbers: dict[str, int]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Sure or not by wrong or right, as heads and rows of a table; sure but wrong comes first."""

    def cell(which: tuple[str, ...]) -> str:
        return _which(which, numbers) or say("none")

    return (
        ("", say("head_wrong"), say("head_right")),
        [
            (say("row_sure"), cell(certainty.sure_wrong), cell(certainty.sure_right)),
            (say("row_unsure"), cell(certainty.unsure_wrong), cell(certainty.unsure_right)),
        ],
    )


def in_cells(number: int, row: Row) -> tuple[str, str, str, str]:
    """One question as cells of a table."""
    first = final = say("cell_blank")
    if row.first and row.final:
        first = say("cell_right" if row.first_right else "cell_wrong", letter=row.first)
        final = say("cell_right" if row.right else "cell_wrong", letter=row.final)
    if row.revealed and not row.right:
        final = say("cell_then_shown", answer=final) if row.final else say("cell_shown")
    worth = f"{row.points:g}"
    if row.hints:
        name = "cell_hints_one" if row.hints == 1 else "cell_hints"
        worth = say(name, points=worth, count=row.hints)
    return f"{number}. {short(row.prompt)}", first, final, worth


def _which(names: Sequence[str], numbers: dict[str, int]) -> str:
    if not names:
        return ""
    which = ", ".join(str(number) for number in sorted(numbers[name] for name in names))
    return say("which_one" if len(names) == 1 else "which_many", which=which)


def _reread(found: Results) -> None:
    if not found.missed:
        st.markdown(say("nothing_to_reread"))
        return
    if any(contents.find(slug) for slug in found.reread):
        st.subheader(say("reread_these"), anchor=False)
    for slug in found.reread:
        earned.link(slug)


def _again(last: Attempt, bank: Bank | None) -> None:
    if bank is None or not bank.in_set(last.set_name):
        return
    st.subheader(say("again"), anchor=False)
    missed = to_retake(last, bank)
    with st.container(horizontal=True, gap="small"):
        st.button(say("again_all"), on_click=desk.start, args=(last.set_name,), key=keys.QUIZ_AGAIN)
        if missed and len(missed) < len(bank.in_set(last.set_name)):
            name = "again_missed_one" if len(missed) == 1 else "again_missed"
            st.button(
                say(name, count=len(missed)),
                on_click=desk.start,
                args=(last.set_name, missed),
                key=keys.QUIZ_AGAIN_MISSED,
            )


def _review(attempt: Attempt, question_id: str, title: str) -> None:
    """Closed, it holds nothing: what is inside is drawn, and leaves the server, once it is open."""
    box = st.expander(title, on_change="rerun", key=keys.quiz_part("review", question_id))
    if box.open:
        with box:
            question.draw(attempt, question_id, headed=False)


def _over_time(attempts: Sequence[Attempt]) -> None:
    rows = over_time(attempts)
    if len(rows) < 2:
        return
    st.subheader(say("over_time"), anchor=False)
    frame.table(
        (say("head_attempt"), say("head_date"), say("head_points")),
        [
            (
                str(row["attempt"]),
                f"{row['finished']:%Y-%m-%d %H:%M} UTC",
                say("result", score=f"{row['score']:g}", most=row["max"]),
            )
            for row in rows
        ],
        "attempts",
    )
