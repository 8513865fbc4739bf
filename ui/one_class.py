"""One class each on Aggregate: three ways to combine, and the same on shuffled rows."""

from __future__ import annotations

import streamlit as st

from pipeline.config import Order
from ui import keys, lesson, player, three_ways

ORDER: Order = "one-class-each"


def section(page: lesson.Page) -> None:
    """The experiment as its page shows it: what it is, the button, the pictures, the sentences."""
    compared = three_ways.shown(ORDER)
    text = page.words.text
    page.say("one_class_help", {"parts": compared.parts()})
    three_ways.button(page.context.config, ORDER, text("one_class_button"))
    run = compared.runs["step"]
    of = {"day": run.day, "epochs": f"{run.config.epochs:,}", "replicas": run.config.replicas}
    st.markdown(f"**{text('one_class_yours' if compared.yours else 'one_class_recorded', of)}**")
    result = " ".join((text("one_class_result", compared.values()), text(compared.verdict())))
    mixed = three_ways.recorded("shuffled")
    loss, right, apart = three_ways.pictures(compared)
    mixed_apart = three_ways.pictures(mixed)[2]
    player.still(
        [
            player.Chart(loss, "Loss on the rows each replica is given", result),
            player.Chart(right, "Accuracy on all rows", result),
        ],
        "One class each, three ways to combine",
        keys.ONE_CLASS_CHARTS,
    )
    st.markdown(result)
    told = text("shuffled", mixed.values())
    st.markdown(told)
    player.still(
        [
            player.Chart(apart, "Copies apart · one class each", told),
            player.Chart(mixed_apart, "Copies apart · shuffled data, recorded", told),
        ],
        "How far the copies are from each other",
        keys.APART_CHART,
    )
