"""3 Distribute: every step cuts one batch; where your row goes, epoch by epoch."""

import streamlit as st

from pipeline import epoch_plan
from ui import batch_words, charts, frame, keys, lesson, pictures_batch, player

page = lesson.Page("distribute")
here, config = page.context, page.context.config
plan = epoch_plan.of(here.data.y_train, config, here.row)
full, rest = divmod(plan.rows, config.global_batch)
numbers = {
    "batch": f"{min(config.global_batch, plan.rows):,}",
    "rows": f"{plan.rows:,}",
    "all": f"{here.shapes.rows:,}",
    "steps": f"{plan.steps:,}",
    "full": f"{full:,}",
    "rest": f"{rest:,}",
    "epochs": f"{config.epochs:,}",
    "shown": plan.epochs,
    "history": batch_words.history(page.words, plan),
}
page.open(numbers)

left, right = st.columns([2, 1], gap="medium")
with right:
    st.header(page.words.text("count"), anchor=False)
    frame.table(*batch_words.counts(page.words, plan), "counts")
    show_last = False
    if plan.steps == 1:
        page.say("one_step", numbers)
    else:
        page.say("count_help" if plan.rows == here.shapes.rows else "count_some", numbers)
        show_last = st.toggle(page.words.text("show_last"), key=keys.LAST_BATCH)
        page.say("last_short" if rest else "last_even", numbers)
with left:
    batch = plan.batch(plan.first_use.epoch, plan.steps) if show_last else plan.first_use
    values = {
        "step": f"{batch.step:,}",
        "epoch": batch.epoch,
        "cut": batch_words.cut_of(page.words, batch),
    }
    title = page.words.text("picture", values)
    player.show(
        player.Show(
            source=f"batch-{config.to_query()}-{batch.epoch}-{batch.step}",
            label=title,
            charts=[
                player.Chart(
                    charts.kept(pictures_batch.batch_cut, batch.pieces, here.row),
                    title,
                    page.words.text("alt", values),
                )
            ],
            frames=batch_words.frames(page.words, batch, here.row),
            total=1,
            seconds=1.5,
        ),
        key=keys.PICTURE,
    )
    if not show_last and plan.use_in(1) is None:
        page.say("sits_out" if plan.uses else "never", numbers)

unasked = batch_words.unasked(plan)
if unasked:
    page.say(unasked)
else:
    page.predict(batch_words.question(page.words, plan))

st.header(page.words.text("strip"), anchor=False)
left, right = st.columns([5, 2], gap="large")
with left:
    page.say("strip_help")
    if plan.epochs < config.epochs:
        page.say("strip_more", numbers)
    strip = charts.kept(
        pictures_batch.strip_of_uses, plan.uses, plan.epochs, plan.steps, config.replicas
    )
    alt = page.words.text("strip_alt", numbers)
    player.still([player.Chart(strip, "", alt)], page.words.text("strip"), keys.STRIP)
with right:
    page.your_row(batch_words.by_epoch(page.words, plan))

page.say("code")
page.code("pipeline/distribute.py", "cut")
page.code("pipeline/trainer/training.py", "Run._batches")
page.close()
