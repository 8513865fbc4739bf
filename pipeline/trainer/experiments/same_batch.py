"""The same training on 1 and on 4 replicas: same seed, same rows, same global batch."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import (
    LABELS,
    ROWS,
    Probe,
    shared,
    small_model,
    strategy_over,
)

ROUNDING = 1e-5
"""The relative difference that counts as rounding; float32 has seven digits."""


@dataclass(frozen=True)
class LossesSeen:
    """The loss after each epoch, and the rows of the 4 replicas."""

    on_1: list[float]
    on_4: list[float]
    rows_in_a_step_on_4: list[int]
    rows_in_an_epoch_on_4: int
    """Of all replicas together: 256 when no row is on two of them."""

    @property
    def above(self) -> float:
        """How far the last loss on 4 is above that on 1, relative to it."""
        return self.on_4[-1] / self.on_1[-1] - 1

    @property
    def equal(self) -> bool:
        """Whether all losses are, but for rounding."""
        pairs = zip(self.on_1, self.on_4, strict=False)
        same_length = len(self.on_1) == len(self.on_4)
        return same_length and all(abs(four / one - 1) < ROUNDING for one, four in pairs)

    def in_words(self) -> str:
        """Both columns of losses."""
        one, four = (", ".join(f"{x:.6f}" for x in losses) for losses in (self.on_1, self.on_4))
        return (
            f"Loss after each epoch on 1 replica: {one}; on 4: {four}. Rows in a step on 4: "
            f"{shared(self.rows_in_a_step_on_4)}; in an epoch of 256 rows they had "
            f"{self.rows_in_an_epoch_on_4} together."
        )


def losses(replicas: int, global_batch: int, epochs: int) -> tuple[list[float], Probe]:
    """Train with Keras; the losses, and the probe that saw the rows."""
    probe = Probe()
    with strategy_over(replicas).scope():
        model = small_model(probe)
        model.compile(optimizer="sgd", loss="mse")
    told = model.fit(
        ROWS[:256], LABELS[:256], batch_size=global_batch, epochs=epochs, shuffle=False, verbose=0
    )
    return told.history["loss"], probe


def on_1_and_on_4(*, global_batch_on_4: int = 64, epochs_on_4: int = 2) -> LossesSeen:
    """Two epochs with 64 rows in a step on 1 replica, and the same on 4."""
    on_1, _ = losses(1, 64, 2)
    on_4, probe = losses(4, global_batch_on_4, epochs_on_4)
    return LossesSeen(
        on_1,
        on_4,
        rows_in_a_step_on_4=[steps[0] for steps in probe.rows],
        rows_in_an_epoch_on_4=sum(map(sum, probe.rows)) // epochs_on_4,
    )


OTHER_BATCH = Control(
    "Change the global batch: 64 rows for each of the 4 replicas.", {"global_batch_on_4": 256}
)

EXPERIMENTS = (
    Experiment(
        "four-replicas-lower-loss",
        claim="The last loss is lower with 4 replicas.",
        observe=on_1_and_on_4,
        also=(losses,),
        holds=lambda seen: seen.above < -ROUNDING,
        control=Control("Train an epoch longer on 4 replicas.", {"epochs_on_4": 3}),
        devices=4,
    ),
    Experiment(
        "four-replicas-higher-loss",
        claim="The last loss is higher with 4 replicas.",
        observe=on_1_and_on_4,
        also=(losses,),
        holds=lambda seen: seen.above > ROUNDING,
        control=Control("Train an epoch less on 4 replicas.", {"epochs_on_4": 1}),
        devices=4,
    ),
    Experiment(
        "same-batch-same-loss",
        claim="The losses are equal, apart from rounding.",
        observe=on_1_and_on_4,
        also=(losses,),
        holds=lambda seen: seen.equal,
        control=OTHER_BATCH,
        devices=4,
    ),
    Experiment(
        "equal-needs-same-rows",
        claim="Each row goes to one of the replicas only, and so the losses are not equal.",
        observe=on_1_and_on_4,
        also=(losses,),
        holds=lambda seen: seen.rows_in_an_epoch_on_4 == 256 and not seen.equal,
        control=OTHER_BATCH,
        devices=4,
    ),
)
