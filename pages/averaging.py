"""Averaging instead: weights averaged once an epoch, really run beside the all-reduce."""

import streamlit as st

from ui import averaging, lesson

page = lesson.Page("averaging")
text = page.words.text
halves = averaging.shown()
page.open()
averaging.teeth(page, halves)
page.predict(averaging.recorded_shares())

st.header(text("differs"), anchor=False)
averaging.differs(page.words, page.context.shapes)

st.header(text("shares"), anchor=False)
averaging.shares(page.words, halves)

st.header(text("hand"), anchor=False)
page.say("hand_help")
averaging.by_hand(page.words)

st.header(text("use"), anchor=False)
page.say("use_help", averaging.SOURCES)
page.code("pipeline/trainer/training.py", "Run._average_copies")
page.code("pipeline/trainer/replica.py", "replica_step_alone")
page.close()
