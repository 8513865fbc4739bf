"""One row over its columns' ranges: what is drawn is what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import datasets, preprocess
from ui import pictures_rows


def drawn(low, high, row):
    low, high, row = (np.array(values, dtype=np.float32) for values in (low, high, row))
    scaled = preprocess.MinMax(low, high).apply(row)
    names = [f"c{n}" for n in range(len(row))]
    spec = pictures_rows.row_over_ranges(names, row, scaled, low, high).to_dict()
    return spec, spec["layer"][0]["data"]["values"]


def test_dots_and_bars_lie_on_one_axis_before_and_on_their_own_after():
    _, rows = drawn([0, -10], [10, 30], [5, 0])
    assert [row["dot"] for row in rows] == pytest.approx([15 / 40, 10 / 40])
    assert [row["start"] for row in rows] == pytest.approx([10 / 40, 0])
    assert [row["end"] for row in rows] == pytest.approx([20 / 40, 1])
    assert [row["scaled"] for row in rows] == pytest.approx([0.5, 0.25])
    assert [row["goal"] for row in rows] == [1, 1]


def test_a_column_that_never_changes_ends_as_a_dot_at_zero():
    _, rows = drawn([0, 7], [10, 7], [5, 7])
    assert (rows[1]["scaled"], rows[1]["goal"]) == (0, 0)


def test_a_table_of_constants_is_drawn_too():
    _, rows = drawn([7, 7], [7, 7], [7, 7])
    assert all(np.isfinite([row["dot"], row["start"], row["end"]]).all() for row in rows)


@pytest.mark.parametrize("count", [1, 2, 24, 25, 64, 499])
def test_at_most_two_dozen_columns_are_drawn_the_first_and_last_among_them(count):
    index = pictures_rows.spread(count)
    assert len(index) == min(count, 24)
    assert index[0] == 0
    assert index[-1] == count - 1
    assert index == sorted(set(index))


def test_the_axis_holds_the_columns_that_are_drawn():
    data = datasets.load("breast-cancer")
    scaler = preprocess.fit(data.x_train)
    index = pictures_rows.spread(30)
    spec, rows = drawn(scaler.low, scaler.high, data.x_train[0])
    assert [row["column"] for row in rows] == [f"c{i}" for i in index]
    ends = [row["start"] for row in rows] + [row["end"] for row in rows]
    assert (min(ends), max(ends)) == (0, 1)
    labels = [tick["label"] for tick in spec["layer"][3]["data"]["values"] if tick["stage"] == 0]
    assert labels[0] == f"{scaler.low[index].min():.4g}"
    assert labels[-1] == f"{scaler.high[index].max():.4g}"


def test_the_still_picture_rests_as_loaded_and_the_moving_one_scaled():
    data = datasets.load("synthetic")
    scaler = preprocess.fit(data.x_train)
    row = data.x_train[0]
    given = (data.features, row, scaler.apply(row), scaler.low, scaler.high)
    for last in (0, 1):
        spec = pictures_rows.row_over_ranges(*given, last=last).to_dict()
        assert spec["params"] == [{"name": "position", "value": last}]


def test_a_digit_is_drawn_pixel_by_pixel():
    row = datasets.load("digits").x_train[3]
    squares = pictures_rows.pixels(row).to_dict()["data"]["values"]
    image = np.zeros((8, 8))
    for square in squares:
        image[square["y"], square["x"]] = square["ink"]
    assert np.array_equal(image, row.reshape(8, 8))
