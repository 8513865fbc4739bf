"""Every page begins here: settings once for all pages, then the page the learner is on.

`st.navigation` must live in this file, and the page files beside it, or deep links break.
"""

import streamlit as st

from ui import frame, keys, settings

st.set_page_config(page_title="Lockstep", page_icon=str(frame.ICON), layout="wide")

page = st.navigation(
    {
        "Core": [
            st.Page("train.py", title="Train", url_path="train", default=True),
        ],
    }
)
settings.sidebar()
with st.sidebar:
    st.text_input(
        "Run shown",
        key=keys.RUN,
        bind="query-params",
        help="the id of a run; a link that carries it shows the same run elsewhere",
    )
page.run()
