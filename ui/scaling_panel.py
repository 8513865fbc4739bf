"""Measurements of this machine on a page: made, shown, compared, taken home.

A measurement belongs to the machine, not to a learner: whoever is on this server sees all that
were made on it. Only the session that started one can stop it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pipeline import scaling_plan, scaling_result
from pipeline.answers import Answer
from pipeline.events import RunFailed
from pipeline.limits import LimitError
from pipeline.run_log import PROGRESS_NAME
from pipeline.scaling_plan import SIZES, TASK, Mode
from pipeline.scaling_result import Measurement, Timing
from ui import frame, keys, lesson, pictures_scaling, player, services
from ui.pictures_scaling import milliseconds
from ui.words import Words, counted, plain

RECORDED = ("small", "wide")
"""The models whose recorded measurement the headline shows."""
PREPARING = 10
"""Seconds that tracing every step takes on two quiet cores."""
Found = Mapping[str, Measurement]
"""Measurements by an id: an answer's key, or `recorded-SIZE`."""


@functools.cache
def recorded() -> dict[str, Measurement]:
    """The measurements that ship, by model."""
    answers = services.answers()
    found = {size: scaling_result.recorded(answers, size) for size in RECORDED}
    return {size: one for size, one in found.items() if one is not None}


def headline_values() -> dict[str, object]:
    """What the page's first words say of the recorded measurements."""
    shipped = recorded()
    small, wide = shipped["small"], shipped["wide"]
    two = small.parts(2)
    return {
        "most": small.replicas[-1],
        "small_one": milliseconds(small.step("strong", 1).milliseconds),
        "small_two": milliseconds(two.whole),
        "small_compute_one": milliseconds(small.parts(1).compute),
        "small_compute_two": milliseconds(two.compute),
        "wide_one": milliseconds(wide.step("strong", 1).milliseconds),
        "wide_two": milliseconds(wide.step("strong", 2).milliseconds),
        "day": small.day,
        "cpu": plain(str(small.machine["cpu"])),
        "cores": counted(small.cores, "core"),
        "tensorflow": small.versions["tensorflow"],
    }


def headline(page: lesson.Page, values: Mapping[str, object]) -> None:
    """Both recorded measurements side by side: first only the ideal, then what came out."""
    text = page.words.text
    charts = []
    for size, found in recorded().items():
        of = {"parameters": f"{found.size.parameters:,}", "batch": f"{found.size.batch:,}"}
        charts.append(
            player.Chart(
                _pictures(found)["moving"],
                text(f"{size}_title", of),
                text("parts_alt", {"steps": _steps_told(found)}),
            )
        )
    player.show(
        player.Show(
            source="scaling",
            label=text("headline"),
            charts=charts,
            frames=page.frames(values),
            total=1,
            seconds=2,
        ),
        key=keys.PICTURE,
    )
    page.say("recorded", values)
    loaded = [one.foreign or 0.0 for one in recorded().values() if not one.is_calm]
    if loaded:
        page.say("recorded_loaded", {**values, "foreign": f"{max(loaded):.1f}"})


def section(page: lesson.Page) -> None:
    """Measure, then look at a measurement, beside another if wanted."""
    page.say("measure_help")
    _controls(page.words)
    found = _all()
    if not found:
        return
    shown = _choice(page.words, found)
    _show(page.words, found[shown])
    other = st.session_state.get(keys.SCALING_OTHER)
    if other in found and other != shown:
        _compare(page.words, found, shown, other)


def _controls(page: Words) -> None:
    """What is measured, the button, and how a measurement that is going on stands."""
    names = list(SIZES)
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        size = st.radio(
            page.text("size"),
            names,
            index=0,
            format_func=lambda name: page.text(
                "size_option",
                {
                    "name": name,
                    "parameters": f"{SIZES[name].parameters:,}",
                    "batch": f"{SIZES[name].batch:,}",
                },
            ),
            key=keys.SCALING_SIZE,
            persist_state="session",
        )
    with right:
        one_core = st.toggle(
            page.text("cores"),
            value=True,
            help=page.text("cores_help"),
            key=keys.SCALING_CORES,
            persist_state="session",
        )
    going = next((a for a in services.answers().asked(TASK) if a.state == "asked"), None)
    seconds = round(scaling_plan.SECONDS + PREPARING)
    st.button(
        page.text("button", {"seconds": seconds}),
        on_click=_begin,
        args=(size, one_core),
        disabled=going is not None or not services.can_train(),
        icon=":material/timer:",
        key=keys.SCALING_BUTTON,
    )
    if not services.can_train():
        st.markdown(page.text("no_tensorflow"))
    if going is not None:
        _follow(page, going)
    elif problem := _problem(page):
        st.warning(plain(problem), icon=":material/info:")


def _begin(size: str, one_core: bool) -> None:
    limit = services.runs().limits.replicas
    replicas = tuple(n for n in scaling_plan.REPLICAS if n <= limit)
    asked = scaling_plan.question(size, replicas, one_core=one_core)
    try:
        answer = services.answers().ask(TASK, asked)
    except LimitError as error:
        st.session_state[keys.SCALING] = {"key": "", "problem": str(error), "seen": True}
        return
    st.session_state[keys.SCALING] = {"key": answer.key, "problem": "", "seen": False}


def _problem(page: Words) -> str:
    """Why the measurement of this session has no result, if so."""
    mine = st.session_state.get(keys.SCALING)
    if not mine:
        return ""
    answer = services.answers().get(mine["key"]) if mine["key"] else None
    return mine["problem"] or (answer.error if answer and answer.state == "failed" else "")


@st.fragment(run_every=1.0)
def _follow(page: Words, going: Answer) -> None:
    """How far it is, and the button that stops one's own; then the page is drawn anew."""
    answer = services.answers().get(going.key)
    if answer is None or answer.state != "asked":
        st.rerun()
    share, told = _progress(page, going)
    with st.container(key=keys.waiting()):
        st.progress(share, text=told)
    mine = st.session_state.get(keys.SCALING, {}).get("key") == going.key
    if mine:
        st.button(page.text("stop"), on_click=_stop, args=(page, going), key=keys.SCALING_STOP)
    else:
        st.markdown(page.text("others"))


def _progress(page: Words, going: Answer) -> tuple[float, str]:
    place = services.runs().workers.place(going.folder)
    if place is not None:
        return 0.0, page.text("queued", {"place": place})
    try:
        lines = (going.folder / PROGRESS_NAME).read_text(encoding="utf-8").splitlines()
        last = json.loads(lines[-1])
    except (OSError, ValueError, IndexError):  # not begun, or a line half written
        return 0.0, page.text("starting")
    replicas = counted(last["replicas"], "replica")
    return last["share"], page.text(last["what"], {"replicas": replicas})


def _stop(page: Words, going: Answer) -> None:
    services.runs().workers.cancel(going.folder, RunFailed(error=page.text("stopped")))


def _all() -> dict[str, Measurement]:
    """Every measurement there is, the newest first, then the recorded ones."""
    mine = [a for a in services.answers().asked(TASK) if a.state == "done"]
    found = {answer.key: _read(answer.key) for answer in reversed(mine)}
    return found | {f"recorded-{size}": one for size, one in recorded().items()}


@functools.lru_cache(maxsize=64)
def _read(key: str) -> Measurement:
    answer = services.answers().get(key)
    assert answer is not None
    return Measurement.read(answer.result, key)


def _choice(page: Words, found: Found) -> str:
    """Which measurement is shown, and which one stands beside it."""
    options = list(found)

    def label(key: str) -> str:
        if not key:
            return page.text("nothing")
        one = found[key]
        given = {
            "size": one.size_name,
            "day": one.day,
            "clock": one.clock,
            "cores": page.text("one_core" if one.one_core else "all_cores"),
        }
        return page.text("label" if one.key else "label_recorded", given)

    mine = st.session_state.get(keys.SCALING, {})
    if mine.get("key") in found and not mine["seen"]:  # just made: the one to look at
        st.session_state[keys.SCALING_SHOWN] = mine["key"]
        mine["seen"] = True
    left, right = st.columns(2, gap="medium")
    with left:
        shown = st.selectbox(page.text("shown"), options, format_func=label, key=keys.SCALING_SHOWN)
    with right:
        others = ["", *(key for key in options if key != shown)]
        st.selectbox(page.text("beside"), others, format_func=label, key=keys.SCALING_OTHER)
    return str(shown)


def _show(page: Words, found: Measurement) -> None:
    """One measurement: verdict, pictures, tables, machine, files."""
    st.markdown(_verdict(page, found))
    drawn = _pictures(found)
    told = _lines_told(found)
    player.still(
        [
            player.Chart(
                drawn["parts"],
                page.text("parts_title"),
                page.text("parts_alt", {"steps": _steps_told(found)}),
            ),
            player.Chart(drawn["speed"], page.text("speed_title"), page.text("speed_alt", told)),
        ],
        page.text("chart"),
        keys.SCALING_CHARTS,
    )
    _parts_table(page, found)
    st.markdown(page.text("table_help"))
    with st.expander(page.text("more")):
        for mode in pictures_scaling.DASHES:
            st.markdown(page.text(f"{mode}_help"))
            _speed_table(page, found, mode)
        first = ", ".join(
            f"{found.step('strong', n).tracing_seconds:.2f} s on {n}" for n in found.replicas
        )
        player.still(
            [
                player.Chart(
                    drawn["efficiency"], page.text("efficiency_title"), page.text("speed_alt", told)
                ),
                player.Chart(
                    drawn["first"],
                    page.text("first_title"),
                    page.text("first_alt", {"first": first}),
                ),
            ],
            page.text("chart"),
            keys.SCALING_MORE,
        )
        st.markdown(page.text("first_alt", {"first": first}))
    st.markdown(_about(page, found))
    _files(page, found)


def _verdict(page: Words, found: Measurement) -> str:
    if len(found.replicas) < 2:
        return page.text("verdict_single")
    split = found.parts(2)
    largest = max(("compute", "all_reduce", "input", "rest"), key=split.share)
    return page.text(
        f"verdict_{found.verdict}",
        {
            "one": milliseconds(found.step("strong", 1).milliseconds),
            "two": milliseconds(split.whole),
            "speed_up": f"{found.speed_up('strong', 2):.2f}",
            "largest": page.text("heads_reduce" if largest == "all_reduce" else f"heads_{largest}"),
            "largest_share": f"{split.share(largest):.0%}",
            "foreign": f"{found.foreign or 0:.1f}",
            "count": counted(found.cores, "core"),
        },
    )


def _about(page: Words, found: Measurement) -> str:
    names = found.machine["devices"]
    given = {
        "cpu": plain(str(found.machine["cpu"])),
        "count": counted(found.cores, "core"),
        **found.versions,
        "devices": f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0],
        "size_name": found.size_name.capitalize(),
        "parameters": f"{found.size.parameters:,}",
        "kilobytes": f"{found.size.gradient_bytes / 1000:,.0f}",
    }
    load = {
        "own_one": f"{found.step('strong', 1).own:.1f}",
        "own_two": f"{found.step('strong', 2).own:.1f}" if len(found.replicas) > 1 else "–",
        "foreign": f"{found.foreign or 0:.1f}",
    }
    how = "load_unknown" if found.foreign is None else "load"
    return f"{page.text(how, load)} {page.text('made_on', given)}"


def _parts_table(page: Words, found: Measurement) -> None:
    """What a step of the same global batch is made of, with shares of the whole."""
    names = {"compute": "compute", "all_reduce": "reduce", "input": "input", "rest": "rest"}
    rows = []
    for n in found.replicas:
        split = found.parts(n)
        cells = [
            f"{_signed(getattr(split, part))} · {split.share(part):z.0%}".replace("-", "−")
            for part in names
        ]
        rows.append([str(n), _spread(found.step("strong", n)), *cells])
    heads = [page.text(f"heads_{head}") for head in ("replicas", "whole", *names.values())]
    frame.table(heads, rows, "scaling parts")


def _speed_table(page: Words, found: Measurement, mode: Mode) -> None:
    """Speed-up and efficiency of whole steps, and the first step beside them."""
    rows = []
    for n in found.replicas:
        timing = found.step(mode, n)
        rows.append(
            [
                str(n),
                f"{timing.batch:,}",
                _spread(timing),
                f"{found.speed_up(mode, n):.2f}",
                f"{found.efficiency(mode, n):.0%}",
                f"{timing.tracing_seconds:.2f} s",
            ]
        )
    heads = ("replicas", "batch", "whole", "speed", "efficiency", "first")
    frame.table([page.text(f"heads_{head}") for head in heads], rows, f"scaling {mode}")


def _compare(page: Words, found: Found, shown: str, other: str) -> None:
    """Whole steps of two measurements side by side."""
    one, two = found[shown], found[other]
    st.markdown(f"**{page.text('compare')}**")
    rows = []
    for n in one.replicas:
        if n not in two.replicas:
            continue
        mine, theirs = one.step("strong", n), two.step("strong", n)
        ratio = mine.milliseconds / theirs.milliseconds
        rows.append([str(n), _spread(mine), _spread(theirs), f"{ratio:.2f}"])
    heads = ("heads_replicas", "shown", "compare_other", "compare_ratio")
    frame.table([page.text(head) for head in heads], rows, "scaling compared")
    st.markdown(page.text("compare_help"))


def _files(page: Words, found: Measurement) -> None:
    name = f"scaling-{found.size_name}-{found.made[:16].replace(':', '')}"
    with st.container(horizontal=True):
        st.download_button(
            page.text("csv"), found.as_csv, f"{name}.csv", "text/csv", key=keys.SCALING_CSV
        )
        st.download_button(
            page.text("json"),
            lambda: json.dumps(found.result, indent=1),
            f"{name}.json",
            "application/json",
            key=keys.SCALING_JSON,
        )


@functools.lru_cache(maxsize=32)
def _pictures(found: Measurement) -> dict[str, dict[str, Any]]:
    """The pictures of a measurement, which never changes."""
    return {
        "moving": pictures_scaling.parts(found, moving=True).to_dict(),
        "parts": pictures_scaling.parts(found).to_dict(),
        "speed": pictures_scaling.speed_up(found).to_dict(),
        "efficiency": pictures_scaling.efficiency(found).to_dict(),
        "first": pictures_scaling.first_steps(found).to_dict(),
    }


def _steps_told(found: Measurement) -> str:
    steps = [(n, found.step("strong", n).milliseconds) for n in found.replicas]
    return ", ".join(f"{milliseconds(ms)} on {counted(n, 'replica')}" for n, ms in steps)


def _lines_told(found: Measurement) -> dict[str, object]:
    def line(mode: Mode) -> str:
        told: Sequence[str] = [f"{found.speed_up(mode, n):.2f} on {n}" for n in found.replicas]
        return ", ".join(told)

    return {"strong": line("strong"), "weak": line("weak")}


def _spread(timing: Timing) -> str:
    return f"{_signed(timing.milliseconds)} ({_signed(timing.low)}–{_signed(timing.high)})"


def _signed(value: float) -> str:
    """Milliseconds in a table: two decimals, one from 10 on, a real minus sign."""
    return f"{value:z.{2 if abs(value) < 10 else 1}f}".replace("-", "−")
