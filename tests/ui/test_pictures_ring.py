"""The moving picture of an all-reduce holds what the arrays hold."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pipeline.collectives import all_to_one, carry_out, ring
from pipeline.dealt_step import strongest
from ui.pictures_ring import SUM, bytes_by_replicas, moves, power_of, shown_number

CELLS, STRIPS, NUMBERS, ARROWS, TOKENS, NAMES, LABELS, BARS = range(8)
"""The picture's layers."""


def done(plan, devices, size=29):
    own = np.random.default_rng(devices).normal(size=(devices, size)).astype("f4")
    return carry_out(plan, list(own))


def layers(plan, devices, size=29):
    reduced = done(plan, devices, size)
    followed = strongest(reduced.result[0], reduced.bounds)
    picture = moves(reduced, followed, -1, int(reduced.sent[-1].max()), plan is ring)
    spec = picture.to_dict(validate=devices == 3)  # Altair's check of a large one takes a second
    assert "NaN" not in json.dumps(spec)
    return reduced, followed, [layer["data"]["values"] for layer in spec["layer"]], spec


@pytest.mark.parametrize("plan", [all_to_one, ring])
@pytest.mark.parametrize("devices", [2, 3, 8])
def test_at_every_position_each_cell_shows_its_own_value_and_whose_parts_it_holds(plan, devices):
    reduced, followed, drawn, _ = layers(plan, devices)

    for at, held in enumerate(reduced.buffers):
        shown = [row["value"] for row in drawn[NUMBERS] if row["begin"] <= at < row["end"]]
        assert shown == [held[d, value] for d in range(devices) for value in followed]
        parts = [begin <= at for row in drawn[STRIPS] for begin in row["at"]]
        assert parts == reduced.parts[at].ravel().tolist()
        whole = sum(row["whole"] <= at for row in drawn[CELLS])
        assert whole == reduced.whole[at].sum()


@pytest.mark.parametrize("plan", [all_to_one, ring])
@pytest.mark.parametrize("devices", [2, 3, 8])
def test_what_travels_starts_and_ends_in_the_columns_of_its_move(plan, devices):
    reduced, _, drawn, _ = layers(plan, devices)
    sends = [(at, send) for at, move in enumerate(reduced.moves) for send in move.sends]

    assert len(drawn[TOKENS]) == len(sends)
    for row, (at, send) in zip(drawn[TOKENS], sends, strict=True):
        assert (row["at"], int(row["x0"]), int(row["x1"])) == (at, send.sender, send.receiver)
        assert row["wraps"] == (plan is ring and send.sender == devices - 1)
        one = reduced.parts[at, send.sender, send.chunk].sum() == 1
        assert (row["who"] == SUM) != one
    got = sorted((at, row["who"], row["chunk"]) for row in drawn[CELLS] for at in row["got"])
    assert got == sorted((at + 1, f"R{send.receiver}", send.chunk + 1) for at, send in sends)


def test_the_bars_are_the_bytes_each_replica_has_sent():
    reduced, _, drawn, _ = layers(all_to_one, 4)

    assert [row["sent"] for row in drawn[BARS]] == reduced.sent.T.tolist()


def test_an_empty_chunk_has_cells_but_no_number():
    _, followed, drawn, _ = layers(ring, 5, size=3)

    assert followed[3:] == [None, None]
    assert len(drawn[CELLS]) == 25
    assert {row["size"] for row in drawn[CELLS] if row["chunk"] > 3} == {0}
    assert max(row["y"] for row in drawn[NUMBERS]) < max(row["y"] for row in drawn[CELLS])


def test_colours_are_those_of_the_replicas_and_a_sum_is_ink():
    *_, spec = layers(ring, 3)
    scale = spec["layer"][TOKENS]["encoding"]["color"]["scale"]

    assert scale["domain"] == ["R0", "R1", "R2", SUM]
    assert scale["range"] == ["$R0", "$R1", "$R2", "$ink"]


def test_the_chart_of_bytes_has_a_point_for_every_count_and_the_rule():
    spec = bytes_by_replicas({"a": {2: 4000, 3: 8000}, "b": {2: 4000, 3: 5000}}, "a", "two", 8000)
    drawn = [layer["data"]["values"] for layer in spec.to_dict()["layer"]]

    assert drawn[0][0]["kB"] == 8
    assert [(row["method"], row["replicas"], row["kB"]) for row in drawn[2]] == [
        ("a", 2, 4.0), ("a", 3, 8.0), ("b", 2, 4.0), ("b", 3, 5.0)]  # fmt: skip


@pytest.mark.parametrize(
    "value, power, text",
    [(0.0501, -3, "50.1"), (-0.0501, -3, "−50.1"), (-0.00004, -3, "0.0"), (712.0, 1, "71.2")],
)
def test_a_value_is_told_with_one_decimal_in_its_unit(value, power, text):
    assert shown_number(value, power) == text


@pytest.mark.parametrize(
    "values, power", [([0.056, -0.001], -3), ([0.0], 0), ([], 0), ([712.0], 1)]
)
def test_the_unit_leaves_two_digits_before_the_point(values, power):
    assert power_of(values) == power
