"""The learning-rate rule on a page: recorded, or trained on the data of the run shown."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import streamlit as st

from pipeline import rate_rule, recordings
from pipeline.answers import Answer
from pipeline.limits import LimitError
from pipeline.rate_rule import PAPER, RATES, TASK, RateRule
from pipeline.run_log import RESULT_NAME
from pipeline.run_view import RunView
from pipeline.scaling_plan import EPOCHS, WARM_EPOCHS, WAYS, Way
from ui import charts, frame, keys, lesson, notices, player, services, waiting
from ui.palette import DASHES
from ui.words import Words, counted, plain

MOST = 8
"""Replicas that share the large batch, where the server allows them."""


def section(page: lesson.Page) -> None:
    """Choose a rate, see the four trainings, or have them made on your run's data."""
    text = page.words.text
    page.say("rate_help", {"warm": WARM_EPOCHS})
    rate = st.segmented_control(
        text("rate_choice"),
        RATES,
        default=RATES[0],
        required=True,
        format_func=lambda value: f"{value:g}",
        key=keys.RATE,
        persist_state="session",
    )
    assert rate is not None
    shown = page.context.run
    answer = _answer(shown, rate)
    if answer is None or answer.state != "done":
        _ask_or_wait(page.words, shown, rate, answer)
        shown = services.ended(recordings.DEFAULT)
        answer = _answer(shown, rate)
    assert answer is not None, "the recorded run's answers ship"
    found = _read(answer.folder)
    whose = text(
        "rate_whose",
        {"replicas": counted(found.replicas, "replica"), "rows": f"{found.rows:,}"},
    )
    st.markdown(f"{text('rate_recorded')} {whose}" if shown.recorded else whose)
    _show(page.words, answer.folder, found)
    page.say("rate_source", {"paper": PAPER})


def _answer(run: RunView, rate: float) -> Answer | None:
    """What is known of this question: recorded, asked before, or nothing."""
    asked = _question(run, rate)
    recorded = services.answers().recorded(TASK, asked) if run.recorded else None
    return recorded or services.answers().known(TASK, asked)


def _question(run: RunView, rate: float) -> dict[str, Any]:
    most = MOST if run.recorded else min(MOST, services.runs().limits.replicas)
    return rate_rule.question(run, most, rate)


def _ask_or_wait(page: Words, run: RunView, rate: float, answer: Answer | None) -> None:
    if answer is not None and answer.state == "asked":
        waiting.answer(answer, page, "rate_asking")
        return
    if answer is not None:
        st.warning(
            page.text("rate_failed", {"problem": plain(answer.error)}), icon=":material/info:"
        )
    if services.can_train():
        st.button(page.text("rate_ask"), on_click=_ask, args=(run, rate), key=keys.RATE_BUTTON)


def _ask(run: RunView, rate: float) -> None:
    try:
        services.answers().ask(TASK, _question(run, rate), {"run_folder": run.folder.resolve()})
    except LimitError as error:
        notices.tell(str(error))


def _show(page: Words, folder: Path, found: RateRule) -> None:
    """The picture, updates gliding to epochs, the verdict, and the table."""
    text = page.text
    values: dict[str, object] = {
        **{str(way): f"{curve.end:.3f}" for way, curve in found.curves.items()},
        "epochs": EPOCHS,
        "times": found.replicas,
        "many": f"{found.curves['base'].steps:,}",
        "few": f"{found.curves['same'].steps:,}",
    }
    frames = [text("rate_frames_updates", values), text("rate_frames_epochs", values)]
    player.show(
        player.Show(
            source=f"rate {folder.name}",
            label=text("rate_picture"),
            charts=[player.Chart(_picture(folder), "", " ".join(frames))],
            frames=frames,
            legend=[
                player.Line(label, "ink", DASHES[place])
                for place, label in enumerate(_labels(page, found).values())
            ],
            total=1,
            seconds=2.5,
        ),
        key=keys.RATE_CHART,
    )
    st.markdown(text(f"rate_{found.verdict}", values))
    heads = ("rate_heads_batch", "rate_heads_rate", "rate_heads_updates", "rate_heads_loss")
    rows = [
        [
            f"{curve.batch:,}",
            f"{curve.rate:g}" + text("rate_after") * (way == "warm"),
            f"{curve.steps:,}",
            f"{curve.end:.3f}",
        ]
        for way, curve in found.curves.items()
    ]
    frame.table([text(head) for head in heads], rows, "rates")


def _labels(page: Words, found: RateRule) -> dict[Way, str]:
    return {
        way: page.text(
            f"rate_{way}",
            {"batch": f"{found.curves[way].batch:,}", "rate": f"{found.curves[way].rate:g}"},
        )
        for way in WAYS
    }


@functools.lru_cache(maxsize=16)
def _read(folder: Path) -> RateRule:
    """An answer that is done changes no more."""
    return RateRule.read(json.loads((folder / RESULT_NAME).read_text(encoding="utf-8")))


@functools.lru_cache(maxsize=16)
def _picture(folder: Path) -> dict[str, Any]:
    """The loss on all training rows, against updates and then against epochs."""
    lines = [
        (charts.Series(way, curve.points, dash=DASHES[place]), curve.steps_per_epoch)
        for place, (way, curve) in enumerate(_read(folder).curves.items())
    ]
    return charts.epochs_to_updates(lines, "loss on all rows", EPOCHS, back=True).to_dict()
