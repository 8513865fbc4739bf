"""The rows behind a step: one dot each, your row ringed, and its own part of the gradient."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pipeline import inspect_step
from pipeline.backward import Wide
from pipeline.inspect_step import Inspected
from ui import charts, keys, lesson, pictures_inspector, player
from ui.inspector import Shown, go_to, largest, value_of
from ui.pictures_inspector import Panel
from ui.words import Words


def section(page: lesson.Page, shown: Shown, step: Inspected, tensor: int) -> None:
    """Dots on the left, the row's own part under them, what is known of the row on the right."""
    words = page.words
    st.header(words.text("rows"), anchor=False)
    known = range(step.replicas if step.combined else 1)
    traced = [step.traced(replica) for replica in known]
    sizes = [one.sizes(step.divisor(replica)) for replica, one in enumerate(traced)]
    divisor = {"divisor": f"{step.divisor(0):,}"}
    st.markdown(words.text("rows_help" if step.combined else "rows_help_apart", divisor))
    owner = step.owner(shown.row)
    whose = words.text("mine") if shown.mine else words.text("row_named", {"row": f"{shown.row:,}"})
    pictures = [_dots(words, shown, step, sizes)]
    place = None
    if owner is not None and owner in known:
        place = int(np.flatnonzero(step.record.rows[owner] == shown.row)[0])
        pictures.append(_part(words, step, tensor, owner, place, whose))
    left, right = st.columns([5, 2], gap="medium")
    with left:
        player.still(pictures, words.text("rows"), keys.INSPECTED_ROWS)
        st.markdown(_adds_up(words, step, len(traced)))
    with right:
        _panel(page, shown, step, sizes, place, whose)


def _dots(words: Words, shown: Shown, step: Inspected, sizes: list[Wide]) -> player.Chart:
    rows = step.record.rows[: len(sizes)]
    drawn = charts.kept(pictures_inspector.rows_of_step, sizes, rows, shown.row)
    stride = pictures_inspector.stride_of(rows)
    title = words.text("dots_title")
    if stride > 1:
        title += f" · {words.text('dots_some', {'stride': stride})}"
    return player.Chart(drawn, title, _adds_up(words, step, len(sizes)))


def _part(
    words: Words, step: Inspected, tensor: int, owner: int, place: int, whose: str
) -> player.Chart:
    """The part of the chosen tensor's gradient that is this row's own, cut like the panels."""
    combined = step.record.all_reduced or step.own[owner]
    part = step.traced(owner).of([place]).gradient(step.divisor(owner))[tensor]
    panel = Panel(f"R{owner}", f"R{owner}", part, "gradients")
    scale = pictures_inspector.scale(words.text("scale_gradients"), [panel], combined[tensor])
    drawn = charts.kept(pictures_inspector.panels, [panel], combined[tensor], {"gradients": scale})
    title = words.text("part_title", {"whose": whose, "owner": f"R{owner}"})
    return player.Chart(drawn, title, f"{title}: {value_of(largest(part))}")


def _adds_up(words: Words, step: Inspected, known: int) -> str:
    """How well the rows' parts add up to what TensorFlow had."""
    apart = max(
        largest(mine - theirs)
        for replica in range(known)
        for mine, theirs in zip(
            step.traced(replica).gradient(step.divisor(replica)), step.own[replica], strict=True
        )
    )
    told = {"apart": value_of(apart, 2)}
    return words.text("rows_add_up" if step.combined else "rows_add_up_apart", told)


def _panel(
    page: lesson.Page,
    shown: Shown,
    step: Inspected,
    sizes: list[Wide],
    place: int | None,
    whose: str,
) -> None:
    """What this step did with the row, or which kept steps used it."""
    words, owner = page.words, step.owner(shown.row)
    used = inspect_step.steps_with(shown.run, shown.row)
    lines = []
    if owner is None:
        lines.append((words.text("row_on"), words.text("row_not_here")))
    elif place is None:
        lines.append((words.text("row_on"), words.text("row_unknown", {"owner": f"R{owner}"})))
    else:
        size, everyone = float(sizes[owner][place]), np.concatenate(sizes)
        less = {
            "less": f"{np.count_nonzero(everyone < size):,}",
            "others": f"{len(everyone) - 1:,}",
        }
        lines += [
            (words.text("row_on"), words.text("row_with", {"owner": f"R{owner}"})),
            (
                words.text("row_harder"),
                words.text("row_others" if step.combined else "row_others_apart", less),
            ),
            (words.text("row_size"), value_of(size)),
        ]
    told = ", ".join(f"{one:,}" for one in used) or words.text("row_none")
    lines.append((words.text("row_steps"), told))
    if shown.mine:
        page.your_row(lines)
    else:
        with st.container(border=True, key=keys.INSTEAD):
            st.markdown(f"**{words.text('row_instead', {'whose': whose})}**")
            for name, value in lines:
                st.markdown(f"{name} **{value}**")
            st.markdown(words.text("other_data"))
    others = [one for one in used if one != step.record.step]
    if others:
        later = next((one for one in others if one > step.record.step), others[0])
        st.button(
            words.text("to_my_row", {"step": f"{later:,}"}),
            on_click=go_to,
            args=(shown.run.run_id, later),
            key=keys.TO_MY_ROW,
        )
