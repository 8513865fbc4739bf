"""Going on with another device: a code made here is typed there. It never stands in the URL."""

from __future__ import annotations

import streamlit as st

from quiz.learners import Learner
from ui import keys, learner, services
from ui.quiz import desk, focus
from ui.quiz.wording import say


def draw(me: Learner | None) -> None:
    """A code for what was done here, and a field for the code of another device."""
    with st.expander(say("device"), icon=":material/devices:"), st.container(key=keys.QUIZ_DEVICE):
        st.markdown(say("device_help"))
        desk.tell_notice(keys.QUIZ_DEVICE)
        code = st.session_state.get(keys.QUIZ_CODE)
        if code:
            st.markdown(say("code_is"))
            st.code(code, language=None)
        if me is not None:
            st.button(
                say("replace_code" if me.has_code else "make_code"),
                on_click=_make,
                args=(me.id,),
                key=keys.QUIZ_MAKE_CODE,
            )
        with st.form(keys.QUIZ_CODE_FORM, border=False):
            st.text_input(say("have_code"), max_chars=40, autocomplete="off", key=keys.QUIZ_TYPED)
            st.form_submit_button(say("use_code"), on_click=_use, key=keys.QUIZ_USE_CODE)


def _make(learner_id: str) -> None:
    with desk.refusals_told(keys.QUIZ_DEVICE):
        st.session_state[keys.QUIZ_CODE] = services.learners().new_code(learner_id)
        focus.move(keys.QUIZ_DEVICE)


def _use() -> None:
    typed = str(st.session_state.get(keys.QUIZ_TYPED) or "")
    with desk.refusals_told(keys.QUIZ_DEVICE):
        found = services.learners().resume(learner.owner(), typed)
        if found is None:
            desk.notice(keys.QUIZ_DEVICE, say("bad_code"))
            return
        st.session_state.pop(keys.QUIZ_CODE, None)
        st.session_state[keys.QUIZ_TYPED] = ""
        st.session_state[keys.QUIZ_MODE] = found.mode
        desk.notice("", say("code_used"))
        focus.move(keys.QUIZ_PANEL, say("code_used"))
