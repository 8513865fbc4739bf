"""Lines that Keras really printed, of several versions."""

from __future__ import annotations

import pytest

from pipeline import progress_lines
from pipeline.progress_lines import ProgressError

KERAS_2 = """
Epoch 1/5
195/195 [==============================] - 15s 79ms/step - loss: 2.4114 - accuracy: 0.2872
Epoch 2/5
195/195 [==============================] - 6s 28ms/step - loss: 1.5731 - accuracy: 0.4314
Epoch 3/5
195/195 [==============================] - 5s 28ms/step - loss: 1.3864 - accuracy: 0.4983
"""
"""Of https://github.com/sql-machine-learning/elasticdl/pull/918: two replicas on two P100."""
KERAS_3 = """
Epoch 1/2
\x1b[1m 1/40\x1b[0m \x1b[37m━━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m14s\x1b[0m 370ms/step - loss: 0.7
\x1b[1m40/40\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m1s\x1b[0m 3ms/step
Epoch 2/2
\x1b[1m40/40\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m0s\x1b[0m 2ms/step
"""


def test_the_first_epoch_holds_the_tracing_and_is_left_out():
    found = progress_lines.read(KERAS_2)
    assert [epoch.steps for epoch in found.epochs] == [195, 195, 195]
    assert found.steady == pytest.approx(0.028)
    assert found.first_slower == pytest.approx(15 / 195 / 0.028, rel=0.04)
    assert not found.only_one


def test_lines_of_keras_3_are_read_with_their_colours_and_without_the_unfinished_ones():
    found = progress_lines.read(KERAS_3)
    assert [epoch.step_seconds for epoch in found.epochs] == [0.003, 0.002]
    assert found.rounding == pytest.approx(0.0005)


def test_a_line_without_the_time_of_a_step_gives_it_through_its_steps():
    lines = """
    1464/1464 [==============================] - 3943s - loss: 3.9262 - acc: 0.0528
    1464/1464 [==============================] - 239s - loss: 3.3120 - acc: 0.1481
    """
    found = progress_lines.read(lines)
    assert found.steady == pytest.approx(239 / 1464)
    assert found.first_slower == pytest.approx(3943 / 239)


@pytest.mark.parametrize(
    "line, seconds",
    [
        ("350/350 [=====] - 120s 342ms/step", 120 / 350),
        ("1000/1000 [=====] - 115s 115ms/step - loss: 66.3670", 0.115),
        ("8/8 [=====] - 17s 2s/step", 17 / 8),
        ("60000/60000 [=====] - 5s 75us/step", 75e-6),
    ],
)
def test_the_finer_of_the_two_times_of_a_line_counts(line, seconds):
    assert progress_lines.read(line).steady == pytest.approx(seconds, rel=0.01)


@pytest.mark.parametrize("text", ["", "loss 0.3", "12/40 [====>....] - ETA: 3s", "0/0 [] - 1s"])
def test_text_without_a_finished_epoch_is_refused_with_an_example(text):
    with pytest.raises(ProgressError, match="350/350"):
        progress_lines.read(text)
