"""What a model that was trained under a strategy leaves in its file."""

from __future__ import annotations

import tempfile
import zipfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import (
    LABELS,
    ROWS,
    count,
    homes,
    listed,
    small_model,
    strategy_over,
)


@dataclass(frozen=True)
class FileSeen:
    """The file, and the model that was loaded from it without any strategy."""

    file: str
    holds: list[str]
    copies_when_saved: int
    copies_when_loaded: int
    predicts_the_same: bool

    def in_words(self) -> str:
        """The file, then the loaded model."""
        same = "the same" if self.predicts_the_same else "something else"
        return (
            f"Saved as {self.file} with {listed(self.holds)} in it, from "
            f"{count(self.copies_when_saved, 'copy')}. Loaded without a strategy it has "
            f"{count(self.copies_when_loaded, 'copy')} and predicts {same}."
        )


def saved_and_loaded(*, use_strategy: bool = True) -> FileSeen:
    """Train a little, save, load with no strategy anywhere, and compare the predictions."""
    strategy = strategy_over(2)
    with strategy.scope() if use_strategy else nullcontext():
        model = small_model()
        model.compile(optimizer="sgd", loss="mse")
    model.fit(ROWS[:64], LABELS[:64], verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        model.save(path)
        loaded = keras.saving.load_model(path)
        with zipfile.ZipFile(path) as parts:
            names = sorted(parts.namelist())
    return FileSeen(
        file=path.name,
        holds=names,
        copies_when_saved=len(homes(strategy, model)),
        copies_when_loaded=len(homes(strategy, loaded)),
        predicts_the_same=np.allclose(loaded(ROWS[:64]), model(ROWS[:64]), atol=1e-6),
    )


EXPERIMENTS = (
    Experiment(
        "saved-model-needs-strategy",
        claim="What the file of a trained model holds, and whether it loads without a strategy.",
        observe=saved_and_loaded,
        holds=None,
        control=Control("Train and save without a strategy.", {"use_strategy": False}),
    ),
)
