"""The pictures of the lesson's stages, in Altair; each is a function of its data and a position.

No Streamlit here. A picture that moves has the parameter `position`, which the player sets; its
resting frame is the last one and already tells the story. Colours are tokens of `ui.palette`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from pipeline.paper import PaperStep

Picture = alt.LayerChart | alt.FacetChart
HEIGHT = 150
SHOWN = 24
"""Columns drawn at most; wider tables are drawn in part."""


def position(last: int) -> alt.Parameter:
    """The parameter that the player moves from 0 to `last`."""
    return alt.param(name="position", value=last)


def _reached(stage: int) -> str:
    """An expression that goes from 0 to 1 while the position goes from `stage` to `stage + 1`."""
    return f"clamp(position - {stage}, 0, 1)"


def paper_parts(step: PaperStep) -> Picture:
    """The parts of the gradient and their sum, as bars that grow one after the other."""
    names = [f"R{replica} alone" for replica in range(len(step.parts))]
    rows = [
        {"who": name, "value": part, "stage": 0, "colour": f"R{replica}"}
        for replica, (name, part) in enumerate(zip(names, step.parts, strict=True))
    ]
    rows.append({"who": "sum, on both", "value": step.total, "stage": 1, "colour": "sum"})
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            shown="datum.value * clamp(position - datum.stage, 0, 1)",
            label="format(datum.value, '+.2f')",
        )
        .encode(
            y=alt.Y("who:N", sort=[*names, "sum, on both"], title=None, axis=_bare_axis()),
            x=alt.X(
                "shown:Q",
                title="gradient of w",
                scale=alt.Scale(domain=[-1, 3.5]),
            ),
        )
    )
    bars = base.mark_bar(height=26).encode(
        color=alt.Color(
            "colour:N",
            scale=alt.Scale(domain=["R0", "R1", "sum"], range=["$R0", "$R1", "$ink"]),
            legend=None,
        )
    )
    numbers = (
        base.mark_text(align="left", dx=6, fontWeight=600)
        .encode(
            text="label:N",
            opacity=alt.condition("abs(datum.shown) > 0", alt.value(1), alt.value(0)),
            x=alt.X("end:Q"),
        )
        .transform_calculate(end="max(0, datum.shown)")
    )
    zero = alt.Chart(_inline([{}])).mark_rule(color="$quiet").encode(x=alt.datum(0))
    return (
        alt.layer(zero, bars, numbers)
        .add_params(position(3))
        .properties(width="container", height=HEIGHT)
    )


def paper_weights(step: PaperStep) -> Picture:
    """The two copies of the weight: both start at the same place and take the same update."""
    rows = [
        {"who": f"copy on R{replica}", "colour": f"R{replica}"}
        for replica in range(len(step.parts))
    ]
    base = (
        alt.Chart(_inline(rows))
        .transform_calculate(
            w=f"{step.before} + ({step.after - step.before}) * {_reached(2)}",
            start=str(step.before),
        )
        .transform_calculate(label="format(datum.w, '.2f')")
        .encode(
            y=alt.Y("who:N", title=None, axis=_bare_axis()),
            x=alt.X("w:Q", title="weight w", scale=alt.Scale(domain=[0.6, 1.1])),
        )
    )
    colour = alt.Color(
        "colour:N", scale=alt.Scale(domain=["R0", "R1"], range=["$R0", "$R1"]), legend=None
    )
    trail = base.mark_rule(strokeWidth=4, opacity=0.35).encode(x2="start:Q", color=colour)
    dots = base.mark_circle(size=260, opacity=1).encode(color=colour)
    numbers = base.mark_text(dy=-20, fontWeight=600).encode(text="label:N")
    return (
        alt.layer(trail, dots, numbers)
        .add_params(position(3))
        .properties(width="container", height=HEIGHT)
    )


def _inline(rows: Sequence[Mapping[str, object]]) -> Any:
    """Rows that travel inside the chart."""
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


def _bare_axis() -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelPadding=8)
