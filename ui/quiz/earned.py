"""What a learner gets for an act: right or not in words, feedback, and once closed all the rest."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui import contents
from ui.quiz import proof
from ui.quiz.wording import points, say, verdict_key

View = dict[str, Any]


def verdict(view: View, *, over: bool) -> None:
    """Right or not, the feedback of the option that was chosen last, and what can be done now."""
    with st.container(border=True, key=verdict_key(view)):
        for paragraph in verdict_in_words(view, over=over):
            st.markdown(paragraph)


def verdict_in_words(view: View, *, over: bool) -> list[str]:
    """The paragraphs of a verdict."""
    if view["right"]:
        return [say("right", points=f"{view['points']:g}"), view["feedback"]]
    told = []
    if view["tried"]:
        told = [say("wrong", letter=view["tried"][-1]), view["feedback"]]
    if view["revealed"]:
        told.append(say("revealed", letter=view["key"]))
    elif over:
        told.append(say("ended_open"))
    elif view["available"]:
        told.append(say("more", points=points(view["available"])))
    else:
        told.append(say("no_more"))
    return told


def rest(view: View) -> None:
    """The solution, the common mistakes, what happens in practice, the page, and the proof."""
    st.subheader(say("solution"), anchor=False)
    st.markdown("\n".join(f"{n}. {step}" for n, step in enumerate(view["solution"], start=1)))
    st.subheader(say("mistakes"), anchor=False)
    st.markdown("\n".join(f"- {mistake}" for mistake in view["common_mistakes"]))
    if view["in_practice"]:
        st.subheader(say("in_practice"), anchor=False)
        st.markdown(view["in_practice"])
    link(view["lesson"])
    proof.draw(view)


def link(lesson: str) -> None:
    """A link to the page that teaches it, where there is such a page."""
    page = contents.find(lesson)
    if page is not None:
        st.page_link(page.file, label=say("reread", page=page.title), icon=":material/arrow_back:")
