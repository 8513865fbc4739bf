"""The prediction trace's pictures hold the numbers they are given, each in its replica's lane."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from pipeline.prediction import Prediction, Row
from ui.pictures_prediction import COLUMNS, UNITS, calls, chances, lanes_of, through_layers

WIDE = (20, 64, 32)


def made(counts, outputs=1, columns=20) -> Prediction:
    """A prediction of random numbers, with these rows by call and replica."""
    rows = sum(map(sum, counts))
    rng = np.random.default_rng(4)
    layers = tuple(
        rng.normal(size=(rows, units)).astype(np.float32) for units in (columns, *WIDE[1:], outputs)
    )
    shapes = tuple(
        tuple(tuple((rows, layer.shape[1]) for layer in layers) for rows in call) for call in counts
    )
    return Prediction(128, layers, layers[-1], shapes, 0.0, 0.0, {})


SHARES = {
    "two": [[16, 16], [16, 16]],
    "uneven": [[16, 16], [16, 16], [1, 0]],
    "eight": [[4] * 8, [4] * 8, [1, *[0] * 7]],
    "alone": [[1, 0, 0]],
    "one device": [[32], [32]],
}


def cells(spec):
    """The records of the heat map, by column and row."""
    for layer in spec["layer"]:
        records = layer["data"]["values"]
        if records and "v" in records[0]:
            return {(record["c"], record["row"]): record for record in records}
    raise AssertionError("no cells are drawn")


@pytest.mark.parametrize("counts", SHARES.values(), ids=SHARES)
def test_every_activation_is_drawn_once_in_the_lane_of_its_replica(counts):
    found = made(counts, outputs=10)

    drawn = cells(through_layers(found, 0, "your row").to_dict(validate=False))

    assert len(drawn) == found.rows * len(COLUMNS)
    for column, layer in enumerate([*found.layers, found.predicted]):
        for place in range(found.rows):
            record = drawn[column, 128 + place]
            np.testing.assert_allclose(record["v"], layer[place], rtol=6e-3)
            assert record["who"] == f"R{found.piece_of(place).replica}"


@pytest.mark.parametrize("counts", SHARES.values(), ids=SHARES)
def test_no_two_rows_lie_on_each_other_and_names_stay_clear_of_rows(counts):
    found = made(counts)
    lanes = lanes_of(found)

    for tops in (sorted(lanes.rows), [lanes.gathered + i * lanes.row for i in range(found.rows)]):
        assert all(b - a >= lanes.row - 1e-6 for a, b in pairwise(tops))
        assert tops[-1] + lanes.row <= lanes.height
    for name in lanes.names:
        assert not any(name - 12 < top + lanes.row and top < name for top in lanes.rows)
    assert all(b - a >= 16 for a, b in pairwise(lanes.names))


def test_the_pieces_of_one_replica_lie_apart_so_that_calls_can_be_told():
    lanes = lanes_of(made([[2, 2], [2, 2]]))
    first, second = lanes.rows[1], lanes.rows[4]
    assert second - first > lanes.row + 3


def test_a_wide_table_is_drawn_in_part_with_its_first_and_last_column():
    found = made([[2, 1]], columns=500)
    spec = through_layers(found, 1, "your row").to_dict()  # with Altair's own check
    drawn = cells(spec)[0, 129]["v"]
    assert len(drawn) == UNITS
    np.testing.assert_allclose(drawn[0], found.layers[0][1, 0], rtol=6e-3)
    np.testing.assert_allclose(drawn[-1], found.layers[0][1, -1], rtol=6e-3)
    assert "× 500" in json.dumps(spec, ensure_ascii=False)


def test_only_the_lane_of_the_row_names_it_and_a_lane_without_rows_says_so():
    spec = through_layers(made([[1, 0, 0]]), 0, "row 128").to_json(ensure_ascii=False)
    assert spec.count("has row 128") == 1
    assert "R0 · 1 row · has row 128" in spec
    assert "R2 · no rows" in spec


@pytest.mark.parametrize(
    "counts, told",
    [
        ([16, 16], "16 rows, twice"),
        ([32], "32 rows"),
        ([1], "1 row"),
        ([0], "no rows"),
        ([16, 15], "16 + 15 rows"),
        ([16, 16, 1], "16 + 16 + 1 rows"),
        ([4, 4, 4], "4 rows, 3 times"),
    ],
)
def test_a_replicas_calls_in_words(counts, told):
    assert calls(counts) == told


def test_a_point_for_each_row_and_wrong_ones_have_another_shape():
    rows = [Row(0, 0, 1, 1, 0.9), Row(1, 0, 0, 1, 0.2), Row(2, 1, 0, 0, 0.6)]
    spec = chances(rows, 1, "row 129").to_dict()
    points = next(layer for layer in spec["layer"] if "shape" in layer["encoding"])
    data = spec.get("data") or points["data"]
    values = data.get("values") or spec["datasets"][data["name"]]
    assert [(p["place"], p["probability"], p["what"]) for p in values] == [
        (0, 0.9, "right"),
        (1, 0.2, "wrong"),
        (2, 0.6, "right"),
    ]
