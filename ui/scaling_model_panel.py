"""What to expect on more devices: the model with its sliders, and how right it is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pipeline import published, scaling_presets
from pipeline.published import OFF, Row
from pipeline.scaling_model import AGAIN, COUNTS, HIDDEN, REACHED, Setup
from pipeline.scaling_plan import Mode
from pipeline.scaling_presets import LinkPreset, ModelPreset
from ui import frame, keys, lesson, pictures_scaling_model, player, scaling_panel
from ui.pictures_scaling_model import signed
from ui.words import Words, number, words

MODES: tuple[Mode, ...] = ("strong", "weak")
CLOSE = 0.10
"""A prediction this close is counted as good."""


def section(page: lesson.Page) -> None:
    """The whole section: sliders, the same as a table, published results, sources."""
    said = words("faster-model")
    st.header(said.title, anchor=False)
    st.markdown(said.lede)
    model, link = _chosen(said)
    setup = model.setup(link)
    st.markdown(_start(said, model))
    counted = ", ".join(map(str, COUNTS))
    player.still(
        [
            player.Chart(
                pictures_scaling_model.step_time(setup, said),
                "",
                said.text("alt", {"counts": counted}),
            )
        ],
        said.text("picture"),
        keys.SCALING_FORETOLD,
    )
    st.markdown(f"{said.text('ideal')} {_needed(said, setup)}")
    with st.expander(said.text("table")):
        for weak, head in ((False, "strong_head"), (True, "weak_head")):
            st.markdown(f"**{said.text(head)}.** {_turn(said, setup, weak)}")
            _steps(said, setup, weak)
        assumed = {"reached": REACHED, "hidden": HIDDEN, "again": AGAIN}
        st.markdown(said.text("assumed", {name: f"{share:.0%}" for name, share in assumed.items()}))
    st.markdown(f"`{said.text('formula')}`")
    st.markdown(said.text("formula_parts"))
    _published(said)
    _sources(said)
    st.markdown(f"**{said.takeaway}**")


def _chosen(said: Words) -> tuple[ModelPreset, LinkPreset]:
    """The step on one device, and the link: its own until another is chosen."""
    models, links = scaling_presets.models(), scaling_presets.links()
    left, right = st.columns(2)
    with left:
        name = st.selectbox(
            said.text("start"),
            list(models),
            format_func=lambda name: models[name].title,
            key=keys.SCALING_START,
            on_change=_own_link,
            persist_state="session",
        )
    st.session_state.setdefault(keys.SCALING_LINK, models[name].link)
    with right:
        link = st.selectbox(
            said.text("link"),
            list(links),
            format_func=lambda name: links[name].title,
            key=keys.SCALING_LINK,
            persist_state="session",
        )
    return models[name], links[link]


def _own_link() -> None:
    """Another step is chosen: start from its own link again."""
    chosen = scaling_presets.models()[st.session_state[keys.SCALING_START]]
    st.session_state[keys.SCALING_LINK] = chosen.link


def _needed(said: Words, setup: Setup) -> str:
    """From which global batch on the second and the fourth device pay."""
    told = []
    for few, many in ((1, 2), (2, 4)):
        batch = setup.batch_needed(few, many)
        name = "not_needed" if batch is None else "needed"
        told.append(said.text(name, {"few": few, "many": many, "batch": f"{batch or 0:,}"}))
    return " ".join(told)


def _turn(said: Words, setup: Setup, weak: bool) -> str:
    """Where more devices handle fewer rows a second, if anywhere."""
    turn = setup.crossover(weak=weak)
    return (
        said.text("no_turn")
        if turn is None
        else said.text("turn", dict(zip(("few", "many"), turn, strict=True)))
    )


def _steps(said: Words, setup: Setup, weak: bool) -> None:
    heads = ("devices", "compute", "waiting", "overhead", "step", "speed")
    rows = []
    for count in COUNTS:
        step = setup.scaled(count, weak=weak)
        parts = (step.compute, step.waiting, step.overhead, step.seconds)
        rows.append(
            [
                str(count),
                *(said.text("milliseconds", {"value": number(1000 * part, 3)}) for part in parts),
                f"{setup.speed_up(count, weak=weak):.2f}×",
            ]
        )
    frame.table([said.text(f"heads_{name}") for name in heads], rows, "bytes")


def _start(said: Words, model: ModelPreset) -> str:
    """The one time that goes in, and where it comes from."""
    source = said.text(
        "start_link" if model.url else "start_here", {"title": model.source, "url": model.url}
    )
    return said.text(
        "start_source",
        {
            "batch": f"{model.batch:,}",
            "rows": model.rows,
            "step": number(1000 * model.batch / model.rows_per_second, 3),
            "device": model.device,
            "parameters": f"{model.parameters:,}",
            "source": source,
        },
    )


def _published(said: Words) -> None:
    """Published, foretold, error: the most devices of each result, then all, then the reasons."""
    rows = published.table()
    st.header(said.text("published"), anchor=False)
    st.markdown(said.text("published_help"))
    st.markdown(
        said.text(
            "verdict",
            {
                "points": len(rows),
                "ten": f"{CLOSE:.0%}",
                "close": sum(abs(row.error) <= CLOSE for row in rows),
                "off": f"{OFF:.0%}",
                "far": sum(row.is_off for row in rows),
            },
        )
    )
    shown = [row for row in rows if row.devices == max(row.result.speed_ups())]
    player.still(
        [
            player.Chart(
                pictures_scaling_model.efficiencies(shown, said), "", said.text("efficiency_alt")
            )
        ],
        said.text("efficiency"),
        keys.SCALING_PUBLISHED,
    )
    st.markdown(f"{said.text('efficiency_help')} {said.text('upper')}")
    _measured_here(said)
    with st.expander(said.text("why", {"off": f"{OFF:.0%}"})):
        for row in rows:
            if row.is_off:
                st.markdown(said.text("why_line", _named(row)))
    with st.expander(said.text("all")):
        _compared(said, rows)


def _measured_here(said: Words) -> None:
    """The recorded measurements beside the model, for as many replicas as there are cores."""
    heads = ("model", "kept", "devices", "measured", "predicted", "error")
    rows, calm = [], True
    for name, found in scaling_panel.recorded().items():
        setup, calm = scaling_presets.calibrated(found), calm and found.is_calm
        for mode in MODES:
            for count in found.replicas:
                if 1 < count <= found.cores:
                    got = found.speed_up(mode, count)
                    told = setup.speed_up(count, weak=mode == "weak")
                    rows.append(
                        [
                            said.text("own_model", {"name": name, "batch": f"{setup.batch:,}"}),
                            said.text(f"own_{mode}"),
                            str(count),
                            _times(got),
                            _times(told),
                            signed(told / got - 1),
                        ]
                    )
    if rows:
        st.markdown(said.text("own"))
        frame.table([said.text(f"head_{head}") for head in heads], rows, "bytes own")
        if not calm:
            st.markdown(said.text("own_not_calm"))


def _named(row: Row) -> dict[str, object]:
    """What a sentence about one published point names."""
    return {
        "model": row.result.model,
        "machine": row.result.machine,
        "batch": row.result.batch,
        "devices": row.devices,
        "error": signed(row.error),
        "why": row.result.why,
    }


def _compared(said: Words, rows: Sequence[Row]) -> None:
    """Published, foretold, error, and the number of the source in the list of sources."""
    heads = ("model", "machine", "devices", "published", "predicted", "error", "source")
    places = {url: place for place, url in enumerate(_titles(rows), 1)}
    frame.table(
        [said.text(f"head_{name}") for name in heads],
        [
            [
                f"{row.result.model}, {row.result.batch}",
                row.result.machine,
                str(row.devices),
                _times(row.published),
                _times(row.predicted),
                signed(row.error),
                f"[{places[row.source.url]}]",
            ]
            for row in rows
        ],
        "bytes published",
    )


def _titles(rows: Sequence[Row]) -> dict[str, str]:
    """The sources of published results in order of appearance: address to title."""
    return {row.source.url: row.source.title for row in rows}


def _times(factor: float) -> str:
    return f"{factor:.2f}×" if factor < 100 else f"{factor:.0f}×"


def _sources(said: Words) -> None:
    """Where every number of the model's presets and of the table comes from."""
    with st.expander(said.text("sources")):
        published_in = _titles(published.table())
        models = {one.url: one.source for one in scaling_presets.models().values() if one.url}
        latency = scaling_presets.latency_source()
        lines = [
            *(
                said.text("source_line", {"place": place, "title": title, "url": url})
                for place, (url, title) in enumerate(published_in.items(), 1)
            ),
            "",
            *(
                said.text("model_line", {"title": title, "url": url})
                for url, title in models.items()
                if url not in published_in
            ),
            *(_link_line(said, one) for one in scaling_presets.links().values()),
            said.text("model_line", {"title": latency[0], "url": latency[1]}),
        ]
        st.markdown("\n".join(lines))


def _link_line(said: Words, link: LinkPreset) -> str:
    title = f"[{link.title}]({link.url})" if link.url else link.title
    return said.text(
        "link_line",
        {"title": title, "gigabytes": f"{link.gigabytes:g}", "source": link.source},
    )
