"""The three proofs: they hold for a right step, and each fails for its own kind of wrong one."""

from __future__ import annotations

import math

import pytest

SUM, ALONE, COPIES = "sum_equals_all_reduced", "equals_single_device", "replicas_identical"


@pytest.fixture
def verdict(observed):
    seen = observed("checks")
    return lambda name: {check: result["ok"] for check, result in seen[name].items()}


def test_a_right_step_passes_all_three(verdict):
    assert verdict("right") == {SUM: True, ALONE: True, COPIES: True}


def test_gradients_that_do_not_add_up_are_found(verdict):
    assert verdict("sum") == {SUM: False, ALONE: True, COPIES: True}


def test_a_gradient_halved_on_every_replica_is_found(verdict):
    assert verdict("halved") == {SUM: True, ALONE: False, COPIES: True}


def test_copies_that_differ_in_one_bit_are_found(verdict):
    assert verdict("copies") == {SUM: True, ALONE: True, COPIES: False}


def test_a_run_without_all_reduce_is_asked_about_its_copies_only(verdict):
    assert verdict("apart") == {COPIES: False}


@pytest.mark.parametrize("name", ["nan", "nan, then right", "right, then nan"])
def test_a_difference_that_is_no_number_is_never_forgotten(verdict, observed, name):
    assert verdict(name)[SUM] is False
    assert math.isnan(observed("checks")[name][SUM]["max_abs_diff"])


def test_the_largest_difference_between_copies_is_measured(observed):
    assert observed("checks")["apart"][COPIES]["max_abs_diff"] == 0.5
