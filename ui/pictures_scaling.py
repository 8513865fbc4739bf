"""The pictures of the scaling lab: a step's parts by replicas, speed-up, efficiency, first steps.

No Streamlit here; see `ui.pictures` for how a picture moves and gets its colours. None of these
parts is a replica, so all are shades of ink; the ideal is dashed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from pipeline.scaling_plan import Mode
from pipeline.scaling_result import Measurement
from ui.charts import ONE_COLUMN, inline
from ui.pictures import Picture, position
from ui.words import number

PARTS = {"compute": "$line", "all-reduce": "$ink", "input": "$paper"}
"""The parts of a step from the bottom up, with their shades."""
IDEAL = (5, 4)
"""The dashes of what would be ideal."""
DASHES: dict[Mode, tuple[int, ...]] = {"strong": (), "weak": (8, 3, 2, 3)}
NAMED: dict[Mode, str] = {"strong": "same global batch", "weak": "same rows a replica"}
HEIGHT = 250


def parts(found: Measurement, *, moving: bool = False) -> Picture:
    """Milliseconds a step, stacked by part; `moving`: at position 0 there is only the ideal.

    A part that came out below 0 has no bar; the thick mark is the whole step as it was timed, so a
    gap under it, or a bar above it, is what the parts leave unexplained.
    """
    bars: list[dict[str, Any]] = []
    wholes: list[dict[str, Any]] = []
    for n in found.replicas:
        split = found.parts(n)
        below = 0.0
        for part in PARTS:
            height = max(0.0, getattr(split, part.replace("-", "_")))
            bars.append(
                {
                    "n": n,
                    "part": part,
                    "y0": below,
                    "y1": below + height,
                    "ms": getattr(split, part.replace("-", "_")),
                    "share": split.share(part.replace("-", "_")),
                }
            )
            below += height
        wholes.append(
            {
                "n": n,
                "ms": split.whole,
                "label": milliseconds(split.whole),
                "top": max(below, split.whole),
                "ideal": found.ideal("strong", n),
                "hoped": milliseconds(found.ideal("strong", n)),
            }
        )
    top = 1.12 * max(row["top"] for row in wholes)
    x = alt.X("n:O", title="replicas", axis=alt.Axis(labelAngle=0, ticks=False))
    scale = alt.Scale(domain=[0, top], nice=False)

    def level(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", title="milliseconds a step", scale=scale)

    grown = "clamp(position, 0, 1)" if moving else "1"
    stack = (
        alt.Chart(inline(bars))
        .transform_calculate(low=f"datum.y0 * {grown}", high=f"datum.y1 * {grown}")
        .mark_bar(stroke="$quiet", strokeWidth=1)
        .encode(
            x=x,
            y=level("low"),
            y2="high:Q",
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())),
                legend=alt.Legend(
                    orient="top",
                    title=None,
                    labelColor="$ink",
                    labelFontSize=13,
                    symbolType="square",
                    symbolStrokeColor="$quiet",
                    symbolStrokeWidth=1,
                    symbolSize=150,
                ),
            ),
            tooltip=[
                alt.Tooltip("n:O", title="replicas"),
                alt.Tooltip("part:N", title="part"),
                alt.Tooltip("ms:Q", title="milliseconds", format=".3f"),
                alt.Tooltip("share:Q", title="of the step", format=".0%"),
            ],
        )
    )
    whole = (
        alt.Chart(inline(wholes))
        .transform_calculate(seen=grown, unseen=f"1 - {grown}")
        .encode(x=x, tooltip=[alt.Tooltip("ms:Q", title="whole step, ms", format=".3f")])
    )
    seen = alt.Opacity("seen:Q", scale=None)
    picture = alt.layer(
        stack,
        whole.mark_tick(thickness=4, color="$ink", bandSize=46).encode(y=level("ms"), opacity=seen),
        whole.mark_bar(filled=False, stroke="$ink", strokeWidth=1.5, strokeDash=list(IDEAL)).encode(
            y=level("ideal")
        ),
        whole.mark_text(baseline="bottom", dy=-7, fontWeight=600).encode(
            y=level("top"), text="label:N", opacity=seen
        ),
        whole.mark_text(baseline="bottom", dy=-7).encode(
            y=level("ideal"),
            text="hoped:N",
            opacity=alt.Opacity("unseen:Q", scale=None),
        ),
    ).properties(width="container", height=HEIGHT)
    return picture.add_params(position(1)) if moving else picture


def speed_up(found: Measurement) -> Picture:
    """Examples a second as a multiple of one replica's; the ideal is as many times as replicas."""
    return _against_replicas(
        found,
        "speed-up",
        {mode: [found.speed_up(mode, n) for n in found.replicas] for mode in DASHES},
        [float(n) for n in found.replicas],
        "×",
    )


def efficiency(found: Measurement) -> Picture:
    """Speed-up for each replica, in per cent; the ideal is 100."""
    return _against_replicas(
        found,
        "efficiency, %",
        {mode: [100 * found.efficiency(mode, n) for n in found.replicas] for mode in DASHES},
        [100.0] * len(found.replicas),
        " %",
    )


def first_steps(found: Measurement) -> Picture:
    """How long the first step took, which TensorFlow traces, by replicas."""
    rows = [
        {
            "n": n,
            "s": found.step("strong", n).tracing_seconds,
            "label": f"{found.step('strong', n).tracing_seconds:.2f} s",
        }
        for n in found.replicas
    ]
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("n:O", title="replicas", axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("s:Q", title="seconds, once"),
    )
    return alt.layer(
        base.mark_bar(color="$line", stroke="$quiet", strokeWidth=1),
        base.mark_text(baseline="bottom", dy=-4).encode(text="label:N"),
    ).properties(width="container", height=HEIGHT - 60)


def milliseconds(value: float) -> str:
    """`0.687 ms`, `52.3 ms`: three significant digits."""
    return f"{number(value, 3)} ms" if value < 1000 else f"{value:,.0f} ms"


def _against_replicas(
    found: Measurement,
    title: str,
    lines: dict[Mode, list[float]],
    ideal: Sequence[float],
    unit: str,
) -> Picture:
    """One line for each way of scaling, labelled at its end, and the ideal."""
    rows = [
        {"who": NAMED[mode], "n": n, "y": y}
        for mode, values in lines.items()
        for n, y in zip(found.replicas, values, strict=True)
    ]
    best = [{"n": n, "y": y} for n, y in zip(found.replicas, ideal, strict=True)]
    top = max(*ideal, *(y for values in lines.values() for y in values))
    x = alt.X(
        "n:Q",
        title="replicas",
        scale=alt.Scale(type="log", base=2, domain=[1, max(found.replicas, default=1)]),
        axis=alt.Axis(values=found.replicas, format="d"),
    )
    y = alt.Y("y:Q", title=title, scale=alt.Scale(domain=[0, 1.05 * top], nice=False))
    names = [NAMED[mode] for mode in lines]
    base = alt.Chart(inline(rows)).encode(x=x, y=y)
    dashes = alt.StrokeDash(
        "who:N",
        scale=alt.Scale(domain=names, range=[list(DASHES[mode]) for mode in lines]),
        legend=alt.Legend(
            orient="top",
            title=None,
            labelColor="$ink",
            labelFontSize=13,
            labelLimit=300,
            symbolStrokeColor="$ink",
            symbolSize=400,
            columns=ONE_COLUMN,
        ),
    )
    return alt.layer(
        alt.Chart(inline(best))
        .mark_line(color="$quiet", strokeDash=list(IDEAL), strokeWidth=1.5)
        .encode(x=x, y=y),
        alt.Chart(inline(best[-1:]))
        .mark_text(align="right", baseline="bottom", dy=-5, dx=-6, color="$quiet")
        .encode(x=x, y=y, text=alt.value("ideal")),
        base.mark_line(color="$ink").encode(strokeDash=dashes),
        base.mark_circle(color="$ink", size=46, opacity=1).encode(
            tooltip=[
                alt.Tooltip("who:N", title="scaling"),
                alt.Tooltip("n:Q", title="replicas"),
                alt.Tooltip("y:Q", title=title, format=".2f"),
            ]
        ),
    ).properties(width="container", height=HEIGHT - 60)
