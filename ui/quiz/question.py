"""One question on the page, open or closed. Draws what `Attempt.view` holds and nothing else."""

from __future__ import annotations

from typing import Any

import streamlit as st

from quiz.attempt import Attempt
from quiz.grading import CONFIDENCES
from ui import keys
from ui.quiz import desk, earned
from ui.quiz.wording import has_code, labels, points, say

View = dict[str, Any]


def draw(attempt: Attempt, question_id: str, *, headed: bool = True) -> None:
    """The question, and below it what can be done or what was earned."""
    view = attempt.view(question_id)
    with st.container(key=keys.quiz_part("question", question_id)):
        if headed:
            number = list(attempt.orders).index(question_id) + 1
            title = say("question", number=number, total=attempt.most)
            st.header(f"{title} · {say(view['difficulty'])}", anchor=False)
        st.markdown(view["prompt"])
        if view["code"]:
            st.code(view["code"], language="python", wrap_lines=True)
    over = attempt.finished_at is not None
    if view["closed"] or over:
        _options_looked_back_on(view)
    elif has_code(view):
        for option in view["options"]:
            _program(option)
    if view["tried"] or view["closed"]:
        earned.verdict(view, over=over)
    if not view["closed"] and not over:
        _form(attempt, view)
    desk.tell_notice(question_id)
    _opened_hints(attempt, view)
    if view["closed"]:
        earned.rest(view)
        return
    with st.container(horizontal=True, gap="small", key=keys.quiz_part("help", question_id)):
        if not over:
            _next_hint(attempt, view)
        _show_me(attempt, view, over=over)


def _form(attempt: Attempt, view: View) -> None:
    """The choice. Nothing leaves the browser before Check is pressed."""
    name = view["id"]
    shown = labels(view)
    with st.form(keys.quiz_part("form", name), border=False):
        st.radio(
            say("answer"),
            list(shown),
            format_func=shown.__getitem__,
            index=None,
            horizontal=has_code(view),
            key=keys.quiz_choice(attempt.id, name),
        )
        if not view["tried"]:
            st.radio(
                say("sure"),
                CONFIDENCES,
                format_func=lambda sure: say("sure_sure" if sure == "sure" else sure),
                index=None,
                horizontal=True,
                key=keys.quiz_sure(attempt.id, name),
            )
        st.form_submit_button(
            say("check"),
            type="primary",
            on_click=desk.check,
            args=(attempt.id, name, desk.press(attempt, name, "answer")),
            key=keys.quiz_part("check", name),
        )


def _opened_hints(attempt: Attempt, view: View) -> None:
    name = view["id"]
    count = len(attempt.question(name).hints)
    for number, hint in enumerate(view["hints"], start=1):
        with st.container(border=True, key=keys.quiz_part(f"hint{number}", name)):
            st.markdown(f"{say('hint', number=number, count=count)} {hint}")


def _next_hint(attempt: Attempt, view: View) -> None:
    """The next hint with what it costs. Only the number of hints is known here, not their words."""
    name = view["id"]
    number, count = len(view["hints"]) + 1, len(attempt.question(name).hints)
    if number > count:
        return
    cost = min(view["hint_cost"], view["available"])
    label = say(
        "open_hint" if cost else "open_hint_free", number=number, count=count, cost=points(cost)
    )
    st.button(
        label,
        on_click=desk.open_hint,
        args=(attempt.id, name, number, desk.press(attempt, name, "hint")),
        # Another number is another button: a second click in a hurry opens no second hint.
        key=keys.quiz_part(f"open{number}", name),
    )


def _show_me(attempt: Attempt, view: View, *, over: bool) -> None:
    name = view["id"]
    free = over or not view["available"]
    st.button(
        say("show_me_free" if free else "show_me"),
        on_click=desk.reveal,
        args=(attempt.id, name, desk.press(attempt, name, "reveal")),
        key=keys.quiz_part("show", name),
    )


def _program(option: View, marks: str = "") -> None:
    said = "\u2002".join(filter(None, (f"**{option['letter']}**", option["text"])))
    st.markdown(said + marks)
    if option["code"]:
        st.code(option["code"], language="python", wrap_lines=True)


def _options_looked_back_on(view: View) -> None:
    for option in view["options"]:
        letter = option["letter"]
        marks = []
        if letter == view.get("key"):
            marks.append(say("the_key"))
        if letter in view["tried"]:
            marks.append(_try_in_words(view["tried"].index(letter) + 1, len(view["tried"])))
        _program(option, f" · **{', '.join(marks)}**" if marks else "")


def _try_in_words(number: int, count: int) -> str:
    if count == 1:
        return say("your_try")
    return say(f"try_{number}")
