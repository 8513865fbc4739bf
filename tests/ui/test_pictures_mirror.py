"""Mirror's pictures hold the numbers they are given."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.mirror_answer import MirrorAnswer, Needs, Variable
from ui.pictures_mirror import FEATURES, bytes_on_device, copies, kilobytes, shown_features

NUMBERS = np.random.default_rng(3).normal(size=(6, 64)).astype(np.float32)


def answer(replicas: int, matrix=NUMBERS, other=None) -> MirrorAnswer:
    held = tuple(matrix if other is None or k == 0 else other for k in range(replicas))
    devices = tuple(f"/device:CPU:{k}" for k in range(replicas))
    return MirrorAnswer(
        inside=Variable("MirroredVariable", devices, held, other is None),
        outside=Variable("ResourceVariable", devices[:1], (matrix,), True),
        weights=(1,),
        optimizer=(1,),
        gradients=1,
        activations_per_row=1,
        versions={},
    )


def drawn(spec):
    """The matrix of each copy, from the first layer's records."""
    records = spec["layer"][0]["data"]["values"]
    copies = sorted({k for record in records for k in record["k"]})
    return {k: [record["v"] for record in records if k in record["k"]] for k in copies}


@pytest.mark.parametrize("replicas", [1, 2, 3, 8])
def test_each_replica_has_a_panel_with_its_copy(replicas):
    spec = copies(answer(replicas), list("abcdef")).to_dict()
    found = drawn(spec)
    assert list(found) == list(range(replicas))
    for matrix in found.values():
        np.testing.assert_allclose(matrix, NUMBERS, atol=5e-5)


def test_identical_copies_travel_once():
    one, eight = (len(copies(answer(n), list("abcdef")).to_json()) for n in (1, 8))
    assert eight < 1.3 * one


def test_copies_that_differ_are_drawn_each_for_itself():
    found = drawn(copies(answer(2, other=NUMBERS + 1), list("abcdef")).to_dict())
    np.testing.assert_allclose(found[0], NUMBERS, atol=5e-5)
    np.testing.assert_allclose(found[1], NUMBERS + 1, atol=1e-4)


def test_of_a_wide_table_some_columns_are_drawn_the_first_and_the_last_among_them():
    assert shown_features(FEATURES) == list(range(FEATURES))
    shown = shown_features(500)
    assert (shown[0], shown[-1], len(shown)) == (0, 499, FEATURES)


def test_a_column_name_with_markup_stays_data():
    name = "<img src=x onerror=alert(1)>"
    spec = copies(answer(2), [name] * 6).to_dict()
    assert {record["column"] for record in spec["layer"][0]["data"]["values"]} == {name}


def test_bars_are_the_parts_and_their_labels_the_sums():
    needs = [Needs(n, 8 // n, 1_000, 2_000, 3_000, 64_000 // n) for n in (1, 2, 4)]
    spec = bytes_on_device(needs, 2).to_dict()
    bars = spec["layer"][0]["data"]["values"]
    for one in needs:
        heights = [bar["kB"] for bar in bars if bar["replicas"] == one.replicas]
        assert sum(heights) == pytest.approx(one.total / 1000)
        assert len(heights) == 4
    labels = {t["replicas"]: t["label"] for t in spec["layer"][1]["data"]["values"]}
    assert labels == {1: "70.0", 2: "38.0", 4: "22.0"}


@pytest.mark.parametrize(
    "count, text", [(13_828, "13.8"), (119_808, "120"), (12, "0.012"), (4_700_000, "4,700")]
)
def test_bytes_are_told_in_thousands(count, text):
    assert kilobytes(count) == text
