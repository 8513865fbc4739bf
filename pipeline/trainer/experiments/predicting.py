"""What comes out of `predict`, and which replica saw how many rows on the way."""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import ROWS, Probe, listed, strategy_over


@dataclass(frozen=True)
class PredictionSeen:
    """The shape that was printed, who predicted what, and whether the numbers are right."""

    printed: str
    rows_of_replicas: list[list[int]]
    """For each replica, the rows in each step."""
    equal_to_one_device: bool
    """Row by row the same as NumPy computes from the weights."""

    def in_words(self) -> str:
        """The shape, the rows, the comparison."""
        shares = listed([" + ".join(map(str, steps)) for steps in self.rows_of_replicas])
        same = "are" if self.equal_to_one_device else "are not"
        return (
            f"It printed {self.printed}. Rows that the replicas predicted: {shares}. "
            f"The results {same}, row by row, what one device gives."
        )


def prediction(*, method: str = "predict", rows: int = 64, swap: bool = False) -> PredictionSeen:
    """Give `rows` rows of 20 numbers to a model with 10 outputs on two replicas."""
    probe = Probe()
    strategy = strategy_over(2)
    with strategy.scope():
        model = keras.Sequential([probe, keras.layers.Dense(10, activation="softmax")])
        model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")

    inputs = ROWS[:rows]
    how = {"verbose": 0} if method == "predict" else {}
    predictions = getattr(model, method)(inputs, **how)
    if swap:
        predictions = predictions.T
    expected = softmax(inputs @ model.get_weights()[0] + model.get_weights()[1])
    return PredictionSeen(
        printed=str(predictions.shape),
        rows_of_replicas=probe.rows,
        equal_to_one_device=predictions.shape == expected.shape
        and np.allclose(predictions, expected, atol=1e-5),
    )


def softmax(values: np.ndarray) -> np.ndarray:
    """Each row as parts of 1."""
    raised = np.exp(values - values.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))


EXPERIMENTS = (
    Experiment(
        "predict-axes-swapped",
        claim="The shape is (10, 64): the outputs first, then the rows.",
        observe=prediction,
        holds=lambda seen: seen.printed == "(10, 64)",
        control=Control("Swap the axes of the result.", {"swap": True}),
    ),
    Experiment(
        "predict-one-share",
        claim="The shape is (32, 10): one replica's share of the 64 rows.",
        observe=prediction,
        holds=lambda seen: seen.printed == "(32, 10)",
        control=Control("Give it 32 rows.", {"rows": 32}),
    ),
    Experiment(
        "predict-doubles-rows",
        claim="The shape is (128, 10): every replica predicts every row.",
        observe=prediction,
        holds=lambda seen: seen.printed == "(128, 10)",
        control=Control(
            "Call `predict_on_batch`, which shares nothing out.", {"method": "predict_on_batch"}
        ),
    ),
    Experiment(
        "predict-keeps-rows",
        claim="The shape is (64, 10), and each row's result is what one device gives.",
        observe=prediction,
        holds=lambda seen: seen.printed == "(64, 10)" and seen.equal_to_one_device,
        control=Control(
            "Call `predict_on_batch`, which shares nothing out.", {"method": "predict_on_batch"}
        ),
    ),
)
