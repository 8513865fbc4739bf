"""Training trace: two batch sizes by epoch and by update, then epochs as a table."""

import streamlit as st

from ui import keys, lesson, player, run_panel, trace

page = lesson.Page("training-trace")
values = trace.values()
page.open(values)
page.say("picture_help")
player.show(
    player.Show(
        source="epochs and updates",
        label="Two batch sizes, against epochs and against updates",
        charts=[player.Chart(trace.picture(), "", " ".join(page.frames(values)))],
        frames=page.frames(values),
        legend=trace.legend(),
        total=1,
        seconds=2.5,
    ),
    key=keys.PICTURE,
)
page.predict(values)
st.header(page.words.text("table"), anchor=False)
st.markdown(run_panel.label(page.context))
epochs = page.context.run.epochs
if epochs:
    trace.table(epochs)
else:
    page.say("table_none")
page.say("reference")
trace.reference_table()
trace.side_by_side_charts(epochs)
page.code("pipeline/observe.py", "observe")
page.close()
