"""The picture of Averaging instead: copies that drift apart and meet again, epoch after epoch.

No Streamlit here; see `ui.pictures` for how a picture gets its colours.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from pipeline.side_by_side import Points, end_of, thinned
from ui.charts import inline
from ui.palette import DASHES
from ui.pictures import Picture

HEIGHT = 240
ROOM = 0.05
"""Below 0, as a share of the scale, so that a line at 0 does not lie on the axis."""
POINTS = 400
"""Points drawn of all epochs together, about."""


def saw_teeth(
    averaged: Sequence[Points], together: Points, title: str, steps: int, top: float
) -> Picture:
    """Difference of the copies against the step: `averaged` epoch by epoch, `together` as one line.

    Lines run from an epoch's first step to its last; a dotted line from there to 0 is the
    averaging. `top` is the end of the scale, the same for pictures side by side.
    """
    bins = max(2, POINTS // (2 * max(1, len(averaged))))
    names = ["once an epoch", "every step"]
    rows = [
        {"who": names[0], "epoch": epoch, "x": x, "y": y}
        for epoch, points in enumerate(averaged, start=1)
        for x, y in thinned(points, bins)
    ]
    rows += [{"who": names[1], "epoch": 0, "x": x, "y": y} for x, y in thinned(together)]
    drops = [{"x": points[-1][0], "y": end_of(points), "to": 0} for points in averaged if points]
    x = alt.X(
        "x:Q",
        title="step",
        scale=alt.Scale(domain=[0, steps], nice=False),
        axis=alt.Axis(format=",d", tickMinStep=1),
    )
    y = alt.Y("y:Q", title=title, scale=alt.Scale(domain=[-ROOM * top, top], nice=False))
    lines = (
        alt.Chart(inline(rows))
        .mark_line(color="$ink")
        .encode(
            x=x,
            y=y,
            detail="epoch:N",
            strokeDash=alt.StrokeDash(
                "who:N",
                scale=alt.Scale(domain=names, range=[list(DASHES[1]), list(DASHES[0])]),
                legend=alt.Legend(
                    orient="top",
                    title=None,
                    labelColor="$ink",
                    labelFontSize=13,
                    symbolStrokeColor="$ink",
                    symbolSize=700,
                ),
            ),
            tooltip=[
                alt.Tooltip("who:N", title="combined"),
                alt.Tooltip("x:Q", title="step", format=","),
                alt.Tooltip("y:Q", title="copies apart", format=".3~g"),
            ],
        )
    )
    averagings = (
        alt.Chart(inline(drops))
        .mark_rule(color="$quiet", strokeDash=[1, 3], strokeWidth=1.5)
        .encode(x=x, y=y, y2="to:Q")
    )
    return alt.layer(averagings, lines).properties(width="container", height=HEIGHT)
