"""The picture of Break it: every program once, in the tray or in the column of its verdict."""

from __future__ import annotations

from collections import Counter

import altair as alt
import pytest

from pipeline.cards import VERDICTS
from ui import pictures_break_it
from ui.pictures_break_it import HEAD, sorted_cards

HEADS = {name: name for name in (*VERDICTS, "tray")}
NAMES = [f"program {number}" for number in range(23)]


def drawn(ended):
    spec = sorted_cards(NAMES, ended, HEADS).to_dict()
    datasets = [layer["data"]["values"] for layer in spec["layer"] if "values" in layer["data"]]
    (rows,) = [rows for rows in datasets if "order" in rows[0]][:1]
    return spec, rows


def test_with_nothing_run_all_are_in_the_tray_and_none_moves():
    spec, rows = drawn([])

    assert [row["n"] for row in rows] == [str(number + 1) for number in range(23)]
    assert all((row["x0"], row["y0"]) == (row["x1"], row["y1"]) for row in rows)
    assert spec["params"][0] == {"name": "position", "value": 0}


@pytest.mark.parametrize("count", [1, 7, 23])
def test_each_program_ends_in_the_column_of_its_verdict_and_nothing_lies_on_another(count):
    ended = [(index, VERDICTS[index % len(VERDICTS)]) for index in reversed(range(count))]
    spec, rows = drawn(ended)

    verdicts = dict(ended)
    for index, row in enumerate(rows):
        if index in verdicts:
            assert int(row["x1"]) == VERDICTS.index(verdicts[index])
            assert row["order"] == count - 1 - index
            assert row["silent"] == (verdicts[index] == "silent")
        else:
            assert row["order"] >= count
    assert max(Counter((row["x1"], row["y1"]) for row in rows).values()) == 1
    assert all(HEAD < row["y1"] < spec["height"] for row in rows)
    assert spec["params"][0]["value"] == count


def test_a_column_of_all_programs_still_fits():
    spec, rows = drawn([(index, "silent") for index in range(23)])

    lowest = max(row["y1"] for row in rows)
    tray = min(row["y0"] for row in rows)
    assert lowest + pictures_break_it.ROW / 2 < tray < spec["height"]


def test_the_chart_passes_altairs_own_check():
    alt.Chart.from_dict(sorted_cards(NAMES, [(0, "fine")], HEADS).to_dict())
