"""Sizes, counts and the worked example of Load and Normalise, against NumPy and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import datasets, preprocess, table_facts


def scaler_of(*columns):
    return preprocess.fit(np.array(columns, dtype=np.float32).T)


@pytest.mark.parametrize(
    "rows, columns, text",
    [
        (10_000, 20, "800 kB"),
        (128, 20, "10.2 kB"),
        (1, 1, "4 bytes"),
        (249, 1, "996 bytes"),
        (250, 1, "1 kB"),
        (3, 4, "48 bytes"),
        (100_000, 499, "200 MB"),
        (249_900, 1, "1 MB"),
        (1_000_000, 499, "1,996 MB"),
    ],
)
def test_a_size_is_told_with_three_digits(rows, columns, text):
    assert table_facts.size(rows, columns) == text


def test_the_size_is_that_of_the_values_in_memory():
    data = datasets.load("digits")
    assert table_facts.size(*data.x_train.shape) == f"{data.x_train.nbytes / 1000:.0f} kB"


@pytest.mark.parametrize("name", datasets.BUILT_IN)
def test_every_row_is_counted_in_its_class(name):
    data = datasets.load(name)
    for index, (told, training, held_out) in enumerate(table_facts.class_counts(data)):
        assert told == data.classes[index]
        assert training == np.sum(data.y_train == index)
        assert held_out == np.sum(data.y_validation == index)


def test_rows_beyond_the_training_range_are_counted_once_each():
    scaler = scaler_of([0, 10], [5, 6])
    rows = np.array([[5, 5.5], [-1, 7], [11, 5], [10, 6]], dtype=np.float32)
    assert table_facts.beyond_range(scaler, rows) == 2
    assert table_facts.beyond_range(scaler, rows[:0]) == 0


def test_the_example_is_the_column_that_moves_farthest():
    scaler = scaler_of([0, 100], [0, 10])
    row = np.array([60, 9], dtype=np.float32)
    found = table_facts.example(scaler, row, [0, 1])
    assert found is not None
    assert (found.column, found.low, found.high, found.value) == (1, 0, 10, 9)
    assert found.scaled == pytest.approx(0.9)
    assert found.beyond == 11
    assert found.scaled_beyond == pytest.approx(1.1)


def test_a_value_at_the_end_of_its_range_is_no_example_while_there_is_another():
    scaler = scaler_of([0, 100], [0, 10], [0, 10])
    row = np.array([60, 10, 1], dtype=np.float32)
    found = table_facts.example(scaler, row, [0, 1, 2])
    assert found is not None
    assert found.column == 2
    alone = table_facts.example(scaler, row, [1])
    assert alone is not None
    assert alone.scaled == 1


@pytest.mark.parametrize(
    "low, high, beyond",
    [
        (0, 10, 11),
        (-3, -1, -0.8),
        (0.05263, 0.1447, 0.154),
        (100, 5_000, 5_500),
        (0, 1e-20, 1.1e-20),
    ],
)
def test_the_value_beyond_lies_a_tenth_above_the_range_in_few_digits(low, high, beyond):
    scaler = scaler_of([low, high])
    found = table_facts.example(scaler, np.array([low], dtype=np.float32), [0])
    assert found is not None
    assert found.beyond == pytest.approx(beyond, rel=1e-6)
    by_hand = (found.beyond - found.low) / (found.high - found.low)
    assert found.scaled_beyond == pytest.approx(by_hand, rel=1e-6)
    assert found.scaled_beyond > 1.04


def test_a_table_without_a_column_that_can_serve_has_no_example():
    constant = scaler_of([7, 7], [0, 0])
    assert table_facts.example(constant, np.array([7, 0], dtype=np.float32), [0, 1]) is None
    largest = float(np.finfo(np.float32).max)
    to_the_top = scaler_of([0, largest])
    assert table_facts.example(to_the_top, np.array([0], dtype=np.float32), [0]) is None
    too_close = scaler_of([16_777_216, 16_777_218])
    assert table_facts.example(too_close, np.array([16_777_216], dtype=np.float32), [0]) is None


def test_the_largest_move_is_that_of_one_dot():
    scaled = np.array([0.5, 1], dtype=np.float32)
    assert table_facts.largest_move(scaled, np.array([0.25, 0.9])) == pytest.approx(0.25)
