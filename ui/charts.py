"""Charts, in Altair. No Streamlit here: a chart is a value that a page places.

Colours are tokens of `ui.palette` (`"$R0"`), which the player turns into the theme's colours.
"""

from __future__ import annotations

import altair as alt

from pipeline.feed import MEAN
from ui.palette import DASHES
from ui.pictures import Picture


def by_step(
    field: str, title: str, replicas: int, steps: int, batch: int, top: float | None = None
) -> Picture:
    """`field` of the rows `steps` against the step: a thin line a replica, their mean in ink.

    Steps of fewer than `batch` rows (the last of an epoch) are hollow points beside the line,
    since the mean of few rows jumps.
    """
    names = [f"R{replica}" for replica in range(replicas)]
    base = alt.Chart(alt.NamedData("steps")).encode(
        x=alt.X(
            "at:Q",
            title="step",
            scale=alt.Scale(domain=[0, steps], nice=False),
            axis=alt.Axis(format=",d", tickMinStep=1),
        ),
        y=alt.Y(
            f"{field}:Q", title=title, scale=alt.Scale(domainMin=0, domainMax=top or alt.Undefined)
        ),
        tooltip=[
            alt.Tooltip("who:N", title="who"),
            alt.Tooltip("at:Q", title="step", format=","),
            alt.Tooltip("epoch:Q", title="epoch"),
            alt.Tooltip("rows:Q", title="rows", format=","),
            alt.Tooltip(f"{field}:Q", title=title, format=".4f"),
        ],
    )
    of_all = base.transform_filter(alt.datum.who == MEAN)
    mean = of_all.transform_filter(alt.datum.rows >= batch).mark_line(strokeWidth=2, color="$ink")
    short = of_all.transform_filter(alt.datum.rows < batch).mark_point(
        size=28, strokeWidth=1.5, color="$ink"
    )
    if replicas == 1:
        return alt.layer(mean, short).properties(width="container", height=260)
    parts = (
        base.transform_filter(alt.datum.who != MEAN)
        .transform_filter(alt.datum.rows >= batch // replicas)
        .mark_line(strokeWidth=1, opacity=0.85)
        .encode(
            color=alt.Color(
                "who:N",
                scale=alt.Scale(domain=names, range=[f"${name}" for name in names]),
                legend=None,
            ),
            strokeDash=alt.StrokeDash(
                "who:N",
                scale=alt.Scale(domain=names, range=[list(d) for d in DASHES[:replicas]]),
                legend=None,
            ),
        )
    )
    return alt.layer(parts, mean, short).properties(width="container", height=260)
