"""All to one and ring against NumPy's sum, and their bytes against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.collectives import (
    VALUE_BYTES,
    all_to_one,
    busiest,
    carry_out,
    chunk_bounds,
    ring,
    ring_bytes,
    ring_seconds,
)

BOTH = pytest.mark.parametrize("plan", [all_to_one, ring])
COUNTS = range(2, 9)
SIZES = (0, 1, 3, 7, 8, 13, 840, 3457)
"""840 divides evenly by all of 2 to 8; with fewer values than devices some chunks are empty."""


def gradients(devices, size, seed=0):
    return list(
        np.random.default_rng([seed, devices, size]).normal(size=(devices, size)).astype("f4")
    )


@BOTH
@pytest.mark.parametrize("devices", [1, *COUNTS])
@pytest.mark.parametrize("size", SIZES)
def test_every_device_ends_with_the_sum_that_numpy_gets(plan, devices, size):
    own = gradients(devices, size)
    done = carry_out(plan, own)

    np.testing.assert_allclose(done.result[0], np.sum(own, axis=0, dtype="f8"), atol=1e-5)
    assert {held.tobytes() for held in done.result} == {done.result[0].tobytes()}
    assert done.whole[-1].all()


@BOTH
@pytest.mark.parametrize("devices", COUNTS)
def test_at_every_position_a_chunk_is_the_sum_of_the_parts_it_is_said_to_hold(plan, devices):
    # Whole numbers, so that float32 adds them without rounding in any order.
    own = np.random.default_rng(devices).integers(-99, 99, size=(devices, 29)).astype("f4")
    done = carry_out(plan, list(own))

    for at, held in enumerate(done.buffers):
        for device in range(devices):
            for chunk in range(devices):
                values = slice(done.bounds[chunk], done.bounds[chunk + 1])
                parts = done.parts[at, device, chunk]
                np.testing.assert_array_equal(held[device, values], own[parts, values].sum(axis=0))


@BOTH
@pytest.mark.parametrize("devices", COUNTS)
def test_the_sum_is_there_after_twice_one_less_than_the_devices_and_not_before(plan, devices):
    done = carry_out(plan, gradients(devices, 40))
    off = done.off_by(np.sum(gradients(devices, 40), axis=0, dtype="f8"))

    assert len(done.moves) == 2 * (devices - 1)
    assert off[-1] < 1e-5
    assert (off[:-1] > 0.01).all()


@pytest.mark.parametrize("devices", COUNTS)
def test_half_way_each_device_of_a_ring_has_one_whole_chunk_of_its_own(devices):
    half = carry_out(ring, gradients(devices, 40)).whole[devices - 1]

    assert half.sum(axis=0).tolist() == half.sum(axis=1).tolist() == [1] * devices


@pytest.mark.parametrize("devices", COUNTS)
def test_in_a_ring_everyone_sends_one_chunk_to_the_next_in_every_move(devices):
    for move in ring(devices):
        assert sorted(send.sender for send in move.sends) == list(range(devices))
        assert all(send.receiver == (send.sender + 1) % devices for send in move.sends)


@pytest.mark.parametrize("devices", COUNTS)
def test_bytes_of_a_ring_are_the_closed_form_when_the_chunks_are_equal(devices):
    sent = carry_out(ring, gradients(devices, 840)).sent[-1]

    assert sent.tolist() == [ring_bytes(VALUE_BYTES * 840, devices)] * devices
    assert 2 * (devices - 1) * 840 * VALUE_BYTES == sent[0] * devices


@pytest.mark.parametrize("devices", COUNTS)
@pytest.mark.parametrize("size", SIZES)
def test_bytes_of_a_ring_are_all_chunks_twice_but_for_two_when_they_are_not(devices, size):
    chunks = [len(part) for part in np.array_split(np.arange(size), devices)]
    left_out = [chunks[(r + 1) % devices] + chunks[(r + 2) % devices] for r in range(devices)]
    expected = [VALUE_BYTES * (2 * size - few) for few in left_out]

    assert carry_out(ring, gradients(devices, size)).sent[-1].tolist() == expected
    assert busiest(ring, size, devices) == max(expected)
    assert abs(max(expected) - ring_bytes(VALUE_BYTES * size, devices)) < 2 * VALUE_BYTES


@pytest.mark.parametrize("devices", COUNTS)
def test_when_all_goes_to_one_that_one_sends_the_sum_to_each_of_the_others(devices):
    sent = carry_out(all_to_one, gradients(devices, 13)).sent[-1].tolist()

    assert sent == [(devices - 1) * 13 * VALUE_BYTES] + [13 * VALUE_BYTES] * (devices - 1)
    assert busiest(all_to_one, 13, devices) == sent[0]


@pytest.mark.parametrize("devices", COUNTS)
def test_over_one_link_a_move_of_the_ring_carries_an_nth_of_what_all_to_one_does(devices):
    chunk = 840 * VALUE_BYTES // devices
    for plan, chunks in ((all_to_one, devices), (ring, 1)):
        for move in plan(devices):
            links = [(send.sender, send.receiver) for send in move.sends]
            assert {chunk * links.count(link) for link in links} == {chunk * chunks}


def test_chunks_are_cut_as_numpy_cuts_an_array():
    for devices in (1, *COUNTS):
        for size in SIZES:
            parts = np.array_split(np.arange(size), devices)
            assert np.diff(chunk_bounds(size, devices)).tolist() == [len(part) for part in parts]


def test_seconds_of_a_ring_by_hand():
    # 4 devices, 8 GB over 2 GB/s: each sends 6 of 4 quarters, 12 GB, in 6 moves of 1 ms each.
    assert ring_seconds(8e9, 4, 2e9, 0.001) == pytest.approx(6 + 0.006)
    assert ring_seconds(8e9, 1, 2e9, 0.001) == 0


def test_seconds_never_reach_those_of_two_whole_tensors_without_latency():
    seconds = [ring_seconds(1e6, devices, 1e6, 0) for devices in range(1, 200)]
    assert seconds == sorted(seconds)
    assert seconds[-1] < 2


@pytest.mark.parametrize("devices, bandwidth", [(0, 1.0), (2, 0.0), (2, -1.0)])
def test_a_ring_without_devices_or_bandwidth_is_refused(devices, bandwidth):
    with pytest.raises(ValueError, match=f"not {devices} and {bandwidth}"):
        ring_seconds(1, devices, bandwidth, 0)


@pytest.mark.soak
def test_any_size_and_count_gives_the_sum_and_the_bytes():
    rng = np.random.default_rng(2)
    for seed in range(1000):
        devices, size = int(rng.integers(1, 17)), int(rng.integers(0, 300))
        for plan in (all_to_one, ring):
            own = gradients(devices, size, seed)
            done = carry_out(plan, own)
            expected = np.sum(own, axis=0, dtype="f8")
            for held in done.result:
                np.testing.assert_allclose(held, expected, atol=1e-4)
            assert done.sent[-1].max() == busiest(plan, size, devices)
