"""The same settings three ways: gradients summed every step, weights averaged once an epoch, never.

Recorded or really run here, with shuffled rows or with one class each. The three runs of one's own
are started as the limits allow, the others when a place is free. Their ids stand in the session;
nothing is started while another page is open.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pipeline import side_by_side
from pipeline.config import Order, RunConfig
from pipeline.datasets import DataError
from pipeline.distribute import class_shares
from pipeline.events import RunFailed
from pipeline.limits import LimitError
from pipeline.run_view import RunView
from pipeline.runs import RunInfo, UnknownRun
from pipeline.sources import Csv
from pipeline.uploads import UploadGone, is_upload
from ui import charts, keys, learner, services, waiting
from ui.palette import DASHES
from ui.words import plain, small

WAYS = ("step", "epoch", "never")
NAMES = {"step": "every step", "epoch": "once an epoch", "never": "never"}
"""How often the replicas are brought together, for labels in charts and tables."""
KEYS: dict[Order, tuple[str, str]] = {
    "one-class-each": (keys.ONE_CLASS, keys.ONE_CLASS_BUTTON),
    "shuffled": (keys.MIXED, keys.MIXED_BUTTON),
}
"""For each order of the rows: the session's key of its runs, and of its button."""
CLEAR = 0.1
"""An accuracy better by more than this is called better."""


@dataclass(frozen=True)
class Compared:
    """The three runs, by way, and whether they were made in this session."""

    runs: Mapping[str, RunView]
    yours: bool = False

    def series(self, points: Any) -> list[charts.Series]:
        """One line a way, in ink: colour means a replica, and here it is all of them."""
        return [
            charts.Series(NAMES[way], points(self.runs[way]), "ink", DASHES[place])
            for place, way in enumerate(WAYS)
        ]

    def values(self) -> dict[str, str]:
        """The results, for sentences: shares as per cent, distances as they are."""
        given: dict[str, str] = {}
        for way in WAYS:
            own, everywhere = last_shares(self.runs[way])
            apart = side_by_side.copies_apart(self.runs[way]) or [(0, 0.0)]
            given |= {
                f"own_{way}": f"{own:.0%}",
                way: f"{everywhere:.1%}",
                f"apart_{way}": "exactly 0" if apart[-1][1] == 0 else small(apart[-1][1]),
            }
        return given

    def verdict(self) -> str:
        """The name of the sentence that the numbers allow."""
        ends = {way: last_shares(run)[1] for way, run in self.runs.items()}
        clear = ends["step"] > max(ends["epoch"], ends["never"]) + CLEAR
        return "one_class_collapse" if clear else "one_class_close"

    def parts(self) -> str:
        """Which classes each replica gets, as Markdown."""
        run = self.runs["step"]
        owned = class_shares(len(run.data.classes), run.config.replicas)
        return "; ".join(
            f"R{replica} gets only {_named([run.data.classes[c] for c in classes])}"
            for replica, classes in enumerate(owned)
        )


def recorded(order: Order) -> Compared:
    """The recorded three."""
    names = {way: f"{order.removesuffix('-each')}-{way}" for way in WAYS}
    if order == "shuffled":
        names["step"] = "two-replicas"
    return Compared({way: services.ended(name) for way, name in names.items()})


def shown(order: Order) -> Compared:
    """Your three runs when all have finished, else the recorded ones."""
    infos = started(order).values()
    mine = [services.ended(info.run_id) for info in infos if info.state == "finished"]
    if len(mine) == len(WAYS):
        return Compared({run.config.combine: run for run in mine}, yours=True)
    return recorded(order)


def started(order: Order) -> dict[str, RunInfo]:
    """This session's runs with this order by way, as they stand."""
    found = {}
    for way, run_id in _state(order).get("runs", {}).items():
        try:
            found[way] = services.runs().get(run_id)
        except UnknownRun:
            continue
    return found


def button(config: RunConfig, order: Order, label: str) -> None:
    """The button that begins the three runs, and where they stand."""
    going = _going(order)
    st.button(label, on_click=_begin, args=(config, order), disabled=going, key=KEYS[order][1])
    if going:
        _follow(order)
    else:
        for text in _problems(order):
            st.warning(plain(text), icon=":material/info:")


@st.fragment(run_every=0.5)
def _follow(order: Order) -> None:
    _start_more(order)
    if not _going(order):
        st.rerun()
    infos = started(order)
    lines = []
    for way in WAYS:
        info = infos.get(way)
        told = "waits for a free place" if info is None or info.state == "waiting" else info.state
        lines.append(f"{NAMES[way]}: **{told}**")
    waiting.line(" · ".join(lines), order)


def _begin(config: RunConfig, order: Order) -> None:
    wanted = config.model_copy(update={"order": order, "replicas": max(2, config.replicas)})
    st.session_state[KEYS[order][0]] = {"config": wanted.model_dump(), "runs": {}, "refused": ""}
    _start_more(order)


def _start_more(order: Order) -> None:
    """Start what is not started yet, as far as the limits allow."""
    state = _state(order)
    if not state or state["refused"]:
        return
    for way in WAYS:
        if way in state["runs"]:
            continue
        config = RunConfig.checked({**state["config"], "combine": way})
        try:
            csv = _csv(config)
            state["runs"][way] = services.runs().start(config, learner.owner(), csv)
        except LimitError as error:
            # A place may become free only when something of mine is still going.
            if all(info.ended for info in services.runs().of(learner.owner())):
                state["refused"] = str(error)
            return
        except (DataError, UploadGone) as error:
            state["refused"] = str(error)
            return


def _going(order: Order) -> bool:
    state = _state(order)
    if not state:
        return False
    infos = started(order)
    if any(not info.ended for info in infos.values()):
        return True
    return not state["refused"] and len(state["runs"]) < len(WAYS)


def _problems(order: Order) -> list[str]:
    """Why the experiment has no result, if it was tried."""
    refused = _state(order).get("refused", "")
    found = [refused] if refused else []
    for way, info in started(order).items():
        if info.state in ("failed", "stopped"):
            last = services.runs().view(info.run_id).last
            why = last.error if isinstance(last, RunFailed) else "It was stopped."
            found.append(f"{NAMES[way]}: {why}")
    return found


def _state(order: Order) -> dict[str, Any]:
    state: dict[str, Any] = st.session_state.get(KEYS[order][0], {})
    return state


def _csv(config: RunConfig) -> Csv | None:
    return services.uploads().open(config.data) if is_upload(config.data) else None


def _named(classes: list[str]) -> str:
    word = "class" if len(classes) == 1 else "classes"
    return f"{word} {', '.join(plain(name) for name in classes)}"


def pictures(compared: Compared) -> tuple[dict[str, Any], ...]:
    """Charts of the loss on the rows as given, the accuracy on all rows, how far copies differ."""
    return _drawn(tuple(compared.runs[way].run_id for way in WAYS))


@functools.lru_cache(maxsize=16)
def _drawn(run_ids: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Ended runs give the same pictures again."""
    compared = Compared({w: services.ended(i) for w, i in zip(WAYS, run_ids, strict=True)})
    top = max(y for run in compared.runs.values() for _, y in side_by_side.epoch_losses(run))
    steps = max(run.shapes.steps for run in compared.runs.values())
    return (
        charts.by_epoch(compared.series(side_by_side.epoch_losses), "loss", (0, top)).to_dict(),
        charts.by_epoch(
            compared.series(side_by_side.all_rows_accuracy), "share right", (0, 1)
        ).to_dict(),
        charts.differences(
            compared.series(_copies_apart), "largest difference", steps, lines=True
        ).to_dict(),
    )


def _copies_apart(run: RunView) -> side_by_side.Points:
    return side_by_side.thinned(side_by_side.copies_apart(run))


def last_shares(run: RunView) -> tuple[float, float]:
    """Accuracy of the last epoch: on the rows as given, and on all rows."""
    own = next((event.accuracy for event in reversed(run.epochs) if event.accuracy is not None), 0)
    return own, side_by_side.end_of(side_by_side.all_rows_accuracy(run) or [(0, 0.0)])
