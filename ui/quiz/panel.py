"""The quiz as a page: before it, in the middle of it, and its results.

    panel.page("practice", slug="quiz")

An attempt begins with a press of Start, never by opening the page. What is shown depends on the
database alone, so a reload, a second tab and another device show the same.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from quiz.attempt import Attempt
from quiz.grading import FULL, HINT_TENTHS, TRY_TENTHS
from quiz.learners import Learner
from quiz.model import Bank
from ui import contents, keys, lesson, notices, services
from ui.quiz import bank_in_use, desk, focus, other_device, question, results_view
from ui.quiz.wording import points, say

STYLE = (Path(__file__).parent / "quiz.css").read_text(encoding="utf-8")
MODES = {"one": "mode_one", "all": "mode_all"}


def page(set_name: str, slug: str) -> None:
    """A whole page for one set of questions."""
    bank = frame()
    if bank is not None:
        taking(bank, set_name, slug)


def frame() -> Bank | None:
    """Style, notices and the bank; None, after a sentence, when there is no bank to show."""
    st.html(f"<style>{lesson.STYLE}{STYLE}</style>")
    notices.show()
    bank = bank_in_use.bank()
    if bank is None:
        st.title(say("page_title"), anchor=False)
        st.warning(say("closed_bank"), icon=":material/info:")
    bank_in_use.tell_teacher()
    return bank


def taking(bank: Bank, set_name: str, slug: str) -> None:
    """One set: its title, the quiz, and the way on."""
    info = bank.set_info(set_name)
    st.title(info.title, anchor=False)
    if info.intro:
        with st.container(key=keys.LEDE):
            st.markdown(info.intro)
    if not bank.in_set(set_name):
        st.markdown(say("no_set"))
        return
    _quiz(set_name, slug)


@st.fragment
def _quiz(set_name: str, slug: str) -> None:
    focus.slot()
    with st.container():
        desk.tell_notice("")
    bank = bank_in_use.bank()
    try:
        me = desk.me()
        made = services.attempts().all_of(me.id, set_name) if me else ()
    except SQLAlchemyError as error:
        st.error(say("no_database", reason=desk.why(error)), icon=":material/error:")
        return
    open_ = next((attempt for attempt in made if attempt.finished_at is None), None)
    with st.container(key=keys.QUIZ_PANEL):
        if me and open_:
            _in_the_middle(me, open_, bank)
        elif me and made:
            results_view.draw(made, bank)
        elif bank:
            _before(bank, set_name)
    other_device.draw(me)
    following = contents.after(slug)
    if following is not None and not open_:
        st.page_link(
            following.file, label=f"Next: {following.title}", icon=":material/arrow_forward:"
        )


def _before(bank: Bank, set_name: str) -> None:
    worth = [f"{points(tenths / FULL)}" for tenths in TRY_TENTHS]
    st.markdown(
        say(
            "how",
            first=worth[0],
            second=worth[1],
            third=worth[2],
            hint=points(HINT_TENTHS / FULL),
        )
    )
    st.markdown(say("how_sure_why"))
    st.markdown(say("kept"))
    _mode("one")
    st.button(
        say("start"), type="primary", on_click=desk.start, args=(set_name,), key=keys.QUIZ_START
    )


def _in_the_middle(me: Learner, attempt: Attempt, bank: Bank | None) -> None:
    if bank and attempt.bank_hash != bank.content_hash:
        st.markdown(say("older"))
    with st.container(key=keys.QUIZ_PROGRESS):
        st.markdown(
            say(
                "progress",
                done=attempt.done,
                total=attempt.most,
                score=points(round(attempt.score, 1)),
            )
        )
    if me.mode == "all":
        for question_id in attempt.orders:
            question.draw(attempt, question_id)
            st.divider()
    else:
        _one_at_a_time(attempt)
    _finish(attempt, last=me.mode == "all" or desk.at(attempt) == list(attempt.orders)[-1])
    _mode(me.mode, me)


def _one_at_a_time(attempt: Attempt) -> None:
    here = desk.at(attempt)
    names = list(attempt.orders)
    standings = attempt.standings
    if len(names) > 1:
        with st.container(horizontal=True, gap="small", key=keys.QUIZ_STEPS):
            for number, name in enumerate(names, start=1):
                now = standings[name]
                mark = " ✓" if now.right else " –" if now.revealed else " ✗" if now.tried else ""
                st.button(
                    f"{say('goto')} {number}{mark}",
                    type="primary" if name == here else "secondary",
                    on_click=desk.show,
                    args=(attempt, name),
                    key=keys.quiz_part("goto", name),
                )
    question.draw(attempt, here)
    place = names.index(here)
    with st.container(horizontal=True, gap="small", key=keys.QUIZ_STEP):
        if place > 0:
            st.button(
                say("back"),
                on_click=desk.show,
                args=(attempt, names[place - 1]),
                key=keys.quiz_part("back", here),
            )
        if place + 1 < len(names):
            st.button(
                say("next"),
                type="primary" if standings[here].closed else "secondary",
                on_click=desk.show,
                args=(attempt, names[place + 1]),
                key=keys.quiz_part("next", here),
            )


def _finish(attempt: Attempt, *, last: bool) -> None:
    left = attempt.most - attempt.done
    with st.container(key=keys.QUIZ_FINISH):
        if not left:
            st.button(
                say("results"),
                type="primary",
                on_click=desk.finish,
                args=(attempt.id,),
                key=keys.QUIZ_TO_RESULTS,
            )
        elif st.session_state.get(keys.QUIZ_FINISHING) == attempt.id:
            st.markdown(say("open_one") if left == 1 else say("open_many", count=left))
            with st.container(horizontal=True, gap="small"):
                st.button(
                    say("finish_anyway"),
                    on_click=desk.finish,
                    args=(attempt.id,),
                    key=keys.QUIZ_FINISH_ANYWAY,
                )
                st.button(
                    say("go_on"),
                    on_click=desk.ask_to_finish,
                    args=(attempt.id, False),
                    key=keys.QUIZ_GO_ON,
                )
        elif last:
            st.button(
                say("finish"),
                on_click=desk.ask_to_finish,
                args=(attempt.id, True),
                key=keys.QUIZ_ASK_FINISH,
            )


def _mode(mode: str, me: Learner | None = None) -> None:
    st.session_state.setdefault(keys.QUIZ_MODE, mode)
    st.radio(
        say("mode"),
        list(MODES),
        format_func=lambda name: say(MODES[name]),
        horizontal=True,
        on_change=desk.set_mode if me else None,
        args=(me.id,) if me else None,
        key=keys.QUIZ_MODE,
        persist_state="session",
    )
