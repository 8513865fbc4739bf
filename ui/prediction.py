"""The prediction trace: which rows of which run are shown, and what is said of them.

`resolve` asks TensorFlow about the run that is shown; until it has answered, and where it cannot,
the recorded answer stands there with the reason.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from pipeline import distribute, recordings
from pipeline.answers import RECORDED, Answer
from pipeline.limits import LimitError
from pipeline.prediction import BATCH_SIZES, SIZES, TASK, Prediction, Row, most_wrong, question
from pipeline.run_view import RunView
from pipeline.runs import UnknownRun
from ui import frame, keys, lesson, pictures_prediction, services
from ui.context import Context
from ui.leave_out import SAME_TABLE
from ui.pictures_prediction import COLUMNS, calls
from ui.words import Values, counted, number, plain, small


@dataclass(frozen=True)
class Asked:
    """A batch of one run with one row of it followed. `why`: the reason it is not yours."""

    run: RunView
    row: int
    size: int
    batch_size: int
    answer: Answer
    why: str = ""
    """The name of a text of the page; "" when the row is yours."""
    problem: str = ""
    waiting: Answer | None = None
    """The question about your row, while TensorFlow works on it."""

    @property
    def found(self) -> Prediction:
        """What TensorFlow did."""
        return _load(self.answer.folder, self.answer.key)

    @property
    def place(self) -> int:
        """The place of the row in the batch, counted from 0."""
        return self.row - self.found.first

    @property
    def whose(self) -> str:
        """The row in a sentence: yours, or the one that stands for it."""
        return f"row {self.row:,}" if self.why else "your row"

    @property
    def here(self) -> bool:
        """Whether this machine's TensorFlow gave the answer, not the one that ships."""
        return self.answer.folder.parent != RECORDED

    @property
    def picture(self) -> dict[str, Any]:
        """The batch on its way through the layers."""
        return _picture(self.answer.folder, self.answer.key, self.place, self.whose)

    @property
    def numpy_apart(self) -> float:
        """The largest difference of any activation to plain NumPy with the run's weights."""
        return self.found.numpy_apart(self.run.record(self.run.kept[-1]).after[0])

    @property
    def read(self) -> list[Row]:
        """Every row of the batch with its truth and its prediction."""
        return self.found.read(self.run.data)


def choices(page: lesson.Page) -> tuple[int, int]:
    """How many rows, and the batch size that `predict` is called with, as the learner chose."""
    names = {size: page.words.text("alone") if size == 1 else str(size) for size in SIZES}
    batch = {size: str(size) for size in BATCH_SIZES}
    batch[BATCH_SIZES[0]] += f" ({page.words.text('default')})"
    with st.container(horizontal=True, gap="medium", key=keys.PREDICTED):
        size = _one_of(page.words.text("rows"), names, keys.PREDICTED_ROWS)
        batch_size = _one_of("`batch_size`", batch, keys.PREDICTED_BATCH)
    return size, batch_size


def resolve(here: Context, size: int, batch_size: int) -> Asked:
    """What the page can show now. Asks TensorFlow if need be; returns at once."""
    why = _why_not(here)
    if why:
        return _recorded(size, batch_size, why)
    answer = _answer(here, size, batch_size)
    if answer is None:
        return _recorded(size, batch_size, "no_tensorflow")
    if answer.state == "asked":
        return _recorded(size, batch_size, "waiting", waiting=answer)
    if answer.state == "failed":
        return _recorded(size, batch_size, "failed", problem=answer.error)
    return Asked(here.run, here.row, size, batch_size, answer)


def ask_again(here: Context, size: int, batch_size: int) -> None:
    """Ask anew after a failure."""
    _ask(here, size, batch_size)


@st.fragment(run_every=1)
def until_it_ends(run: RunView) -> None:
    """Draws the page anew once the run has ended; the trainer's limits see to it that it does."""
    try:
        ended = services.runs().get(run.run_id).ended
    except UnknownRun:  # deleted meanwhile
        ended = True
    if ended:
        st.rerun()


def values(page: lesson.Page, asked: Asked) -> dict[str, object]:
    """What the page's words need."""
    found, rows = asked.found, asked.read
    units = found.predicted.shape[1]
    counts = [found.counts(replica) for replica in range(found.replicas)]
    wrong = sum(not row.right for row in rows)
    most, default = SIZES[0], BATCH_SIZES[0]
    return {
        "rows": counted(found.rows, "row"),
        "batch_size": asked.batch_size,
        "default": default,
        "calls": counted(len(found.shapes), "call"),
        "shares": ". ".join(f"{who}: {calls(had)}" for who, had in _alike(counts)) + ".",
        "replicas": counted(found.replicas, "replica"),
        "hidden": found.layers[1].shape[1],
        "outputs": counted(units, "number"),
        "classes": len(asked.run.data.classes),
        "shape": f"({found.rows}, {units})",
        "positive": plain(asked.run.data.classes[-1]),
        "whose": asked.whose,
        "weights_of": page.words.text("recorded_run" if asked.run.recorded else "run_shown"),
        "row": f"{asked.row:,}",
        "wrong": f"{wrong:,}",
        "right": f"{found.rows - wrong:,}",
        "problem": plain(asked.problem),
        "asked": most,
        "half": distribute.shares(most, found.replicas)[0],
        "first": distribute.shares(default, found.replicas)[0],
        "times": "twice" if most == 2 * default else f"{most / default:g} times",
        "tensorflow": found.versions["tensorflow"],
        "keras": found.versions["keras"],
    }


def row_panel(page: lesson.Page, asked: Asked, given: Values) -> None:
    """Where the row was and what was predicted; or the row that is shown while yours cannot be."""
    found, row = asked.found, asked.read[asked.place]
    piece, classes = found.piece_of(row.place), asked.run.data.classes
    logits = found.predicted[row.place]
    lines = [
        (
            page.words.text("row_at"),
            f"R{piece.replica}, call {piece.call + 1}, row {row.place - piece.start + 1} "
            f"of {piece.rows}",
        ),
        (
            page.words.text("row_output" if len(logits) == 1 else "row_outputs", given),
            number(float(logits.max())),
        ),
        (page.words.text("row_guess"), plain(classes[row.guess])),
        (page.words.text("row_chance"), f"{row.probability:.1%}"),
    ]
    if not asked.why:
        page.your_row(lines)
        return
    with st.container(border=True, key=keys.INSTEAD):
        truth = plain(classes[row.truth])
        st.markdown(f"**Row {asked.row:,}** of the recorded run · label {truth}")
        for name, value in lines:
            st.markdown(f"{name} **{value}**")


def shapes_table(found: Prediction) -> None:
    """The shapes that the replicas had in each call; replicas with the same share one line."""
    rows = [
        [str(turn + 1), who, *(f"({rows}, {units})" for rows, units in layers)]
        for turn, call in enumerate(found.shapes)
        for who, layers in _alike(call)
    ]
    frame.table(["call", "on", *COLUMNS[:-1]], rows, "shapes")


def numbers_table(asked: Asked) -> None:
    """The row's own activations: a line for each column or unit that is drawn."""
    layers = asked.found.layers
    shown = [set(pictures_prediction.drawn(layer)) for layer in layers]
    rows = [
        [
            str(unit + 1),
            *(
                number(float(layer[asked.place, unit])) if unit in units else ""
                for layer, units in zip(layers, shown, strict=True)
            ),
        ]
        for unit in sorted(set().union(*shown))
    ]
    frame.table(["column or unit", *COLUMNS[:-1]], rows, "activations")


def checks_table(page: lesson.Page, asked: Asked) -> None:
    """What the result was compared with, and the largest difference found."""
    found = asked.found
    rows = [
        [page.words.text("check_gathered"), small(found.gathered_apart)],
        [page.words.text("check_one"), small(found.one_device_apart)],
        [page.words.text("check_numpy"), small(asked.numpy_apart)],
    ]
    frame.table([page.words.text("compared"), page.words.text("apart")], rows, "compared")


def wrong_table(asked: Asked) -> None:
    """The rows whose true class was given the least probability."""
    classes = asked.run.data.classes
    heads = ("row", "replica", "truth", "predicted", "given to the truth")
    frame.table(
        heads,
        [
            [
                f"{asked.found.first + row.place:,}",
                f"R{row.replica}",
                classes[row.truth],
                classes[row.guess] + ", wrong" * (not row.right),
                f"{row.probability:.1%}",
            ]
            for row in most_wrong(asked.read)
        ],
        "wrong",
    )


def _one_of(label: str, names: Mapping[int, str], key: str) -> int:
    """One of these numbers, chosen by name."""
    chosen = st.radio(
        label,
        list(names),
        format_func=lambda size: names[size],
        horizontal=True,
        key=key,
        persist_state="session",
    )
    return int(chosen)


def _alike(things: Sequence[Any]) -> list[tuple[str, Any]]:
    """Neighbouring replicas with the same thing: `R0`, `R0 and R1`, `R0 to R7`."""
    found = []
    for thing, group in groupby(enumerate(things), key=lambda pair: pair[1]):
        who = [replica for replica, _ in group]
        between = " and " if len(who) == 2 else " to "
        found.append((between.join(dict.fromkeys((f"R{who[0]}", f"R{who[-1]}"))), thing))
    return found


def _why_not(here: Context) -> str:
    """The reason why the run shown cannot be asked about your row; "" when it can."""
    run = here.run
    if any(getattr(run.config, name) != getattr(here.config, name) for name in SAME_TABLE):
        return "other_data"
    if not run.finished:
        return "going_on" if run.last is None else "not_finished"
    if run.config.combine != "step":
        return "not_combined"
    return "" if run.kept else "not_kept"


def _answer(here: Context, size: int, batch_size: int) -> Answer | None:
    """Where the question about your row stands; None where there is no TensorFlow to ask."""
    answers = services.answers()
    arguments = question(here.run, here.row, size, batch_size)
    if here.run.recorded:
        recorded = answers.recorded(TASK, arguments)
        if recorded is not None:
            return recorded
    known = answers.known(TASK, arguments)
    if known is None and services.can_train():
        return _ask(here, size, batch_size)
    return known


def _ask(here: Context, size: int, batch_size: int) -> Answer:
    """Put the question to TensorFlow, again if it has failed. A full queue is a failure."""
    arguments = question(here.run, here.row, size, batch_size)
    try:
        return services.answers().ask(TASK, arguments, {"run_folder": here.run.folder.resolve()})
    except LimitError as error:
        return Answer("", Path(), "failed", error=str(error))


def _recorded(
    size: int, batch_size: int, why: str, *, problem: str = "", waiting: Answer | None = None
) -> Asked:
    """The same batch around the row of the recorded run, whose answer ships."""
    run = services.ended(recordings.DEFAULT)
    answer = services.answers().recorded(TASK, question(run, run.row, size, batch_size))
    assert answer is not None, "an answer for every size ships"
    return Asked(run, run.row, size, batch_size, answer, why, problem, waiting)


@functools.lru_cache(maxsize=16)
def _load(folder: Path, _key: str) -> Prediction:
    return Prediction.load(folder)


@functools.lru_cache(maxsize=16)
def _picture(folder: Path, key: str, place: int, whose: str) -> dict[str, Any]:
    return pictures_prediction.through_layers(_load(folder, key), place, whose).to_dict(
        validate=False
    )
