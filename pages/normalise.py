"""Normalise: every column stretched to 0-1, with the formula on one column of your row."""

import streamlit as st

from pipeline import table_facts
from pipeline.csv_text import listed
from ui import charts, frame, keys, lesson, pictures_rows, player
from ui.words import number, plain, sample

STILL = 0.02
"""A dot that moves by less than this part of the picture's width hardly moves."""

page = lesson.Page("normalise")
here = page.context
data, scaler = here.data, here.scaler
raw, scaled = here.raw_row, here.scaled_row
drawn = pictures_rows.spread(len(data.features))
placed = pictures_rows.along_axis(raw, scaler.low, scaler.high)
moved = table_facts.largest_move(scaled[drawn], placed[drawn])
example = table_facts.example(scaler, raw, drawn)

page.open()
picture, beside = st.columns([3, 2], gap="large")
with picture:
    player.show(
        player.Show(
            source=f"normalise-{here.config.data}-{here.row}",
            label="Scaling, column by column",
            charts=[
                player.Chart(
                    charts.kept(
                        pictures_rows.row_over_ranges,
                        data.features,
                        raw,
                        scaled,
                        scaler.low,
                        scaler.high,
                    ),
                    "",
                    "Your row’s value in each column, before and after scaling; the table below "
                    "has the same numbers.",
                )
            ],
            frames=page.frames(
                {
                    "least": number(scaler.low[drawn].min()),
                    "most": number(scaler.high[drawn].max()),
                    "same": page.words.text("same") if moved < STILL else "",
                }
            ),
            total=1,
            seconds=2.5,
        ),
        key=keys.PICTURE,
    )
    if len(drawn) < len(data.features):
        page.say("part_drawn", {"drawn": len(drawn), "columns": f"{len(data.features):,}"})
    with st.expander("The same as a table"):
        frame.table(
            ("column", "as loaded", "lowest", "highest", "scaled"),
            [
                (data.features[i], *map(number, (raw[i], scaler.low[i], scaler.high[i], scaled[i])))
                for i in drawn
            ],
            "columns",
        )
with beside:
    page.your_row(
        [
            (page.words.text("before"), f"`{sample(raw.tolist())}`"),
            (page.words.text("row"), f"`{sample(scaled.tolist())}`"),
        ]
    )
    if example is not None:
        values = {
            "column": plain(data.features[example.column]),
            **{
                name: number(getattr(example, name), 6)
                for name in ("low", "high", "value", "beyond")
            },
            "scaled": number(example.scaled),
            "scaled_beyond": number(example.scaled_beyond),
        }
        low = values["low"]
        values["minus_low"] = f"({low})" if example.low < 0 else low
        page.say("formula", values)
    if scaler.constant.any():
        names = [data.features[i] for i in scaler.constant.nonzero()[0]]
        page.say("constant", {"columns": plain(listed(names))})
    if len(data.x_validation):
        page.say(
            "beyond",
            {
                "beyond_rows": f"{table_facts.beyond_range(scaler, data.x_validation):,}",
                "held_out": f"{len(data.x_validation):,}",
            },
        )
    page.say("reference")

if example is not None:
    page.predict(values)
page.code("pipeline/preprocess.py", "fit")
page.code("pipeline/preprocess.py", "MinMax.apply")
page.close()
