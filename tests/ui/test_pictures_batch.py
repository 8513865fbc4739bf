"""Distribute's pictures: every square has its own place, and nothing leaves the frame."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pipeline import distribute
from pipeline.distribute import Use
from ui import pictures_batch
from ui.pictures_batch import NARROW, SQUARES, batch_cut, grid_of, strip_of_uses

SIZES = (1, 2, 3, 7, 16, 33, 100, 256, 511, 512)


@pytest.mark.parametrize("replicas", range(1, 9))
@pytest.mark.parametrize("rows", SIZES)
def test_squares_keep_their_distance_before_and_after_the_cut(rows, replicas):
    counts = distribute.shares(rows, replicas)
    grid = grid_of(counts)
    dealt = {(n % grid.pile, grid.head + n // grid.pile) for n in range(rows)}
    cut = set()
    for replica, count in enumerate(counts):
        left, top = grid.corner(replica)
        cut |= {(left + k % grid.wide, top + k // grid.wide) for k in range(count)}
    assert len(dealt) == len(cut) == rows
    for x, y in dealt | cut:
        assert 0 <= x <= grid.across - 1 + 1e-9
        assert grid.head - 1e-9 <= y <= grid.down - 1 + 1e-9
    for one in cut:
        for other in cut - {one}:
            assert max(abs(one[0] - other[0]), abs(one[1] - other[1])) > 1 - 1e-9
        if len(cut) > 64:
            break


@pytest.mark.parametrize("replicas", range(2, 9))
def test_heads_have_room_for_their_text_on_a_phone(replicas):
    for rows in SIZES:
        grid = grid_of(distribute.shares(rows, replicas))
        assert grid.pitch * NARROW / grid.across > 80


@pytest.mark.parametrize("rows, replicas", [(256, 2), (5_000, 3), (100_000, 8), (3, 8), (513, 4)])
def test_the_squares_stand_for_the_rows_of_the_batch(rows, replicas):
    order = np.random.default_rng(0).permutation(rows)
    pieces = distribute.cut(order, replicas)
    mine = int(pieces[1][len(pieces[1]) // 2])
    drawn = batch_cut(pieces, mine).to_dict()["layer"][0]["data"]["values"]
    per_square = pictures_batch.squares_of(rows)

    assert len(drawn) <= SQUARES + replicas
    for replica, piece in enumerate(pieces):
        of_replica = [square for square in drawn if square["r"] == replica]
        assert len(of_replica) == math.ceil(len(piece) / per_square)
        assert [square["row"] for square in of_replica] == piece[::per_square].tolist()
    (ringed,) = (square for square in drawn if "mine" in square)
    assert ringed["r"] == 1


def test_a_batch_without_your_row_has_no_ring():
    pieces = distribute.cut(np.arange(10), 2)
    drawn = batch_cut(pieces, 99).to_dict()["layer"][0]["data"]["values"]
    assert not any("mine" in square for square in drawn)


def test_the_strip_counts_steps_within_their_epoch():
    spec = strip_of_uses([Use(1, 13, 1), Use(2, 71, 0)], 3, 40, 2).to_dict()
    marks = spec["layer"][1]["data"]["values"]
    assert [(mark["epoch"], mark["step"], mark["who"]) for mark in marks] == [
        (1, 13, "R1"),
        (2, 31, "R0"),
    ]
    assert [lane["epoch"] for lane in spec["layer"][0]["data"]["values"]] == [1, 2, 3]


@pytest.mark.parametrize("steps", [1, 2, 3, 17, 40, 400, 10_000, 100_000])
def test_the_strip_has_a_tick_at_the_first_and_the_last_step_and_few_between(steps):
    spec = strip_of_uses([Use(1, 1, 0)], 1, steps, 1).to_dict()
    ticks = spec["layer"][1]["encoding"]["x"]["axis"]["values"]
    assert ticks[0] == 1
    assert ticks[-1] == steps
    assert len(ticks) <= 12
