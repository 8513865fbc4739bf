"""What each device has to keep, whatever the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, listed, small_model, strategy_over


@dataclass(frozen=True)
class MemorySeen:
    """Bytes of the copy on each device."""

    batch_size: int
    weights: list[int]
    notes_of_the_optimizer: list[int]

    def in_words(self) -> str:
        """Weights, then the optimizer's."""
        return (
            f"With {self.batch_size} rows in a step, the weights take {each(self.weights)}, and "
            f"Adam's notes {each(self.notes_of_the_optimizer)}."
        )


def each(sizes: list[int]) -> str:
    """`22,532 bytes on each of 4 devices`."""
    alike = len(set(sizes)) == 1
    bytes_ = f"{sizes[0]:,}" if alike else listed([f"{size:,}" for size in sizes])
    return f"{bytes_} bytes on {'each of ' if alike else ''}{len(sizes)} devices"


def bytes_on_each_device(*, batch_size: int) -> MemorySeen:
    """Train one epoch on four replicas; then weigh every copy of every variable."""
    strategy = strategy_over(4)
    with strategy.scope():
        model = small_model(units=256)
        model.compile(optimizer="adam", loss="mse")
    model.fit(ROWS, LABELS, batch_size=batch_size, verbose=0)

    def weigh(variables: list[Any]) -> list[int]:
        copies = [strategy.experimental_local_results(v.value) for v in variables]
        return [sum(copy.numpy().nbytes for copy in device) for device in zip(*copies, strict=True)]

    return MemorySeen(
        batch_size, weigh(model.trainable_variables), weigh(model.optimizer.variables)
    )


EXPERIMENTS = (
    Experiment(
        "weights-shrink-with-batch",
        claim="What weights and Adam's notes take on each device with a small batch and a large.",
        observe=bytes_on_each_device,
        given={"batch_size": 16},
        holds=None,
        control=Control("Take 512 rows in a step.", {"batch_size": 512}),
        devices=4,
    ),
)
