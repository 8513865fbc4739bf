"""The four-row example against the numbers one gets by hand."""

from __future__ import annotations

import pytest

from pipeline import paper


def test_one_step_by_hand():
    step = paper.step()
    assert step.rows == ((1, 2), (3, 4))
    # (1*1-2)*1 = -1 and (1*2-2)*2 = 0 on R0; (3-2)*3 = 3 and (4-2)*4 = 8 on R1; over 4 rows.
    assert step.parts == (-0.25, 2.75)
    assert step.total == 2.5
    assert step.after == pytest.approx(0.75)


def test_alone_the_copies_part():
    assert paper.alone(0, 1) == pytest.approx(1.05)
    assert paper.alone(1, 1) == pytest.approx(0.45)


def test_averaging_once_agrees_and_averaging_after_two_steps_does_not():
    assert paper.averaged(1) == pytest.approx(paper.step().after)
    assert paper.averaged(2) == pytest.approx(0.8375)
    assert paper.step(paper.step().after).after == pytest.approx(0.6875)
