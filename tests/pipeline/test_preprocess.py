"""Min-max scaling, compared with arithmetic written out another way."""

from fractions import Fraction

import numpy as np
import pytest

from pipeline.preprocess import fit


def table(*rows):
    return np.array(rows, dtype=np.float32)


def exact(value, low, high):
    """The scaled value in exact rational arithmetic."""
    if low == high:
        return 0.0
    value, low, high = (Fraction(float(number)) for number in (value, low, high))
    return float((value - low) / (high - low))


def test_scaled_values_agree_with_exact_arithmetic():
    random = np.random.default_rng(1)
    x = (random.normal(0, 1, (50, 6)) * 10.0 ** np.arange(-3, 3)).astype(np.float32)
    other = (random.normal(0, 2, (20, 6)) * 10.0 ** np.arange(-3, 3)).astype(np.float32)
    scale = fit(x)
    for rows in (x, other):
        wanted = [[exact(v, min(c), max(c)) for v, c in zip(row, x.T, strict=True)] for row in rows]
        np.testing.assert_allclose(scale.apply(rows), wanted, rtol=1e-6, atol=1e-7)


def test_training_columns_span_zero_to_one_exactly():
    x = np.random.default_rng(2).uniform(0, 10, (100, 4)).astype(np.float32)
    scaled = fit(x).apply(x)
    assert scaled.dtype == np.float32
    assert scaled.shape == x.shape
    assert (scaled.min(axis=0) == 0).all()
    assert (scaled.max(axis=0) == 1).all()


def test_values_outside_the_training_range_follow_the_same_line():
    scale = fit(table([0], [10]))
    np.testing.assert_allclose(scale.apply(table([11], [-5])), [[1.1], [-0.5]], rtol=1e-6)


def test_a_constant_column_becomes_zero_even_for_other_values():
    scale = fit(table([7.5, 1], [7.5, 2]))
    assert scale.constant.tolist() == [True, False]
    assert scale.apply(table([7.5, 1], [900, 2])).tolist() == [[0, 0], [0, 1]]


def test_the_widest_float32_range_does_not_overflow():
    largest = np.finfo(np.float32).max
    scale = fit(table([-largest], [largest]))
    assert scale.apply(table([-largest], [0], [largest])).tolist() == [[0], [0.5], [1]]


def test_a_value_far_outside_a_tiny_range_stays_finite():
    tiny = np.finfo(np.float32).tiny
    assert np.isfinite(fit(table([0], [tiny])).apply(table([1e38], [-1e38]))).all()


def test_one_row_alone_can_be_scaled():
    assert fit(table([0, 0], [2, 4])).apply(table([1, 1])[0]).tolist() == [0.5, 0.25]


def test_no_rows_scale_to_no_rows():
    assert fit(table([0, 0], [2, 4])).apply(np.empty((0, 2), np.float32)).shape == (0, 2)


def test_another_number_of_columns_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"shape \(1, 3\).* 2 columns"):
        fit(table([0, 0], [2, 4])).apply(table([1, 1, 1]))


@pytest.mark.parametrize("shape", [(0, 3), (3,), (1, 2, 3)])
def test_fitting_needs_a_table_with_rows(shape):
    with pytest.raises(ValueError, match="at least one row"):
        fit(np.zeros(shape, np.float32))
