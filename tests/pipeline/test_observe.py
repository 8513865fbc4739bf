"""What is said of an epoch is what its numbers say."""

from __future__ import annotations

import math

import pytest

from pipeline.observe import Numbers, observe


def said(before, now, accuracy=(0.5, 0.5), held_out=(None, None)):
    return observe(
        Numbers(before, accuracy[0], held_out[0], None),
        Numbers(now, accuracy[1], held_out[1], None),
    )


def test_the_first_epoch_is_a_starting_point():
    text = observe(None, Numbers(0.6931, 0.5, None, None))
    assert text == "Starting point: loss 0.693, accuracy 0.50."


@pytest.mark.parametrize("now", [0.9, 0.5, 0.001, 0.0])
def test_a_smaller_loss_fell(now):
    assert said(1.0, now).startswith("Loss fell by ")


@pytest.mark.parametrize("now", [1.01, 2.0, 1e30])
def test_a_larger_loss_rose(now):
    assert said(1.0, now).startswith("Loss rose by ")


@pytest.mark.parametrize("now", [1.0, 1.004, 0.996])
def test_about_the_same_loss_is_level(now):
    assert said(1.0, now).startswith("Loss is level at ")


@pytest.mark.parametrize("share", [0.02, 0.1, 0.25, 0.5, 0.99])
def test_the_change_is_told_in_percent(share):
    assert f"fell by {100 * share:.0f}%" in said(2.0, 2.0 * (1 - share))
    assert f"rose by {100 * share:.0f}%" in said(2.0, 2.0 * (1 + share))


@pytest.mark.parametrize("loss", [None, math.nan, math.inf])
def test_a_loss_that_is_no_number_is_said_with_a_remedy(loss):
    text = said(1.0, loss)
    assert "no longer a number" in text
    assert "Lower the learning rate" in text


@pytest.mark.parametrize("loss", [None, math.nan, math.inf])
def test_a_loss_after_one_that_was_no_number_is_a_starting_point(loss):
    assert said(loss, 1.0).startswith("Starting point: loss 1")


@pytest.mark.parametrize(
    "before, now, words",
    [
        (0.5, 0.7, "accuracy rose to 0.70"),
        (0.7, 0.5, "accuracy fell to 0.50"),
        (0.5, 0.501, "accuracy about the same at 0.50"),
    ],
)
def test_accuracy_is_told_beside_the_loss(before, now, words):
    assert words in said(1.0, 0.5, accuracy=(before, now))


@pytest.mark.parametrize("pair", [(None, 0.5), (0.5, None), (math.nan, 0.5), (0.5, math.nan)])
def test_nothing_is_said_of_an_accuracy_that_is_not_there(pair):
    text = said(1.0, 0.5, accuracy=pair)
    assert "accuracy" not in text
    assert "nan" not in text


def test_a_held_out_loss_that_rises_while_the_other_falls_is_pointed_out():
    assert "On held-out rows it rose" in said(1.0, 0.5, held_out=(1.0, 1.2))


def test_a_held_out_loss_that_falls_while_the_other_rises_is_pointed_out():
    assert "On held-out rows it still fell" in said(0.5, 1.0, held_out=(1.2, 1.0))


@pytest.mark.parametrize("held_out", [(1.0, 0.8), (None, None), (1.0, None), (math.nan, 1.0)])
def test_a_held_out_loss_that_agrees_or_is_missing_is_not_mentioned(held_out):
    assert "held-out" not in said(1.0, 0.5, held_out=held_out)


def test_a_loss_of_nought_does_not_divide_by_nought():
    assert said(0.0, 0.0).startswith("Loss is level")
    assert said(0.0, 1.0).startswith("Loss rose")
