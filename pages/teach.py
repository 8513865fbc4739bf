"""For teachers: the presenter view, the link for the class, the plan and what to print."""

import streamlit as st

from ui import keys, lesson, notices, teach
from ui.words import words

page = words("teach")
st.html(f"<style>{lesson.STYLE}</style>")
notices.show()
st.title(page.title, anchor=False)
with st.container(key=keys.LEDE):
    st.markdown(page.lede.format(minutes=teach.minutes()))
st.header(page.text("present"), anchor=False)
teach.present()
st.header(page.text("class"), anchor=False)
teach.class_link()
st.header(page.text("plan"), anchor=False)
teach.plan()
st.header(page.text("kit"), anchor=False)
teach.kit()
with st.container(key=keys.TAKEAWAY):
    st.markdown(page.takeaway)
