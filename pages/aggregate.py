"""5 Aggregate: one row left out of one step, then the hard case of one class each."""

import streamlit as st

from pipeline import recordings
from pipeline.events import RunFinished
from ui import (
    contents,
    keys,
    leave_out,
    lesson,
    one_class,
    pictures_aggregate,
    player,
    run_panel,
    services,
    waiting,
)

page = lesson.Page("aggregate")
text = page.words.text
asked = leave_out.resolve(page.context)
found = asked.found
values = leave_out.values(asked)
page.open(values)
if asked.why:
    st.info(f"{text(asked.why, values)} {text('instead', values)}", icon=":material/info:")
    train = contents.entry("train").file
    st.page_link(train, label=text("to_train"), icon=":material/arrow_forward:")
if asked.why == "failed":
    again = leave_out.ask_again
    st.button(text("ask_again"), on_click=again, args=(page.context,), key=keys.ASK_AGAIN)
if found is None:
    assert asked.answer is not None
    waiting.answer(asked.answer, page.words, values=values)
elif (part := found.part()) is None:
    page.say("nothing")
else:
    picture, panel = st.columns([5, 2], gap="medium")
    with picture:
        player.show(
            player.Show(
                source=f"leave out {asked.row} {asked.use.step} {asked.run.run_id}",
                label="One step with your row and without it",
                charts=[player.Chart(asked.picture, "", " ".join(page.frames(values)))],
                frames=page.frames(values),
                total=2,
                seconds=5,
            ),
            key=keys.PICTURE,
        )
    with panel:
        leave_out.row_panel(page, asked)
    page.say("what", pictures_aggregate.described(part))
    page.predict(values)
    with st.expander(text("all")):
        leave_out.table(found)
        page.say("all_help", values)
    page.code("pipeline/trainer/replica.py", "replica_step")

st.header(text("checks"), anchor=False)
shown = page.context.run
if not isinstance(shown.last, RunFinished) or shown.config.combine != "step":
    shown = services.ended(recordings.DEFAULT)
twins = (
    ("checks_recorded" if shown.recorded else "checks_mine", shown),
    ("checks_twin", services.ended("shuffled-never")),
)
for column, (name, run) in zip(st.columns(2, gap="medium"), twins, strict=True):
    with column:
        st.markdown(f"**{text(name)}**")
        assert isinstance(run.last, RunFinished)
        st.html(run_panel.checks_list(run.last.checks))

st.header(text("one_class"), anchor=False)
one_class.section(page)
page.close()
