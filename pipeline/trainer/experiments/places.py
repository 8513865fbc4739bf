"""Where the copies of a weight live, asked of the weight and not of the strategy."""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import listed, short


@dataclass(frozen=True)
class PlacesSeen:
    """What was asked for, what the strategy counts, and where the copies are."""

    asked_for: list[str]
    num_replicas_in_sync: int
    copies_on: list[str]
    only_planned: bool

    def in_words(self) -> str:
        """Asked, counted, found."""
        copies = "it plans copies on" if self.only_planned else "the copies are on"
        return (
            f"Given {listed(self.asked_for)}, the strategy counts {self.num_replicas_in_sync} "
            f"replicas; {copies} {listed(self.copies_on)}."
        )


def copies_of_a_weight(*, devices: tuple[str, ...]) -> PlacesSeen:
    """Make one weight under a strategy over `devices`. Nothing is trained."""
    strategy = tf.distribute.MirroredStrategy(list(devices))
    with strategy.scope():
        weight = tf.Variable(1.0)
    copies = strategy.experimental_local_results(weight)
    return PlacesSeen(
        asked_for=list(devices),
        num_replicas_in_sync=strategy.num_replicas_in_sync,
        copies_on=[short(copy.device) for copy in copies],
        only_planned=not tf.executing_eagerly(),
    )


def plan_for_a_weight(*, devices: tuple[str, ...]) -> PlacesSeen:
    """Only write down where one weight's copies shall be made: a graph, which never runs."""
    with tf.Graph().as_default():
        return copies_of_a_weight(devices=devices)


LISTED, INVENTED = ("CPU:0", "CPU:1"), ("CPU:0", "CPU:7")

EXPERIMENTS = (
    Experiment(
        "strategy-forces-cpu",
        claim="Whatever devices a strategy is given, it wants the model on the CPU.",
        observe=plan_for_a_weight,
        also=(copies_of_a_weight,),
        given={"devices": ("GPU:0", "GPU:1")},
        holds=lambda seen: all(home.startswith("CPU") for home in seen.copies_on),
        control=Control("Give it parts of the CPU.", {"devices": LISTED}),
    ),
    Experiment(
        "count-proves-devices",
        claim="The strategy counts 2 replicas, so there are copies on 2 devices.",
        observe=copies_of_a_weight,
        given={"devices": INVENTED},
        holds=lambda seen: seen.num_replicas_in_sync == 2 and len(set(seen.copies_on)) == 2,
        control=Control("Name two devices that exist.", {"devices": LISTED}),
    ),
    Experiment(
        "copies-name-their-devices",
        claim="The two copies of a weight name two different devices.",
        observe=copies_of_a_weight,
        given={"devices": LISTED},
        holds=lambda seen: len(seen.copies_on) == len(set(seen.copies_on)) == 2,
        control=Control("Name a device that does not exist.", {"devices": INVENTED}),
    ),
)
