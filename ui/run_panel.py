"""A run on a page: start and stop, the live picture, and what the run proved."""

from __future__ import annotations

import streamlit as st

from pipeline import shapes, sources
from pipeline.config import RunConfig
from pipeline.csv_data import DataError
from pipeline.events import Check, Epoch, RunFailed, RunFinished, RunStarted, Terminal
from pipeline.feed import MEAN
from pipeline.limits import LimitError
from pipeline.run_log import LogError, outline
from pipeline.runs import NotYours, RunInfo, UnknownRun
from ui import charts, frame, keys, learner, player, services
from ui.palette import DASHES

CHECKS = {
    "sum_equals_all_reduced": "The replicas’ own gradients add up to the all-reduced gradient.",
    "equals_single_device": "The all-reduced gradient is the one a single device gets "
    "from the whole batch.",
    "replicas_identical": "All copies of the weights are equal after every checked step, "
    "bit for bit.",
}


def panel(config: RunConfig) -> None:
    """All of it: the buttons for a run of `config`, and the run that is shown."""
    info = shown()
    _controls(config, info)
    if info is None:
        st.info("No run yet. Press Train: it takes a few seconds.", icon=":material/play_arrow:")
    else:
        _show(info)


def _controls(config: RunConfig, info: RunInfo | None) -> None:
    """The two buttons. Starting a run that is refused says why and changes nothing else."""
    going = info is not None and not info.ended
    mine = info is not None and services.runs().is_owner(info.run_id, learner.owner())
    start, stop, _ = st.columns([1, 1, 3])
    start.button(
        "Train",
        type="primary",
        on_click=_start,
        args=(config,),
        disabled=going and mine,
        width="stretch",
        key=keys.TRAIN_BUTTON,
    )
    stop.button(
        "Stop",
        on_click=_stop,
        disabled=not (going and mine),
        width="stretch",
        key=keys.STOP_BUTTON,
    )


def _show(info: RunInfo) -> None:
    """The picture, device names, checks, epoch table."""
    try:
        told = outline(services.runs().log_path(info.run_id))
    except LogError as error:
        st.error(f"The record of this run cannot be read. {error}", icon=":material/error:")
        return
    last = told[-1] if told and isinstance(told[-1], Terminal) else None
    _picture(info, ended=last is not None)
    started = next((event for event in told if isinstance(event, RunStarted)), None)
    if started is not None:
        st.caption(started.device_note)
    if isinstance(last, RunFinished):
        _checks(last, started)
    if isinstance(last, RunFailed):
        st.error(last.error, icon=":material/error:")
    if last is not None:
        _epochs([event for event in told if isinstance(event, Epoch)])


def shown() -> RunInfo | None:
    """The run whose id stands in the URL, if there is one."""
    run_id = st.session_state.get(keys.RUN)
    if not run_id:
        return None
    try:
        return services.runs().get(run_id)
    except UnknownRun as error:
        st.warning(str(error), icon=":material/info:")
        return None


def _picture(info: RunInfo, *, ended: bool) -> None:
    config = info.config
    coming = _shapes(info)
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
            source=info.run_id,
            label="The run, step by step",
            url=f"/runs/{info.run_id}/events",
            fresh=st.session_state.get(keys.FRESH_RUN) == info.run_id,
            ended=ended,
            total=steps,
            legend=lines,
            readouts=[
                player.Readout("loss", "steps", "loss", 3, MEAN),
                player.Readout("accuracy", "steps", "accuracy", 3, MEAN),
            ],
            charts=[
                player.Chart(
                    charts.by_step("loss", "loss of the step", config.replicas, steps, batch),
                    "Loss",
                    "Loss of each step, one line for each replica and one for their mean.",
                ),
                player.Chart(
                    charts.by_step("accuracy", "share right", config.replicas, steps, batch, 1),
                    "Accuracy",
                    "Accuracy of each step, one line for each replica and one for their mean.",
                ),
            ],
        ),
        key=keys.PLAYER,
    )


def _shapes(info: RunInfo) -> shapes.Shapes:
    data = sources.open_data(info.config, services.runs().csv(info.run_id))
    return shapes.of(data, info.config)


def _checks(last: RunFinished, started: RunStarted | None) -> None:
    st.subheader("What this run proves", anchor=False)
    items = "".join(_check(name, check) for name, check in last.checks.items())
    st.html(f'<ul class="checks">{items}</ul>')
    versions = started.versions if started else {}
    st.caption(
        f"Measured on {len(last.checked_steps)} of the steps, with TensorFlow "
        f"{versions.get('tensorflow', '?')} and Keras {versions.get('keras', '?')}."
    )


def _check(name: str, check: Check) -> str:
    mark, word = ("✓", "holds") if check.ok else ("✗", "does not hold")
    apart = ""
    if check.max_abs_diff is not None:
        apart = f" Largest difference: <b>{check.max_abs_diff:.2g}</b>."
    return (
        f'<li><span class="mark" role="img" aria-label="{word}">{mark}</span>'
        f"{CHECKS.get(name, name)}{apart}</li>"
    )


def _epochs(epochs: list[Epoch]) -> None:
    if not epochs:
        return
    st.subheader("Epoch by epoch", anchor=False)

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.4f}"

    heads = ("epoch", "loss", "accuracy", "held-out loss", "held-out accuracy", "seconds", "")
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
        run_id = services.runs().start(config, learner.owner())
    except (LimitError, DataError) as error:
        st.session_state[keys.NOTICE] = str(error)
        return
    st.session_state[keys.RUN] = st.session_state[keys.FRESH_RUN] = run_id


def _stop() -> None:
    info = shown()
    if info is None:
        return
    try:
        services.runs().stop(info.run_id, learner.owner())
    except (NotYours, UnknownRun) as error:
        st.session_state[keys.NOTICE] = str(error)
