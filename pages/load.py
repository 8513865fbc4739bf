"""Load: the table a run starts from, one row of it that is yours, and a table of your own."""

import streamlit as st

from pipeline import distribute, table_facts
from pipeline.uploads import is_upload
from ui import charts, frame, keys, lesson, pictures_rows, player, row_buttons, upload_panel
from ui.words import counted, number, plain, sample

CODE = {
    "synthetic": ("pipeline/datasets.py", "_synthetic"),
    "digits": ("pipeline/datasets.py", "_digits"),
    "breast-cancer": ("pipeline/datasets.py", "_breast_cancer"),
}
TEXT_WIDTH = 700
MANY = 4
"""More classes than this are told in a sentence instead of a table."""

page = lesson.Page("load")
here = page.context
data, shapes = here.data, here.shapes
share = shapes.shares[0]
part = distribute.shares(shapes.rows, here.config.replicas)[0]
values: dict[str, object] = {
    "rows": counted(shapes.rows, "row"),
    "columns": counted(shapes.features, "column"),
    "table_size": table_facts.size(shapes.rows, shapes.features),
    "part_size": table_facts.size(part, shapes.features),
    "row_size": table_facts.size(1, shapes.features),
    "share": counted(share, "row"),
    "share_size": table_facts.size(share, shapes.features),
}
kind = "part" if here.config.replicas > 1 else "part_alone"
values["part"] = page.words.text(kind, values)
values["part_reply"] = page.words.text(f"{kind}_reply", values)

page.open(values)
drawn = pictures_rows.spread(shapes.features)
picture, beside = st.columns([3, 2], gap="large")
with picture:
    page.say("picture")
    if len(drawn) < shapes.features:
        page.say("part_drawn", {**values, "drawn": len(drawn)})
    player.still(
        [
            player.Chart(
                charts.kept(
                    pictures_rows.row_over_ranges,
                    data.features,
                    here.raw_row,
                    here.scaled_row,
                    here.scaler.low,
                    here.scaler.high,
                    last=0,
                ),
                "",
                "Your row’s value in each column, over the column’s range; the table below has "
                "the same numbers.",
            )
        ],
        "Your row over the columns’ ranges",
        keys.PICTURE,
    )
    with st.expander("The same as a table"):
        frame.table(
            ("column", "your row", "lowest", "highest"),
            [
                (data.features[i], *map(number, (here.raw_row[i], low, high)))
                for i, low, high in ((i, here.scaler.low[i], here.scaler.high[i]) for i in drawn)
            ],
            "columns",
        )
with beside:
    lines = [(page.words.text("row"), f"`{sample(here.raw_row.tolist())}`")]
    if is_upload(here.config.data):
        lines.append((page.words.text("file"), f"row {data.train_rows[here.row] + 1:,}"))
    page.your_row(lines)
    row_buttons.row_buttons(here.row, shapes.rows)
    if data.name == "digits":
        player.still(
            [
                player.Chart(
                    charts.kept(pictures_rows.pixels, here.raw_row), "", "Your row as a picture."
                )
            ],
            "Your row as a picture",
            keys.PIXELS,
        )
    page.say("reference")

if shapes.rows > here.config.global_batch:
    page.predict(values)
else:
    page.say("whole_batch", values)

st.header(page.words.text("table"), anchor=False)
with st.container(width=TEXT_WIDTH):
    st.markdown(f"**{plain(data.title)}.** {plain(data.about)}")
    for note in data.notes:
        st.markdown(plain(note))
    if len(data.x_validation):
        page.say("held_out", {"held_out": f"{len(data.x_validation):,}"})
    counts = table_facts.class_counts(data)
    if len(counts) > MANY:
        told = ", ".join(f"{plain(name)} **{training:,}**" for name, training, _ in counts)
        page.say("classes", {"counts": told})
if len(counts) <= MANY:
    frame.table(
        ("class", "training rows", "held-out rows"),
        [(name, f"{training:,}", f"{held_out:,}") for name, training, held_out in counts],
        "classes",
    )

st.header(page.words.text("own"), anchor=False)
upload_panel.panel(here, page.words)
page.code(*CODE.get(here.config.data, ("pipeline/csv_data.py", "read_csv")))
page.close(values)
