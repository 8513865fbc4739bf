"""The scaling model as a picture with sliders that the browser itself answers, and its errors.

`step_time` holds the model's formula as Vega expressions over its parameters, so that moving a
slider asks no server. `pipeline.scaling_model` is the same formula in Python; a test moves the
sliders and compares. The parameter `sentence` is a text that says what is seen; the player shows
it above the picture.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import altair as alt

from pipeline.collectives import VALUE_BYTES
from pipeline.published import Row
from pipeline.scaling_model import BACKWARD, COUNTS, Setup
from ui.charts import inline
from ui.pictures import Picture
from ui.words import Words

PARTS = ("compute", "waiting", "overhead")
MOST_ROWS = 2**14
"""As many rows as the slider goes up to."""


def step_time(setup: Setup, page: Words, counts: Sequence[int] = COUNTS) -> Picture:
    """Milliseconds a step by number of devices, in parts, with sliders for what is assumed.

    `page` has the words of the parts, the sliders and the sentence.
    """
    rows = [{"n": count, "part": part} for count in counts for part in PARTS]
    base = (
        alt.Chart(inline(rows))
        .transform_calculate(**_parts("datum.n"))
        .transform_calculate(
            start="datum.part == 'compute' ? 0 : datum.part == 'waiting' ? datum.compute"
            " : datum.compute + datum.waiting",
            end="datum.part == 'compute' ? datum.compute : datum.part == 'waiting'"
            " ? datum.compute + datum.waiting : datum.step",
            ideal="weak ? t1 : t1 / datum.n",
            times="(weak ? datum.n : 1) * t1 / datum.step",
            name=_choice({part: page.text(part) for part in PARTS}),
        )
        .transform_calculate(
            label="format(datum.step, datum.step < 10 ? '.2f' : '.0f') + ' ms'"
            f" + (datum.n == 1 ? '' : {_spoken(page.texts['times'], {'times': _SPEED})})"
        )
        .encode(
            y=alt.Y(
                "n:O",
                title=page.text("devices"),
                axis=alt.Axis(domain=False, ticks=False, labelPadding=8),
            ),
            tooltip=[
                alt.Tooltip("n:O", title=page.text("devices")),
                alt.Tooltip("compute:Q", title=page.text("compute"), format=".3~f"),
                alt.Tooltip("waiting:Q", title=page.text("waiting"), format=".3~f"),
                alt.Tooltip("overhead:Q", title=page.text("overhead"), format=".3~f"),
                alt.Tooltip("times:Q", title=page.text("speed_up"), format=".2f"),
            ],
        )
    )
    scale = alt.Scale(domainMin=0, domainMax=alt.ExprRef("top"), nice=False, zero=True)
    title = page.text("axis")
    names = [page.text(part) for part in PARTS]
    bars = base.mark_bar(height=24, stroke="$quiet", strokeWidth=1).encode(
        x=alt.X("start:Q", title=title, scale=scale),
        x2="end:Q",
        color=alt.Color(
            "name:N",
            sort=names,
            scale=alt.Scale(domain=names, range=["$quiet", "$ink", "$line"]),
            legend=alt.Legend(
                orient="top", title=None, labelColor="$ink", labelFontSize=13, labelLimit=260
            ),
        ),
    )
    whole = base.transform_filter(alt.datum.part == PARTS[0])
    ideal = whole.mark_tick(color="$ink", thickness=2, height=32, strokeDash=[3, 2]).encode(
        x=alt.X("ideal:Q", title=title, scale=scale)
    )
    labels = whole.mark_text(align="left", dx=10, fontWeight=600).encode(
        x=alt.X("step:Q", title=title, scale=scale), text="label:N"
    )
    return (
        alt.layer(bars, ideal, labels)
        .add_params(*_sliders(setup, page), *_derived(setup, page, counts))
        .properties(width="container", height=44 * len(counts))
    )


def efficiencies(rows: Sequence[Row], page: Words) -> Picture:
    """Published and foretold share of the ideal speed-up, a line for each result.

    The thin line runs from nothing hidden to all that can be hidden; the number is the error.
    """
    data = [
        {
            "who": f"{row.result.model} · {row.result.machine} · {row.result.batch}",
            "published": row.published / row.devices,
            "predicted": row.predicted / row.devices,
            "least": row.nothing_hidden / row.devices,
            "most": row.all_hidden / row.devices,
            "error": signed(row.error),
        }
        for row in rows
    ]
    title = page.text("efficiency_axis")
    scale = alt.Scale(domain=[0.4, 1.12], nice=False)
    axis = alt.Axis(format=".0%", values=[0.4, 0.6, 0.8, 1.0])
    base = alt.Chart(inline(data)).encode(
        y=alt.Y(
            "who:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                domain=False, ticks=False, labelLimit=200, labelFontSize=12, labelFlush=False
            ),
        ),
        tooltip=[
            alt.Tooltip("who:N", title=page.text("head_model")),
            alt.Tooltip("published:Q", title=page.text("head_published"), format=".1%"),
            alt.Tooltip("predicted:Q", title=page.text("head_predicted"), format=".1%"),
            alt.Tooltip("error:N", title=page.text("head_error")),
        ],
    )

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=title, scale=scale, axis=axis)

    return alt.layer(
        base.mark_rule(color="$line", strokeWidth=5).encode(x=at("published"), x2="predicted:Q"),
        base.mark_rule(color="$quiet").encode(x=at("least"), x2="most:Q"),
        base.mark_circle(color="$ink", size=70, opacity=1).encode(x=at("published")),
        base.mark_point(color="$ink", size=70, strokeWidth=1.5, filled=False, opacity=1).encode(
            x=at("predicted")
        ),
        base.mark_text(align="left", dx=12, fontSize=12).encode(x=alt.datum(1.0), text="error:N"),
    ).properties(width="container", height=20 * len(data))


def signed(share: float) -> str:
    """A share with its sign: `+12%`, `−3%`."""
    return f"{share:+.0%}".replace("-", "−")


def _sliders(setup: Setup, page: Words) -> list[alt.Parameter]:
    """What a learner can move. Shares are in percent, times in milliseconds."""
    most = 1000 * setup.step_seconds
    step = 10.0 ** (math.floor(math.log10(most)) - 2)

    def slider(name: str, value: float, low: float, high: float, by: float) -> alt.Parameter:
        return alt.param(
            name=name,
            value=value,
            bind=alt.binding_range(min=low, max=high, step=by, name=f"{page.text(name)} "),
        )

    return [
        alt.param(
            name="weak",
            value=False,
            bind=alt.binding_radio(
                options=[False, True],
                labels=[page.text("strong"), page.text("weak")],
                name=f"{page.text('mode')} ",
            ),
        ),
        slider("power", round(math.log2(setup.batch)), 0, int(math.log2(MOST_ROWS)), 1),
        slider("reached", round(100 * setup.reached), 5, 100, 1),
        slider("hidden", round(100 * setup.hidden), 0, 100, 1),
        slider("fixed", round(1000 * setup.fixed, 6), 0, round(most, 6), step),
        slider("again", round(100 * setup.again), 0, 100, 1),
    ]


def _derived(setup: Setup, page: Words, counts: Sequence[int]) -> list[alt.Parameter]:
    """What follows from the sliders: times of all counts in milliseconds, and the sentence."""
    size = VALUE_BYTES * setup.parameters
    found = {
        "rows": "pow(2, power)",
        "alone": f"max(0, {1000 * setup.step_seconds} - fixed) / {setup.batch}",
        "sending": f"{1000 * size / setup.link.bandwidth} / (reached / 100)",
        "move": f"{1000 * setup.link.latency}",
    }
    for count in counts:
        parts = _parts(str(count))
        inside = {name: f"({text})" for name, text in parts.items()}
        found[f"t{count}"] = _inlined(parts["step"], inside)
    found["top"] = f"1.45 * max({', '.join(f't{count}' for count in counts)})"
    last = counts[-1]
    found["sentence"] = _sentence(page, counts, last)
    return [alt.param(name=name, expr=text) for name, text in found.items()]


def _parts(n: str) -> dict[str, str]:
    """The model's parts for `n` devices (an expression), in milliseconds; in order of use."""
    return {
        "compute": f"alone * (weak ? rows : ceil(rows / {n}))",
        "ring": f"2 * ({n} - 1) / {n} * sending + 2 * ({n} - 1) * move",
        "waiting": f"datum.ring - min(hidden / 100 * datum.ring, {BACKWARD} * datum.compute)",
        "overhead": f"fixed * (1 + again / 100 * ({n} - 1))",
        "step": "datum.compute + datum.waiting + datum.overhead",
    }


def _inlined(text: str, parts: Mapping[str, str]) -> str:
    """The expression with every `datum.part` replaced by what it stands for."""
    while "datum." in text:
        for name, inside in parts.items():
            text = text.replace(f"datum.{name}", inside)
    return text


_SPEED = "format(datum.times, '.2f')"


def _sentence(page: Words, counts: Sequence[int], last: int) -> str:
    """What is seen, as an expression that makes a text."""
    speed = {count: f"(weak ? {count} : 1) * t1 / t{count}" for count in counts}
    values = {
        "rows": "format(rows, ',d')",
        "devices": str(last),
        "times": f"format({speed[last]}, '.2f')",
        "share": f"format({speed[last]} / {last}, '.0%')",
    }
    turns = json.dumps(page.text("no_turn"), ensure_ascii=False)
    for few, many in reversed(list(pairwise(counts))):
        told = _spoken(page.texts["turn"], {"few": str(few), "many": str(many)})
        turns = f"({speed[many]} < {speed[few]} ? {told} : {turns})"
    seen = (
        f"(weak ? {_spoken(page.texts['seen_weak'], values)}"
        f" : {_spoken(page.texts['seen_strong'], values)})"
    )
    return f"{seen} + ' ' + {turns}"


def _spoken(template: str, values: Mapping[str, str]) -> str:
    """An expression that makes the text, with its placeholders as expressions."""
    parts = []
    rest = template
    while rest:
        before, _, after = rest.partition("{")
        if before:
            parts.append(json.dumps(before, ensure_ascii=False))
        name, _, rest = after.partition("}")
        if name:
            parts.append(f"({values[name]})")
    return "(" + " + ".join(parts) + ")"


def _choice(names: Mapping[str, str]) -> str:
    """An expression: the name of `datum.part`."""
    text = "''"
    for part, name in names.items():
        text = f"datum.part == {part!r} ? {json.dumps(name, ensure_ascii=False)} : {text}"
    return text
