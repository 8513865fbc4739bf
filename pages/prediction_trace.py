"""Prediction trace: a batch cut by rows, run through all layers on every replica, and gathered."""

import streamlit as st

from ui import (
    contents,
    keys,
    lesson,
    pictures_prediction,
    player,
    prediction,
    run_panel,
    waiting,
)

TEXT_WIDTH = 700

page = lesson.Page("prediction-trace")
say, here = page.words.text, page.context
page.open()
size, batch_size = prediction.choices(page)
asked = prediction.resolve(here, size, batch_size)
found, values = asked.found, prediction.values(page, asked)
if asked.why:
    st.info(f"{say(asked.why, values)} {say('instead', values)}", icon=":material/info:")
if asked.waiting is not None:
    waiting.answer(asked.waiting, page.words)
elif asked.why == "going_on":
    prediction.until_it_ends(here.run)
elif asked.why == "failed":
    again = (here, size, batch_size)
    st.button(say("ask_again"), on_click=prediction.ask_again, args=again, key=keys.ASK_AGAIN)
elif asked.why:
    train = contents.entry("train").file
    st.page_link(train, label=say("to_train"), icon=":material/arrow_forward:")

player.show(
    player.Show(
        source=f"prediction {asked.answer.key} {asked.row}",
        label=say("picture", values),
        charts=[player.Chart(asked.picture, "", say("alt", values))],
        frames=page.frames(values),
        total=len(page.words.frames) - 1,
        seconds=8,
    ),
    key=keys.PICTURE,
)
page.say("how", values)
if not asked.why:
    st.markdown(run_panel.label(here))
if found.replicas == 1:
    page.say("ask_one", values)
else:
    page.predict(values)

st.header(say("shapes"), anchor=False)
left, right = st.columns([3, 2], gap="large")
with left:
    page.say("shapes_help", values)
    if found.rows < size:
        page.say("few", values)
    prediction.shapes_table(found)
    if any(piece.rows == 0 for piece in found.pieces):
        page.say("empty")
    units = "one_unit" if found.predicted.shape[1] == 1 else "many_units"
    st.markdown(f"{say('result', values)} {say(units, values)}")
with right:
    prediction.row_panel(page, asked, values)
with st.expander(say("numbers", values)):
    prediction.numbers_table(asked)
with st.container(width=TEXT_WIDTH):
    page.say("reference")

st.header(say("same"), anchor=False)
prediction.checks_table(page, asked)
page.say("observed" if asked.here else "recorded", values)

st.header(say("truth"), anchor=False)
page.say("truth_help" if found.rows > 1 else "truth_one", values)
if found.rows > 1:
    chart = pictures_prediction.chances(asked.read, asked.place, asked.whose)
    player.still(
        [player.Chart(chart, say("chances"), say("chances_alt", values))],
        say("chances"),
        keys.CHANCES,
    )
    page.say("wrong")
prediction.wrong_table(asked)
page.code("pipeline/trainer/prediction.py", "predict")
page.close()
