"""One step under the strategy: what if one row were not there."""

from __future__ import annotations

import numpy as np


def flat(value):
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [value]


def test_rows_go_to_the_replicas_in_contiguous_pieces(observed):
    assert observed("left-out")["with"]["rows"] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_leaving_a_row_out_changes_the_gradient_of_its_own_replica(observed):
    seen = observed("left-out")
    assert flat(seen["with"]["own"][0]) != flat(seen["without"]["own"][0])


def test_leaving_a_row_out_does_not_change_the_other_replicas_gradient_at_all(observed):
    seen = observed("left-out")
    assert flat(seen["with"]["own"][1]) == flat(seen["without"]["own"][1])


def test_the_gradient_without_the_row_keeps_the_divisor(observed):
    seen = observed("left-out")
    for mine, expected in zip(seen["without"]["own"][0], seen["expected"], strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-6)


def test_leaving_a_row_out_changes_every_copy_alike(observed):
    seen = observed("left-out")
    with_row, without = seen["with"]["copies"], seen["without"]["copies"]
    assert with_row[0] == with_row[1]
    assert without[0] == without[1]
    assert with_row[0] != without[0]
