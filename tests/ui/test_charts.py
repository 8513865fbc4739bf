"""Charts as values: where zeros go, how labels keep apart, what may be told from the spec."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ui import charts
from ui.charts import (
    LABEL_AT,
    LABEL_GAP,
    LETTER,
    Series,
    by_epoch,
    differences,
    epochs_to_updates,
    rings,
)


def values(layer: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = layer["data"]["values"]
    return rows


def test_a_difference_of_exactly_zero_gets_a_lane_below_every_power_of_ten() -> None:
    points = [(1, 0.0), (2, 3e-8), (3, 5e-7)]
    spec = differences([Series("a", points)], "difference", 3, lines=False).to_dict()
    layer = spec["layer"][0]
    zero, *others = values(spec)

    assert [row["at"] for row in others] == [pytest.approx(math.log10(y)) for _, y in points[1:]]
    assert zero["at"] < math.floor(math.log10(3e-8))
    assert layer["encoding"]["y"]["axis"]["values"][0] == zero["at"]
    assert layer["encoding"]["y"]["axis"]["labelExpr"].startswith("['0', '10")


def test_differences_that_are_all_zero_can_be_drawn() -> None:
    spec = differences([Series("a", [(1, 0.0)])], "difference", 1, lines=True).to_dict()

    assert math.isfinite(values(spec)[0]["at"])


@pytest.mark.parametrize("ends", [(0.5, 0.45, 0.85), (0.0, 0.0, 0.0), (1.0, 1.0, 0.99)])
def test_direct_labels_keep_apart_and_inside(ends: tuple[float, ...]) -> None:
    series = [Series(str(i), [(1, 0.5), (2, end)]) for i, end in enumerate(ends)]
    labels = by_epoch(series, "share", (0, 1), height=200).to_dict()["layer"][2]
    places = sorted(row["y"] for row in values(labels))

    gaps = [after - before for before, after in pairwise(places)]
    assert min(gaps) >= LABEL_GAP / 200 - 1e-9
    assert 0 <= places[0] <= places[-1] <= 1


@pytest.mark.parametrize("width", [200, 243, 330, 600])
def test_the_longest_direct_label_fits_beside_its_line_at_every_width(width: int) -> None:
    series = [Series("once an epoch", [(1, 0.5), (5, 0.4)]), Series("never", [(1, 0.5), (5, 0.1)])]
    spec = by_epoch(series, "share", (0, 1)).to_dict()["layer"][0]["encoding"]["x"]["scale"]

    reach = eval(
        spec["domainMax"]["expr"], {"width": width, "max": max}
    )  # Vega's words are Python's
    end = width * (5 - spec["domainMin"]) / (reach - spec["domainMin"])
    assert end + LABEL_AT + LETTER * len("once an epoch 0.40") == pytest.approx(width)
    assert end > 0.2 * width


def test_the_epoch_axis_names_the_first_and_the_last_epoch() -> None:
    line = Series("a", [(epoch, 0.5) for epoch in range(1, 201)])
    axis = by_epoch([line], "share", (0, 1)).to_dict()["layer"][0]["encoding"]["x"]["axis"]

    assert axis["values"][0] == 1
    assert axis["values"][-1] == 200
    assert len(axis["values"]) <= 7


def test_epochs_glide_to_updates_with_each_runs_own_pace() -> None:
    fast, slow = Series("a", [(40, 0.6), (80, 0.4)]), Series("b", [(20, 0.6), (40, 0.5)])
    spec = epochs_to_updates([(fast, 40), (slow, 20)], "loss", 2).to_dict()
    rows = {(row["who"], row["update"]): row for row in values(spec["layer"][0])}

    assert rows["a", 80]["e"] == rows["b", 40]["e"] == 1
    assert rows["a", 80]["u"] == 1
    assert rows["b", 40]["u"] == rows["a", 40]["u"] == 0.5
    assert spec["params"] == [{"name": "position", "value": 1}]


def test_rings_are_widest_for_the_first_series() -> None:
    points = [(float(step), 1.0 / (step + 1)) for step in range(100)]
    spec = rings([Series("4", points), Series("1", points)], "loss", 100).to_dict()
    sizes = spec["layer"][1]["encoding"]["size"]["scale"]

    assert sizes["domain"] == ["4", "1"]
    assert sizes["range"][0] > sizes["range"][1]
    assert len(values(spec["layer"][1])) < 2 * 20


def test_a_picture_of_the_same_numbers_is_made_once_and_one_of_others_anew() -> None:
    made = []

    def draw(numbers: np.ndarray, *, twice: bool = False) -> Drawn:
        made.append(twice)
        return Drawn(numbers * (1 + twice))

    first = charts.kept(draw, np.array([1.0, 2.0]))
    assert charts.kept(draw, np.array([1.0, 2.0])) is first
    assert charts.kept(draw, np.array([1.0, 2.5])) == {"values": [1.0, 2.5]}
    assert charts.kept(draw, np.array([1.0, 2.0]), twice=True) == {"values": [2.0, 4.0]}
    assert made == [False, False, True]


@dataclass
class Drawn:
    numbers: np.ndarray

    def to_dict(self, validate: bool) -> dict[str, Any]:
        assert not validate
        return {"values": self.numbers.tolist()}
