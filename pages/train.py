"""4b Train: one real run, drawn while it runs; then what more replicas change, and what not."""

import streamlit as st

from ui import lesson, run_panel, train_extras

page = lesson.Page("train")
page.open()
run_panel.panel(page.context)
page.predict(train_extras.losses())
st.header(page.words.text("overlay"), anchor=False)
train_extras.overlay(page)
st.header(page.words.text("yours"), anchor=False)
train_extras.yours(page)
st.header(page.words.text("speed"), anchor=False)
train_extras.speed(page)
page.code("pipeline/trainer/replica.py", "replica_step")
page.close()
