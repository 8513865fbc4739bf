"""What Train shows below its run: recorded runs over each other, your row, the time of a step."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from pipeline import side_by_side
from ui import charts, keys, lesson, player, services
from ui.leave_out import SAME_TABLE
from ui.words import plain, small

RECORDED = {1: "one-replica", 2: "two-replicas", 4: "four-replicas"}
"""The recorded runs that differ in nothing but the number of replicas."""
WIDE_FIRST = (4, 2, 1)
"""The rings from the outermost to the innermost, by replicas."""


def losses() -> dict[str, object]:
    """The last epoch's loss of the recorded runs, for the prediction's replies."""
    runs = {n: services.ended(name) for n, name in RECORDED.items()}
    ends = [f"{side_by_side.end_of(side_by_side.epoch_losses(run)):.4f}" for run in runs.values()]
    told = [f"{end} with {n}" for end, n in zip(ends, runs, strict=True)]
    return {"epochs": runs[1].config.epochs, "losses": ", ".join(told)}


def overlay(page: lesson.Page) -> None:
    """The same run on 1, 2 and 4 replicas as nested lines, and the strip of their differences."""
    runs = {n: services.ended(name) for n, name in RECORDED.items()}
    apart = {n: side_by_side.losses_apart(runs[1], runs[n]) for n in (2, 4)}
    result = page.words.text(
        "overlay_result",
        {
            "steps": f"{len(apart[2]):,}",
            "same_two": f"{sum(y == 0 for _, y in apart[2]):,}",
            "same_four": f"{sum(y == 0 for _, y in apart[4]):,}",
            "most": small(max(y for points in apart.values() for _, y in points), 1),
        },
    )
    page.say("overlay_help")
    nested, strip = _overlay()
    player.still(
        [
            player.Chart(nested, "Loss, full batches", result),
            player.Chart(strip, "How far apart", result),
        ],
        "The same run on one, two and four replicas",
        keys.OVERLAY_CHARTS,
    )
    st.markdown(result)


def yours(page: lesson.Page) -> None:
    """The probability of your row's own label after each epoch of the run shown."""
    here = page.context
    run = here.run
    same = all(getattr(run.config, name) == getattr(here.config, name) for name in SAME_TABLE)
    if run.row != here.row or not same:
        page.say("yours_other", {"other": f"{run.row:,}"})
        return
    label = int(run.data.y_train[run.row])
    points = [
        (event.epoch, share)
        for event in run.epochs
        if len(event.row_prediction) > label and (share := event.row_prediction[label]) is not None
    ]
    if not points:
        page.say("yours_none")
        return
    name = run.data.classes[label]
    sentence = page.words.text(
        "yours_help",
        {
            "label": plain(name),
            "first_epoch": int(points[0][0]),
            "first": f"{points[0][1]:.2f}",
            "last_epoch": int(points[-1][0]),
            "last": f"{points[-1][1]:.2f}",
        },
    )
    st.markdown(sentence)
    picture = _row_picture(tuple(side_by_side.thinned(points)))
    player.still([player.Chart(picture, "", sentence)], "Your row's prediction", keys.YOURS_CHART)


def speed(page: lesson.Page) -> None:
    """Measured time of a step on 1 and on 2 replicas, and what may be said of it."""
    page.say("speed_help")
    times = {n: side_by_side.step_milliseconds(services.ended(RECORDED[n])) for n in (1, 2)}
    one, two = times[1], times[2]
    assert one is not None
    assert two is not None
    if one.low <= two.high and two.low <= one.high:
        verdict = "speed_overlap"
    else:
        verdict = "speed_slower" if two.median > one.median else "speed_faster"
    sentence = page.words.text(verdict)
    player.still(
        [
            player.Chart(
                _bars(one, two),
                "",
                f"{one.median:.1f} ms on one replica, {two.median:.1f} ms on two. {sentence}",
            )
        ],
        "Milliseconds a step on one and on two replicas, recorded",
        keys.SPEED_CHART,
    )
    st.markdown(sentence)


@functools.cache
def _overlay() -> tuple[dict[str, Any], dict[str, Any]]:
    """The two pictures of `overlay`: the recorded runs do not change."""
    runs = {n: services.ended(name) for n, name in RECORDED.items()}
    steps = runs[1].shapes.steps
    rings = [charts.Series(_named(n), side_by_side.step_losses(runs[n])) for n in WIDE_FIRST]
    apart = [
        charts.Series(f"{_named(n)} against 1", side_by_side.losses_apart(runs[1], runs[n]), colour)
        for n, colour in ((2, "ink"), (4, "quiet"))
    ]
    return (
        charts.rings(rings, "loss of the step", steps).to_dict(),
        charts.differences(apart, "difference of the losses", steps, lines=False).to_dict(),
    )


@functools.lru_cache(maxsize=32)
def _row_picture(points: tuple[tuple[float, float], ...]) -> dict[str, Any]:
    line = charts.Series("", points)
    return charts.by_epoch([line], "probability", (0, 1), height=170).to_dict()


@functools.cache
def _bars(one: side_by_side.Milliseconds, two: side_by_side.Milliseconds) -> dict[str, Any]:
    return charts.milliseconds([(_named(1), *one), (_named(2), *two)]).to_dict()


def _named(replicas: int) -> str:
    return f"{replicas} replica" + "s" * (replicas > 1)
