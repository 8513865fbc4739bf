"""Every page begins here: settings once for all pages, then the page the learner is on.

`st.navigation` must live in this file, and the page files beside it, or deep links break.
"""

import streamlit as st

from pipeline.damaged import Damaged
from ui import contents, keyboard, keys, lesson, presenter, settings

groups: dict[str, list[st.Page]] = {}
entries: dict[str, contents.Entry] = {}
for entry in contents.CONTENTS:
    page = st.Page(
        entry.file, title=entry.title, url_path=entry.slug, default=entry is contents.CONTENTS[0]
    )
    groups.setdefault(entry.group, []).append(page)
    entries[page.url_path] = entry

chosen = st.navigation(groups, expanded=True)
st.set_page_config(
    page_title=f"{chosen.title} · Lockstep", page_icon=str(lesson.ICON), layout="wide"
)
with st.sidebar:
    settings.sidebar()
    st.text_input(
        "Run shown",
        key=keys.RUN,
        bind="query-params",
        placeholder="the recorded run",
        help="the id of a run; a link that carries it shows the same run elsewhere",
    )
presenter.begin(entries[chosen.url_path])
keyboard.begin(entries[chosen.url_path])
try:
    chosen.run()
except Damaged as error:  # found only where the page reads the run in full
    st.error(
        f"Part of the run shown was kept and cannot be read any more: {error}. "
        "Train again, or clear “Run shown” in the sidebar to see the recorded run.",
        icon=":material/error:",
    )
