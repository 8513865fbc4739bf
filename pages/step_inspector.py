"""Step inspector: any kept step of the run shown, opened."""

import streamlit as st

from ui import inspector, inspector_step, lesson

page = lesson.Page("inspector")
text = page.words.text
shown = inspector.resolve(page.context)
page.open({"claim": text(shown.claim)})
if shown.why:
    st.info(text(shown.why), icon=":material/info:")
inspector_step.section(page, shown)
page.code("pipeline/trainer/replica.py", "replica_step")
page.code("pipeline/backward.py", "trace")
page.close()
