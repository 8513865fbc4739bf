"""A learner's own runs: look at one again, compare some on one scale, delete; and presets.

Stands behind "experiment", so that the lesson's first reading is not held up by it.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import streamlit as st

from pipeline.config import SETTINGS, RunConfig
from pipeline.run_log import LogError
from pipeline.run_view import RunView
from pipeline.runs import NotYours, RunInfo, UnknownRun
from ui import frame, keys, learner, notices, player, services, words
from ui.context import Context
from ui.presets import Preset, presets

MOST_COMPARED = 6
MARKS = ((), (7, 3), (2, 2), (9, 3, 2, 3), (1, 3), (12, 5))
"""A dash pattern for each compared run: compared runs are no replicas and have no colour."""


def section(here: Context) -> None:
    """The expander with presets, the list and the comparison."""
    with st.expander("Experiment: presets, your runs, compare"):
        _presets()
        mine = services.runs().of(learner.owner())
        if not mine:
            st.markdown("Your own runs will be listed here, to look at again, compare and delete.")
            return
        st.markdown("#### Your runs")
        for info in mine:
            _row(info, here)
        _compare(mine)


def _presets() -> None:
    st.markdown("#### Presets")
    chosen = st.selectbox(
        "Settings worth trying",
        presets(),
        index=None,
        format_func=lambda preset: ("Good: " if preset.good else "Bad: ") + preset.name,
        placeholder="choose one",
        key=keys.PRESET,
    )
    if chosen is not None:
        st.markdown(chosen.reason)
        st.button("Use these settings", on_click=_use, args=(chosen,), key=keys.USE_PRESET)


def _row(info: RunInfo, here: Context) -> None:
    text, compare, show, delete = st.columns([5, 1.4, 1.1, 1.2], vertical_alignment="center")
    state = info.state if info.place is None else f"waiting, number {info.place}"
    text.markdown(f"{words.plain(described(info.config))} · {state}{_result(info)}")
    compare.checkbox("Compare", key=keys.compared(info.run_id))
    shown = info.run_id == here.run.run_id
    show.button(
        "Show", key=f"show_{info.run_id}", on_click=_show, args=(info.run_id,), disabled=shown
    )
    delete.button("Delete", key=f"delete_{info.run_id}", on_click=_delete, args=(info.run_id,))


def described(config: RunConfig) -> str:
    """The settings that differ from the default: `replicas 4, epochs 2`, or `default settings`."""
    differing = config.differs_from(RunConfig())
    named = (f"{SETTINGS[name].title.lower()} {mine}" for name, (mine, _) in differing.items())
    return ", ".join(named) or "default settings"


def _result(info: RunInfo) -> str:
    epochs = _epochs(info)
    if not epochs or epochs[-1]["loss"] is None:
        return ""
    return f" · loss {epochs[-1]['loss']:.3f} after {len(epochs)} epochs"


def _epochs(info: RunInfo) -> list[dict[str, Any]]:
    try:
        view: RunView = services.runs().view(info.run_id)
        return [event.model_dump() for event in view.epochs]
    except (UnknownRun, LogError):
        return []


def _compare(mine: list[RunInfo]) -> None:
    picked = [info for info in mine if st.session_state.get(keys.compared(info.run_id))]
    if len(picked) < 2:
        st.markdown("Tick two or more runs to compare them on one scale.")
        return
    if len(picked) > MOST_COMPARED:
        st.markdown(f"Only the first {MOST_COMPARED} of the ticked runs are drawn.")
        picked = picked[:MOST_COMPARED]
    names = [f"run {chr(ord('A') + index)}" for index in range(len(picked))]
    st.markdown("#### Compared")
    rows = [
        {"at": epoch["epoch"], "who": name, **{f: epoch[f] for f in ("loss", "val_loss")}}
        for name, info in zip(names, picked, strict=True)
        for epoch in _epochs(info)
    ]
    last = max((row["at"] for row in rows), default=0)
    player.show(
        player.Show(
            source="compare-" + "-".join(info.run_id for info in picked),
            label="Runs compared, epoch by epoch",
            rows={"compared": sorted(rows, key=lambda row: row["at"])},
            total=last,
            legend=[player.Line(name, "ink", MARKS[index]) for index, name in enumerate(names)],
            charts=[
                player.Chart(_chart("loss", names, last), "Loss", "Loss by epoch, one line a run."),
                player.Chart(
                    _chart("val_loss", names, last),
                    "Held-out loss",
                    "Loss on held-out rows by epoch, one line a run.",
                ),
            ],
        ),
        key=keys.COMPARISON,
    )
    differing = _differing([info.config for info in picked])
    frame.table(
        ("setting", *names),
        [
            (SETTINGS[name].title.lower(), *(str(getattr(i.config, name)) for i in picked))
            for name in differing
        ]
        or [("all settings are the same", *("" for _ in picked))],
        "compared",
    )


def _differing(configs: list[RunConfig]) -> list[str]:
    """The settings in which not all of these agree, in the table's order."""
    return [name for name in SETTINGS if len({getattr(config, name) for config in configs}) > 1]


def _chart(field: str, names: list[str], last: int) -> alt.Chart:
    ticks = list(range(1, last + 1, max(1, last // 10)))
    chart: alt.Chart = (
        alt.Chart(alt.NamedData("compared"))
        .mark_line(color="$ink", point=alt.OverlayMarkDef(color="$ink", size=30))
        .encode(
            x=alt.X("at:Q", title="epoch", axis=alt.Axis(values=ticks, format="d")),
            y=alt.Y(f"{field}:Q", title=None, scale=alt.Scale(domainMin=0)),
            strokeDash=alt.StrokeDash(
                "who:N",
                scale=alt.Scale(domain=names, range=[list(m) for m in MARKS[: len(names)]]),
                legend=None,
            ),
            tooltip=["who:N", alt.Tooltip("at:Q", title="epoch"), f"{field}:Q"],
        )
        .properties(width="container", height=220)
    )
    return chart


def _use(preset: Preset) -> None:
    for name, value in preset.config:
        if name in st.session_state and name not in ("data", "row", "seed"):
            st.session_state[name] = value


def _show(run_id: str) -> None:
    st.session_state[keys.RUN] = run_id


def _delete(run_id: str) -> None:
    try:
        services.runs().delete(run_id, learner.owner())
    except (NotYours, UnknownRun) as error:
        notices.tell(str(error))
    if st.session_state.get(keys.RUN) == run_id:
        st.session_state[keys.RUN] = ""
