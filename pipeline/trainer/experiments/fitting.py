"""Build, compile and fit with Keras, each inside or outside the strategy's scope."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import tensorflow as tf

from pipeline.trainer.experiments import workbench
from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import (
    LABELS,
    ROWS,
    Probe,
    Told,
    count,
    homes,
    listed,
    shared,
    small_model,
    strategy_over,
)


@dataclass(frozen=True)
class FitSeen:
    """How a program ended, where its weights were, and who had which rows."""

    raised: str | None
    printed: list[str]
    copies_on: list[str]
    replicas_used: int
    rows_in_a_step: list[int]
    """For each replica that had rows; of the first step."""
    losses: list[float]
    """After each epoch."""

    def in_words(self) -> str:
        """The end, then the copies, the rows and the losses."""
        if self.raised:
            return f"It ended with {self.raised}."
        said = f"No error. {count(len(self.copies_on), 'copy')} of the weights, on "
        said += f"{listed(self.copies_on)}; rows in a step: {shared(self.rows_in_a_step)}."
        if len(self.losses) > 1:
            said += f" Loss after each epoch: {', '.join(f'{x:.3f}' for x in self.losses)}."
        return said + (f" Printed: {self.printed[0]}" if self.printed else " Nothing was printed.")


def fit_with(
    *, inside: tuple[str, ...], optimizer: str = "adam", replicas: int = 2,
    batch_size: int = 64, epochs: int = 1,
) -> FitSeen:  # fmt: skip
    """What is named in `inside` is done inside the scope of the strategy, the rest outside."""
    strategy = strategy_over(replicas)
    probe = Probe()
    rows, labels = ROWS[: 4 * batch_size], LABELS[: 4 * batch_size]

    def place(part: str) -> AbstractContextManager[Any]:
        return strategy.scope() if part in inside else nullcontext()

    with workbench.told() as told:
        with place("build"):
            model = small_model(probe)
        with place("compile"):
            model.compile(optimizer=optimizer, loss="mse")
        with place("fit"):
            model.fit(rows, labels, batch_size=batch_size, epochs=epochs, verbose=0)
    return seen_of(strategy, model, probe, told)


def seen_of(strategy: tf.distribute.Strategy, model: Any, probe: Probe, told: Told) -> FitSeen:
    """What is to be seen after `fit`, or after what was raised instead."""
    history = getattr(model, "history", None)
    return FitSeen(
        raised=told.raised,
        printed=told.printed,
        copies_on=homes(strategy, model),
        replicas_used=len(probe.rows),
        rows_in_a_step=[steps[0] for steps in probe.rows],
        losses=[] if told.raised or not history else history.history["loss"],
    )


def on_all(devices: int, seen: FitSeen) -> bool:
    """It ended well, and each device had a copy and rows of its own."""
    return (
        seen.raised is None
        and len(set(seen.copies_on)) == devices
        and seen.replicas_used == devices
    )


def on_both(seen: FitSeen) -> bool:
    """The same for two devices."""
    return on_all(2, seen)


WITH_SCOPE = ("build", "compile")
BOTH_INSIDE = Control("Build and compile inside the scope.", {"inside": WITH_SCOPE})
NO_SCOPE = Control("Leave the scope unused.", {"inside": ()})
MODEL_OUTSIDE = Control("Build the model outside the scope.", {"inside": ("compile",)})

EXPERIMENTS = (
    Experiment(
        "copies-on-every-device",
        claim="One model is trained on both devices at the same time.",
        observe=fit_with,
        given={"inside": WITH_SCOPE},
        holds=on_both,
        control=NO_SCOPE,
    ),
    # scope-error: each option's repair of `inside=("compile",)`, which ends with an error.
    Experiment(
        "move-compile-outside",
        claim="The line with `compile` was wrong: moved, the program trains on both devices.",
        observe=fit_with,
        given={"inside": ()},
        holds=on_both,
        control=BOTH_INSIDE,
    ),
    Experiment(
        "compile-is-forbidden",
        claim="A program that compiles inside the scope ends with an error.",
        observe=fit_with,
        given={"inside": WITH_SCOPE},
        holds=lambda seen: seen.raised is not None,
        control=MODEL_OUTSIDE,
    ),
    Experiment(
        "move-build-inside",
        claim="With the model built inside the scope, the program trains on both devices.",
        observe=fit_with,
        given={"inside": WITH_SCOPE},
        holds=on_both,
        control=MODEL_OUTSIDE,
    ),
    Experiment(
        "swap-the-optimizer",
        claim="With `sgd` instead of `adam`, the program trains on both devices.",
        observe=fit_with,
        given={"inside": ("compile",), "optimizer": "sgd"},
        holds=on_both,
        control=BOTH_INSIDE,
    ),
    # larger-batches, with four devices.
    Experiment(
        "scope-then-larger-batch",
        claim="All 4 devices train, and each has more rows in a step than a batch of 64 gives it.",
        observe=fit_with,
        given={"inside": WITH_SCOPE, "replicas": 4, "batch_size": 256},
        holds=lambda seen: on_all(4, seen) and min(seen.rows_in_a_step) > 16,
        control=Control("Keep the batch of 64.", {"batch_size": 64}),
        devices=4,
    ),
    Experiment(
        "strategy-only-at-fit",
        claim="With the scope only around `fit`, all 4 devices train.",
        observe=fit_with,
        given={"inside": ("fit",), "replicas": 4},
        holds=lambda seen: on_all(4, seen),
        control=BOTH_INSIDE,
        devices=4,
    ),
    # fit-batch: `batch_size=64` and four replicas.
    Experiment(
        "fit-batch-is-per-replica",
        claim="Each of the 4 replicas gets 64 rows.",
        observe=fit_with,
        given={"inside": WITH_SCOPE, "replicas": 4, "batch_size": 64},
        holds=lambda seen: seen.rows_in_a_step == [64] * 4,
        control=Control("Ask for 256 rows.", {"batch_size": 256}),
        devices=4,
    ),
    Experiment(
        "fit-batch-is-shared",
        claim="Each of the 4 replicas gets 16 rows.",
        observe=fit_with,
        given={"inside": WITH_SCOPE, "replicas": 4, "batch_size": 64},
        holds=lambda seen: seen.rows_in_a_step == [16] * 4,
        control=NO_SCOPE,
        devices=4,
    ),
    Experiment(
        "fit-batch-multiplies",
        claim="Each of the 4 replicas gets 256 rows.",
        observe=fit_with,
        given={"inside": WITH_SCOPE, "replicas": 4, "batch_size": 64},
        holds=lambda seen: seen.rows_in_a_step == [256] * 4,
        control=Control("Ask for 1,024 rows.", {"batch_size": 1_024}),
        devices=4,
    ),
    Experiment(
        "fit-batch-on-one",
        claim="One replica gets all 64 rows and the others none.",
        observe=fit_with,
        given={"inside": WITH_SCOPE, "replicas": 4, "batch_size": 64},
        holds=lambda seen: seen.rows_in_a_step == [64],
        control=NO_SCOPE,
        devices=4,
    ),
    Experiment(
        "no-scope-still-two",
        claim="Without the scope, the rest of the program still trains on both devices.",
        observe=fit_with,
        given={"inside": ()},
        holds=on_both,
        control=BOTH_INSIDE,
    ),
    # really-two: what can be seen while there is one copy only proves nothing.
    Experiment(
        "falling-loss-proves-devices",
        claim="The loss falls in every epoch, so the model lives on two devices.",
        observe=fit_with,
        given={"inside": (), "epochs": 3},
        holds=lambda seen: falls(seen.losses) and on_both(seen),
        control=BOTH_INSIDE,
    ),
    Experiment(
        "silence-proves-devices",
        claim="Nothing was printed or raised, so the model lives on two devices.",
        observe=fit_with,
        given={"inside": ()},
        holds=lambda seen: not seen.printed and on_both(seen),
        control=BOTH_INSIDE,
    ),
)


def falls(losses: list[float]) -> bool:
    """Whether each loss is lower than the one before."""
    return all(later < sooner for sooner, later in pairwise(losses))
