"""Overview: the whole idea on four rows by hand, then a recorded run, then the real thing."""

import streamlit as st

from pipeline import paper
from ui import charts, keys, lesson, pictures, player, run_panel

page = lesson.Page("overview")
step = paper.step()
values = {
    "xs": ", ".join(f"x = {x:g}" if i == 0 else f"{x:g}" for i, x in enumerate(paper.ROWS)),
    "target": f"{paper.TARGET:g}",
    "w": f"{step.before:.2f}",
    "rate": f"{paper.RATE:g}",
    "g0": f"{step.parts[0]:+.2f}".replace("-", "−"),
    "g1": f"{step.parts[1]:+.2f}",
    "sum": f"{step.total:+.2f}",
    "after": f"{step.after:.2f}",
    "alone0": f"{paper.alone(0, 1):.2f}",
    "alone1": f"{paper.alone(1, 1):.2f}",
    "average_once": f"{paper.averaged(1):.2f}",
    "average_twice": f"{paper.averaged(2):.4f}",
    "together_twice": f"{paper.step(step.after).after:.4f}",
    "parameters": f"{page.context.shapes.parameters:,}",
    "rows": f"{page.context.shapes.rows:,}",
}
page.open(values)
player.show(
    player.Show(
        source="paper",
        label="One step, by hand",
        charts=[
            player.Chart(
                charts.kept(pictures.paper_parts, step),
                "Each replica’s part of the gradient",
                page.frames(values)[1] + " " + page.frames(values)[2],
            ),
            player.Chart(
                charts.kept(pictures.paper_weights, step),
                "The two copies of w",
                page.frames(values)[3],
            ),
        ],
        frames=page.frames(values),
        total=3,
        seconds=4.5,
    ),
    key=keys.PICTURE,
)
page.predict(values)
with st.expander("For the keen"):
    page.say("keen", values)
st.header(page.words.text("real"), anchor=False)
page.say("real_lede", values)
run_panel.panel(page.context, brief=True)
page.close(values)
