"""The scaling model against the same formula written another way, and against its own limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.scaling_model import BACKWARD, Link, Setup

SETUP = Setup(
    batch=256,
    step_seconds=0.2,
    parameters=25e6,
    link=Link(25e9, 5e-6),
    reached=0.8,
    hidden=0.5,
    fixed=0.02,
    again=0.5,
)


def by_hand(setup: Setup, n: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Seconds of a step, counted chunk by chunk: 2(n-1) moves of a chunk of size/n each."""
    compute = (setup.step_seconds - setup.fixed) * rows / setup.batch
    chunk = 4 * setup.parameters / n
    move = chunk / (setup.reached * setup.link.bandwidth) + setup.link.latency
    ring = 2 * (n - 1) * move
    waiting = np.maximum(ring * (1 - setup.hidden), ring - BACKWARD * compute)
    return compute + waiting + setup.fixed + setup.again * setup.fixed * (n - 1)


@pytest.mark.parametrize("hidden", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("weak", [False, True])
def test_a_step_takes_what_counting_chunk_by_chunk_gives(weak, hidden):
    setup = replace(SETUP, hidden=hidden)
    n = np.arange(1, 65)
    rows = np.full(64, 256) if weak else -(-256 // n)
    got = [setup.scaled(int(count), weak=weak).seconds for count in n]
    np.testing.assert_allclose(got, by_hand(setup, n, rows))


def test_one_device_takes_what_was_measured_whatever_is_assumed():
    for setup in (SETUP, replace(SETUP, hidden=0.0), replace(SETUP, again=1.0, reached=0.1)):
        assert setup.scaled(1, weak=False).seconds == pytest.approx(0.2)
        assert setup.speed_up(1, weak=True) == pytest.approx(1.0)


def test_without_exchange_and_overhead_the_speed_up_is_ideal():
    setup = replace(SETUP, parameters=0, fixed=0.0, link=Link(1e9, 0.0))
    for count in (2, 4, 8):
        assert setup.speed_up(count, weak=False) == pytest.approx(count)
        assert setup.efficiency(count, weak=True) == pytest.approx(1.0)


def test_no_more_is_hidden_than_the_backward_pass_is_long():
    slow = replace(SETUP, link=Link(1e8, 0.0), hidden=1.0).step(4, 64)
    assert slow.hidden == pytest.approx(BACKWARD * slow.compute)
    assert slow.waiting > 0


def test_weak_scaling_is_never_worse_than_strong_scaling_of_the_same_step():
    for count in (2, 4, 8, 64):
        assert SETUP.speed_up(count, weak=True) >= SETUP.speed_up(count, weak=False)


def test_a_batch_smaller_than_the_devices_is_no_faster_than_one_row_each():
    assert SETUP.scaled(8, weak=False, batch=3).compute == pytest.approx(SETUP.row_seconds)


def test_the_crossover_is_where_more_devices_handle_fewer_rows_a_second():
    counts = (1, 2, 4, 8)
    for batch in (1, 8, 64, 512, 4096):
        speed = [SETUP.speed_up(count, weak=False, batch=batch) for count in counts]
        turns = [place for place in (1, 2, 3) if speed[place] < speed[place - 1]]
        expected = (counts[turns[0] - 1], counts[turns[0]]) if turns else None
        assert SETUP.crossover(counts, batch=batch) == expected


def test_the_batch_from_which_more_devices_pay_is_the_smallest_power_of_two():
    batch = SETUP.batch_needed(2, 4)
    assert batch is not None

    def faster(rows: int) -> bool:
        few, many = (SETUP.scaled(count, weak=False, batch=rows).seconds for count in (2, 4))
        return many < few

    assert faster(batch)
    assert not any(faster(2**power) for power in range(20) if 2**power < batch)
    assert replace(SETUP, link=Link(1.0, 0.0)).batch_needed(1, 2, most=1024) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch": 0},
        {"step_seconds": 0.0},
        {"parameters": -1},
        {"fixed": 0.3},
        {"reached": 0.0},
        {"hidden": 1.5},
        {"again": -0.1},
    ],
)
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="not"):
        replace(SETUP, **wrong)
