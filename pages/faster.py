"""Why isn't it faster? Measured here, worked out, diagnosed; and the learning rate."""

import streamlit as st

from ui import diagnose_panel, keys, lesson, rate_panel, scaling_model_panel, scaling_panel

page = lesson.Page("faster")
values = scaling_panel.headline_values()
page.open()
scaling_panel.headline(page, values)
page.predict(values)

sections = {
    "tab_measure": scaling_panel.section,
    "tab_model": scaling_model_panel.section,
    "tab_diagnose": diagnose_panel.section,
    "tab_rate": rate_panel.section,
}
labels = [page.words.text(name) for name in sections]
tabs = st.tabs(labels, on_change="rerun", key=keys.FASTER_TABS)
for tab, section in zip(tabs, sections.values(), strict=True):
    if tab.open:  # only what is looked at is made
        with tab:
            section(page)
page.code("pipeline/trainer/scaling.py", "replica_step")
page.close()
