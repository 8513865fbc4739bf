"""The step inspector on the page: one kept step as panels and as numbers, and how to choose it.

All that changes with the step is one fragment, so that choosing another sends that step and
nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pipeline import inspect_step, step_records, wrong_ways
from pipeline.inspect_step import Inspected
from pipeline.run_view import RunView
from ui import (
    charts,
    frame,
    inspector_checks,
    inspector_rows,
    keys,
    lesson,
    pictures_inspector,
    player,
)
from ui.inspector import MANY, Shown, largest, value_of
from ui.pictures_inspector import Panel, Scale
from ui.words import Words


@st.fragment
def section(page: lesson.Page, shown: Shown) -> None:
    """Everything about one step: choose it, see it, whose rows made it, and the checks."""
    words, run = page.words, shown.run
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        number = _choose_step(words, shown)
    try:
        step = inspect_step.open_step(run, number)
    except (OSError, ValueError):
        st.warning(words.text("gone"), icon=":material/info:")
        return
    with right:
        tensor = _choose_tensor(words, step)
    st.markdown(_where(words, shown, step))
    told = _result(words, step, tensor)
    gradients, weights = panels(words, step, tensor)
    like = gradients[-1].values
    scales = _scales(words, [*gradients, *weights], like)
    player.still(
        [
            player.Chart(
                charts.kept(pictures_inspector.panels, some, like, scales), words.text(title), told
            )
            for title, some in (("gradients", _filled(gradients)), ("weights", weights))
        ],
        words.text("picture"),
        keys.INSPECTED,
    )
    st.toggle(words.text("one_scale"), key=keys.ONE_SCALE, persist_state="session")
    st.markdown(f"{told} {_drawn(words, like)}")
    inspector_rows.section(page, shown, step, tensor)
    st.header(words.text("checks"), anchor=False)
    if step.combined:
        ways = {way.name: way for way in wrong_ways.ways(step)}
        if step.replicas > 1:
            page.predict(inspector_checks.values(ways))
        inspector_checks.section(words, run, step, ways)
    else:
        st.markdown(inspector_checks.apart(words, step))
    with st.expander(words.text("numbers")):
        _numbers(words, step, tensor, gradients + weights)
    _kept(words, run, step)


def panels(words: Words, step: Inspected, tensor: int) -> tuple[list[Panel], list[Panel]]:
    """The panels of one weight tensor: the gradients (their sum last), and the weights."""
    gradients = [
        Panel(
            words.text("own" if size else "own_empty", {"replica": replica}),
            f"R{replica}",
            step.own[replica][tensor],
            "gradients",
        )
        for replica, size in enumerate(step.sizes)
    ]
    if step.combined:
        combined = step.record.all_reduced[tensor]
        gradients.append(Panel(words.text("sum"), "ink", combined, "gradients"))
    weights = [
        Panel(words.text("before"), "ink", step.record.before[tensor], "weights"),
        Panel(words.text("update"), "ink", step.update(0)[tensor], "update"),
        Panel(words.text("after"), "ink", step.record.after[0][tensor], "weights"),
    ]
    return gradients, weights


def _filled(gradients: Sequence[Panel]) -> list[Panel | None]:
    """Gaps before the last panel, the sum, so that it always stands at the end of a column."""
    gap = -len(gradients) % pictures_inspector.LINES
    return [*gradients[:-1], *[None] * gap, gradients[-1]]


def shape_of(values: NDArray[np.floating]) -> str:
    """`20 × 64`."""
    return " × ".join(f"{size:,}" for size in values.shape)


def _choose_step(words: Words, shown: Shown) -> int:
    key = keys.inspected_step(shown.run.run_id)
    if st.session_state.get(key) not in shown.run.kept:
        st.session_state[key] = shown.first
    number = st.select_slider(
        words.text("step"),
        shown.run.kept,
        format_func=lambda step: f"{step:,}",
        key=key,
        persist_state="session",
    )
    return int(number)


def _choose_tensor(words: Words, step: Inspected) -> int:
    """The place of the chosen tensor."""
    options = [
        words.text("tensor_option", {"name": name, "shape": shape_of(tensor)})
        for name, tensor in zip(step.names, step.record.before, strict=True)
    ]
    tensor = st.selectbox(
        words.text("tensor"),
        range(len(options)),
        format_func=lambda place: options[place],
        key=keys.INSPECTED_TENSOR,
        persist_state="session",
    )
    return int(tensor)


def _where(words: Words, shown: Shown, step: Inspected) -> str:
    run, sizes = shown.run, step.sizes
    if len(sizes) == 1:
        cut = words.text("only", {"rows": f"{sizes[0]:,}"})
    elif len(set(sizes)) == 1:
        cut = words.text("even", {"rows": f"{sizes[0]:,}"})
    else:
        *some, last = (f"{size:,}" for size in sizes)
        told = {"some": ", ".join(some), "last": last, "replica": len(sizes) - 1}
        cut = words.text("uneven", told)
    values = {
        "step": f"{step.record.step:,}",
        "steps": f"{run.shapes.steps:,}",
        "epoch": f"{1 + (step.record.step - 1) // run.shapes.steps_per_epoch:,}",
        "cut": cut,
        "whose": words.text("recorded", {"day": run.day}) if run.recorded else "",
    }
    return words.text("where", values)


def _result(words: Words, step: Inspected, tensor: int) -> str:
    """What the panels show, as a sentence."""
    own = [largest(one[tensor]) for one in step.own]
    parts = [
        words.text("result_part", {"replica": replica, "value": value_of(size)})
        for replica, size in enumerate(own)
    ]
    if step.replicas > MANY:
        ends = {"least": value_of(min(own)), "most": value_of(max(own))}
        parts = [words.text("result_parts", ends)]
    combined = words.text("result_no_sum")
    if step.combined:
        combined = words.text(
            "result_sum", {"value": value_of(largest(step.record.all_reduced[tensor]))}
        )
    values = {
        "parts": ", ".join(parts),
        "sum": combined,
        "update": value_of(largest(step.update(0)[tensor])),
        "weight": value_of(largest(step.record.before[tensor])),
    }
    return words.text("result", values)


def _drawn(words: Words, like: NDArray[np.floating]) -> str:
    """Which part of the tensor is drawn."""
    cut = pictures_inspector.cut_of(like)
    if cut is None:
        return words.text("whole", {"count": f"{like.size:,}"})
    values = {
        "rows": len(cut.rows),
        "all_rows": f"{cut.shape[0]:,}",
        "columns": len(cut.columns),
        "all_columns": f"{cut.shape[1]:,}",
    }
    return words.text("cut", values)


def _numbers(words: Words, step: Inspected, tensor: int, shown: list[Panel]) -> None:
    """The panels as a table, lengths over all weights included."""
    record = step.record
    whole: list[Sequence[NDArray[np.floating]]] = [*step.own]
    whole += [record.all_reduced] * step.combined
    whole += [record.before, step.update(0), record.after[0]]
    rows = [f"{size:,}" for size in step.sizes]
    rows += [f"{sum(step.sizes):,}"] * step.combined + [""] * 3
    table = [
        (
            panel.name,
            had,
            value_of(largest(panel.values)),
            value_of(_length([panel.values])),
            value_of(_length(tensors), 6),
        )
        for panel, had, tensors in zip(shown, rows, whole, strict=True)
    ]
    heads = ("panel", "rows", "largest", "length", "all")
    frame.table([words.text(f"heads_{name}") for name in heads], table, "inspected")
    parameters = sum(part.size for part in record.before)
    st.markdown(words.text("numbers_help", {"parameters": f"{parameters:,}"}))


def _length(tensors: Sequence[NDArray[np.floating]]) -> float:
    with np.errstate(all="ignore"):
        return math.sqrt(sum(float(np.sum(np.square(part, dtype=np.float64))) for part in tensors))


def _kept(words: Words, run: RunView, step: Inspected) -> None:
    """Which steps are exact and why only those, and the step as a file."""
    size = step_records.record_path(run.folder, step.record.step).stat().st_size
    values = {
        "kept": f"{len(run.kept):,}",
        "steps": f"{run.shapes.steps:,}",
        "kilobytes": f"{size / 1e3:,.0f}",
        "megabytes": f"{size * run.shapes.steps / 1e6:,.1f}",
    }
    st.markdown(words.text("kept", values))
    st.download_button(
        words.text("download", {"step": f"{step.record.step:,}"}),
        lambda: inspect_step.as_file(step),
        f"lockstep-{run.run_id}-step-{step.record.step}.npz",
        on_click="ignore",
        key=keys.STEP_FILE,
    )


def _scales(
    words: Words, shown: Sequence[Panel], like: NDArray[np.floating]
) -> Mapping[str, Scale]:
    """The scale of each panel, by its name; when the learner says so, one for all of them."""
    if st.session_state.get(keys.ONE_SCALE):
        one = pictures_inspector.scale(words.text("scale_all"), shown, like)
        return {panel.scale: one for panel in shown}
    return {
        name: pictures_inspector.scale(
            words.text(f"scale_{name}"), [panel for panel in shown if panel.scale == name], like
        )
        for name in ("gradients", "weights", "update")
    }
