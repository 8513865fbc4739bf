"""Going further: questions people ask later, and every further set that the bank has."""

import streamlit as st

from ui import keys
from ui.quiz import panel
from ui.quiz.wording import say

bank = panel.frame()
if bank is not None:
    sets = [name for name in bank.set_names if name not in ("check", "practice")] or ["further"]
    titles = {name: bank.set_info(name).title for name in sets}
    chosen = sets[0]
    if len(sets) > 1:
        chosen = st.selectbox(
            say("other_sets"),
            sets,
            format_func=lambda name: titles[name],
            key=keys.QUIZ_SET,
            persist_state="session",
        )
    panel.taking(bank, chosen, slug="going-further")
