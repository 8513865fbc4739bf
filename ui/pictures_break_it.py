"""The picture of Break it: numbered programs that leave the tray for the column of their verdict.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours. A silent mistake
is a filled disc, everything else a ring, so that no colour is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import altair as alt

from pipeline.cards import VERDICTS
from ui.charts import inline
from ui.pictures import Picture, position

ROW = 27
"""Pixels from one program of a column to the next."""
HEAD, TRAY_HEAD = 34, 30
"""Pixels above the columns and above the tray."""
FEWEST = 5
"""Rows of a column for which there is room at least."""
GAP = 8
"""Pixels under the longest column."""
INDENT = 14
"""Pixels from the left end of a column to the middle of a disc."""
TRAY = 12
"""Programs side by side in the tray."""
WIDE = 620
"""Pixels of width from which names are written beside the numbers."""


def sorted_cards(
    names: Sequence[str], ended: Sequence[tuple[int, str]], heads: Mapping[str, str]
) -> Picture:
    """Programs 1, 2, ... in the tray; at position p the first p of `ended` are in their columns.

    `ended` holds the index and the verdict of each program that has ended, in that order; `heads`
    the words for each verdict and for the tray. The parameter `position` rests at the end.
    """
    columns = {verdict: column for column, verdict in enumerate(VERDICTS)}
    tall = max([FEWEST, *Counter(verdict for _, verdict in ended).values()])
    tray = HEAD + tall * ROW + GAP + TRAY_HEAD
    height = tray + ROW * ((len(names) - 1) // TRAY + 1)
    place = {index: (order, verdict) for order, (index, verdict) in enumerate(ended)}
    filled: Counter[str] = Counter()
    goals = {}
    for index, (_, verdict) in place.items():
        goals[index] = (columns[verdict], HEAD + ROW * (filled[verdict] + 0.5))
        filled[verdict] += 1
    rows = []
    for index, name in enumerate(names):
        from_x = (index % TRAY) * (len(VERDICTS) / TRAY)
        from_y = tray + ROW * (index // TRAY + 0.5)
        order, verdict = place.get(index, (len(names), ""))
        to_x, to_y = goals.get(index, (from_x, from_y))
        rows.append(
            {"n": str(index + 1), "name": name, "order": order, "silent": verdict == "silent"}
            | {"x0": from_x, "y0": from_y, "x1": to_x, "y1": to_y}
        )
    moved = (
        alt.Chart(inline(rows))
        .transform_calculate(part="clamp(position - datum.order, 0, 1)")
        .transform_calculate(
            x="datum.x0 + (datum.x1 - datum.x0) * datum.part",
            y="datum.y0 + (datum.y1 - datum.y0) * datum.part",
            full="datum.silent && datum.part >= 1",
            label=f"datum.part >= 1 && width > {WIDE} ? datum.name : ''",
        )
    )
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, len(VERDICTS)], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False, zero=False))
    discs = moved.mark_circle(
        xOffset=INDENT, size=400, stroke="$ink", strokeWidth=1.2, opacity=1
    ).encode(x=x, y=y, fill=alt.condition("datum.full", alt.value("$ink"), alt.value("$paper")))
    numbers = moved.mark_text(xOffset=INDENT, fontSize=11, fontWeight=600).encode(
        x=x,
        y=y,
        text="n:N",
        color=alt.condition("datum.full", alt.value("$paper"), alt.value("$ink")),
    )
    labels = moved.mark_text(align="left", dx=INDENT + 16, fontSize=12.5, color="$ink").encode(
        x=x, y=y, text="label:N"
    )
    titles = [
        {"x": column, "y": HEAD / 3, "text": heads[verdict]} for verdict, column in columns.items()
    ]
    titles.append({"x": 0, "y": tray - TRAY_HEAD / 2, "text": heads["tray"]})
    words = (
        alt.Chart(inline(titles))
        .mark_text(align="left", dx=4, fontSize=13, fontWeight=600, color="$ink")
        .encode(x=x, y=y, text="text:N")
    )
    lines = [{"y": HEAD - 8}, {"y": tray - TRAY_HEAD}]
    rules = alt.Chart(inline(lines)).mark_rule(color="$line").encode(y=y)
    return (
        alt.layer(rules, discs, numbers, labels, words)
        .add_params(position(len(ended)))
        .properties(width="container", height=height)
    )
