"""Times and counts as people write them."""

from __future__ import annotations

import pytest

from ui import typed_numbers


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("180 ms", 0.18),
        ("0.18s", 0.18),
        (" 1,390 ms ", 1.39),
        ("75us", 75e-6),
        ("75 µs", 75e-6),
        ("2 min", 120),
        ("1.5 S", 1.5),
    ],
)
def test_a_time_has_a_unit(text, seconds):
    assert typed_numbers.seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "180", "ms", "-5 ms", "0 ms", "fast", "1 s 2 ms", "1e999 s", "<b>1 s</b>"]
)
def test_what_is_no_time_above_zero_is_refused(text):
    assert typed_numbers.seconds(text) is None


@pytest.mark.parametrize(
    "text, count",
    [("3457", 3457), ("25.6 M", 25.6e6), ("1.3b", 1.3e9), ("16,384", 16384), ("2 k", 2000)],
)
def test_a_count_may_be_in_thousands_millions_and_billions(text, count):
    assert typed_numbers.count(text) == pytest.approx(count)


@pytest.mark.parametrize("text", ["", "0", "-3", "many", "3 MB", "1e999"])
def test_what_is_no_count_is_refused(text):
    assert typed_numbers.count(text) is None
