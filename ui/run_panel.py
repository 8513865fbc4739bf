"""A run on a page: start and stop, the live picture, and what the run proved."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pipeline.config import SETTINGS, RunConfig
from pipeline.datasets import DataError
from pipeline.events import Check, Epoch, RunFailed, RunFinished, RunStarted
from pipeline.feed import MEAN
from pipeline.limits import LimitError
from pipeline.run_view import RunView
from pipeline.runs import NotYours, RunInfo, UnknownRun
from pipeline.uploads import UploadGone, is_upload
from ui import charts, frame, keys, learner, notices, player, run_list, services, take_home_panel
from ui.context import Context
from ui.palette import DASHES
from ui.words import small

CHECKS = {
    "sum_equals_all_reduced": "The replicas’ own gradients add up to the all-reduced gradient.",
    "equals_single_device": "The all-reduced gradient is the one a single device gets "
    "from the whole batch.",
    "replicas_identical": "All copies of the weights are equal after every checked step, "
    "bit for bit.",
}
NO_TENSORFLOW = (
    "**TensorFlow is not installed on this server**, so nothing can be trained here. "
    "Every page shows recorded runs instead."
)


def panel(here: Context, *, brief: bool = False) -> None:
    """The buttons for a run of the present settings, and the run that is shown.

    `brief` leaves out the checks and the epoch table.
    """
    info = services.runs().get(here.run.run_id)
    _controls(here.config, info)
    told, said = st.empty(), label(here, invite="Press Train to make your own.")
    if said:
        told.markdown(said)
    _picture(here.run, ended=here.run.last is not None)
    started = here.run.started
    if started is not None:
        st.markdown(started.device_note)
    if isinstance(here.run.last, RunFailed):
        st.error(here.run.last.error, icon=":material/error:")
    if brief:
        return
    if isinstance(here.run.last, RunFinished):
        _checks(here.run.last, started)
    if here.run.last is not None:
        _epochs(here.run.epochs)
    take_home_panel.section(here.run)
    run_list.section(here)


def label(here: Context, *, invite: str = "Make your own on page 4b Train.") -> str:
    """Which run this is, when that is not plain from what the learner has just done.

    `invite` says how a recorded run is replaced by one's own.
    """
    run = here.run
    if run.recorded:
        versions = run.started.versions if run.started else {}
        return (
            f"**A recorded run**, made on {run.day} with TensorFlow {versions.get('tensorflow')}, "
            f"seed {run.config.seed}, {run.config.replicas} replicas. "
            + (invite if services.can_train() else "")
        )
    names = [SETTINGS[name].title.lower() for name in run.config.differs_from(here.config)]
    if names:
        other = ", ".join(names)
        return f"This run was made with other settings: {other}. Train again to use yours."
    return ""


def _controls(config: RunConfig, info: RunInfo) -> None:
    """The two buttons. Starting a run that is refused says why and changes nothing else."""
    if not services.can_train():
        st.markdown(NO_TENSORFLOW)
        return
    mine = not info.ended and services.runs().is_owner(info.run_id, learner.owner())
    start, stop, _ = st.columns([1, 1, 3])
    start.button(
        "Train",
        type="primary",
        on_click=_start,
        args=(config,),
        disabled=mine,
        width="stretch",
        key=keys.TRAIN_BUTTON,
    )
    stop.button(
        "Stop",
        on_click=_stop,
        args=(info.run_id,),
        disabled=not mine,
        width="stretch",
        key=keys.STOP_BUTTON,
    )


def _picture(run: RunView, *, ended: bool) -> None:
    config, coming = run.config, run.shapes
    steps, batch = coming.steps, sum(coming.shares)
    last = sum(coming.last_shares)
    names = [f"R{replica}" for replica in range(config.replicas)]
    lines = [player.Line("all replicas together (mean)", "ink")]
    if config.replicas > 1:
        lines += [player.Line(name, name, DASHES[i]) for i, name in enumerate(names)]
    if last < batch:
        lines.append(player.Line(f"an epoch’s short last batch ({last:,} rows)", "ink", point=True))
    player.show(
        player.Show(
            source=run.run_id,
            label="The run, step by step",
            url=f"/runs/{run.run_id}/events",
            fresh=st.session_state.get(keys.FRESH_RUN) == run.run_id,
            ended=ended,
            total=steps,
            epochs=config.epochs,
            legend=lines,
            readouts=[
                player.Readout("loss", "steps", "loss", 3, MEAN),
                player.Readout("accuracy", "steps", "accuracy", 3, MEAN),
            ],
            charts=[
                player.Chart(
                    _by_step("loss", "loss of the step", config.replicas, steps, batch),
                    "Loss",
                    "Loss of each step, one line for each replica and one for their mean.",
                ),
                player.Chart(
                    _by_step("accuracy", "share right", config.replicas, steps, batch, 1),
                    "Accuracy",
                    "Accuracy of each step, one line for each replica and one for their mean.",
                ),
            ],
        ),
        key=keys.PLAYER,
    )


@functools.lru_cache(maxsize=64)
def _by_step(
    field: str, title: str, replicas: int, steps: int, batch: int, top: float | None = None
) -> dict[str, Any]:
    return charts.by_step(field, title, replicas, steps, batch, top).to_dict()


def _checks(last: RunFinished, started: RunStarted | None) -> None:
    st.header("What this run proves", anchor=False)
    st.html(checks_list(last.checks))
    versions = started.versions if started else {}
    st.markdown(
        f"Measured on {len(last.checked_steps)} of the steps, with TensorFlow "
        f"{versions.get('tensorflow', '?')} and Keras {versions.get('keras', '?')}."
    )


def checks_list(checks: Mapping[str, Check]) -> str:
    """The checks as HTML: a tick or a cross each, and the largest difference."""
    items = "".join(_check(name, check) for name, check in checks.items())
    return f'<ul class="checks">{items}</ul>'


def _check(name: str, check: Check) -> str:
    mark, word = ("✓", "holds") if check.ok else ("✗", "does not hold")
    apart = ""
    if check.max_abs_diff is not None:
        apart = f" Largest difference: <b>{small(check.max_abs_diff)}</b>."
    return (
        f'<li><span class="mark" role="img" aria-label="{word}">{mark}</span>'
        f"{CHECKS.get(name, name)}{apart}</li>"
    )


def _epochs(epochs: list[Epoch]) -> None:
    if not epochs:
        return
    st.header("Epoch by epoch", anchor=False)

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.4f}"

    heads = ("epoch", "loss", "accuracy", "held-out loss", "held-out accuracy", "seconds", "words")
    rows = [
        (
            str(event.epoch),
            number(event.loss),
            number(event.accuracy),
            number(event.val_loss),
            number(event.val_accuracy),
            f"{event.seconds:.2f}",
            event.observation,
        )
        for event in epochs
    ]
    frame.table(heads, rows, "epochs")


def _start(config: RunConfig) -> None:
    try:
        csv = services.uploads().open(config.data) if is_upload(config.data) else None
        run_id = services.runs().start(config, learner.owner(), csv)
    except (LimitError, DataError, UploadGone) as error:
        notices.tell(str(error))
        return
    st.session_state[keys.RUN] = st.session_state[keys.FRESH_RUN] = run_id


def _stop(run_id: str) -> None:
    try:
        services.runs().stop(run_id, learner.owner())
    except (NotYours, UnknownRun) as error:
        notices.tell(str(error))
