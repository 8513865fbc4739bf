"""The three checks for one step, beside programs that fail them: a table and what it says."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pipeline import inspect_step, wrong_ways
from pipeline.events import TOLERANCE, Check
from pipeline.inspect_step import Inspected
from pipeline.run_view import RunView
from pipeline.wrong_ways import CHECKS, Way
from ui import frame, keys
from ui.inspector import MANY, go_to, largest, value_of
from ui.words import Words, raised, small

ROUNDING = 1e-4
"""Below it an update is off only because NumPy and TensorFlow round differently."""


def section(words: Words, run: RunView, step: Inspected, ways: dict[str, Way]) -> None:
    """The step as the run did it and each wrong way, one line each, then what that means."""
    power = int(np.log10(TOLERANCE))
    st.markdown(words.text("checks_help", {"tolerance": f"10{raised(power)}"}))
    heads = ("name", "sum", "single", "equal", "off")
    rows = [
        (
            _name(words, way),
            *(_cell(way.checks[check]) for check in CHECKS),
            "" if way.name == wrong_ways.RIGHT else _percent(way.update_off),
        )
        for way in ways.values()
    ]
    frame.table([words.text(f"ways_{name}") for name in heads], rows, "ways")
    for told in _told(words, step, ways):
        st.markdown(told)
    uneven = [one for one in inspect_step.uneven_steps(run) if one != step.record.step]
    if uneven and wrong_ways.DEALT_UNEVENLY in ways:
        label = words.text("to_uneven", {"step": f"{uneven[0]:,}"})
        st.button(label, on_click=go_to, args=(run.run_id, uneven[0]), key=keys.TO_UNEVEN)


def values(ways: dict[str, Way]) -> dict[str, object]:
    """What the page's question needs: by how much the doubly divided gradient is off."""
    difference = ways[wrong_ways.DIVIDED_TWICE].checks["equals_single_device"].max_abs_diff
    return {"twice": value_of(difference or 0.0)}


def _told(words: Words, step: Inspected, ways: dict[str, Way]) -> list[str]:
    """The sentences that this step's numbers allow."""
    if step.replicas == 1:
        return [words.text("passes_one")]
    told = []
    twice = ways[wrong_ways.DIVIDED_TWICE]
    off = {"off": _percent(twice.update_off), "share": _percent(1 - 1 / step.replicas)}
    told.append(words.text(step.config.optimizer, off))
    if wrong_ways.OWN_MEAN not in wrong_ways.should_fail(step):
        dealt = words.text("passes_even_dealt") if wrong_ways.DEALT_UNEVENLY in ways else ""
        told.append(words.text("passes_even", {"dealt": dealt}))
    told += [
        words.text("passes_small", {"name": _name(words, ways[name])})
        for name in wrong_ways.should_fail(step)
        if not ways[name].caught
    ]
    prints = {
        "right": _prints(words, ways[wrong_ways.RIGHT].fingerprints),
        "apart": _prints(words, ways[wrong_ways.NO_ALL_REDUCE].fingerprints),
    }
    record = step.record
    mine = wrong_ways.update(
        step.config.optimizer, record.optimizer, record.before, record.all_reduced
    )
    apart = max(largest(a - b) for a, b in zip(mine, record.after[0], strict=True))
    told.append(words.text("fingerprints", prints))
    exact = "numpy_update" if apart else "numpy_update_exact"
    told.append(words.text(exact, {"apart": value_of(apart, 2)}))
    return told


def apart(words: Words, step: Inspected) -> str:
    """The one check that a run without an all-reduce can be put to."""
    most = max(
        largest(a - b)
        for copy in step.record.after
        for a, b in zip(copy, step.record.after[0], strict=True)
    )
    if len(set(step.fingerprints)) == 1:
        return words.text("no_checks_equal")
    prints = words.text("prints_apart", {"prints": _prints(words, step.fingerprints)})
    return words.text("no_checks", {"apart": value_of(most), "prints": prints})


def _name(words: Words, way: Way) -> str:
    return words.text(way.name, {"dealt": " + ".join(f"{size:,}" for size in way.sizes)})


def _cell(check: Check) -> str:
    difference = check.max_abs_diff
    told = small(difference) if difference is not None and np.isfinite(difference) else "no number"
    return f"{'✓' if check.ok else '✗'} {told}"


def _percent(share: float) -> str:
    if not np.isfinite(share):
        return "no number"
    return f"{share:.1%}" if share >= ROUNDING else f"under {ROUNDING:.2%}"


def _prints(words: Words, prints: list[str]) -> str:
    if len(set(prints)) == 1 and len(prints) > 1:
        return words.text("same_print", {"count": len(prints), "print": prints[0]})
    told = ", ".join(f"R{replica} {one}" for replica, one in enumerate(prints[:MANY]))
    if len(prints) <= MANY:
        return told
    return words.text("many_prints", {"prints": told, "different": len(set(prints))})
