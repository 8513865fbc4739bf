"""Unequal shares: by what must each replica divide its loss, so that the sum is right?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.workbench import LABELS, ROWS, listed, strategy_over


@dataclass(frozen=True)
class SumSeen:
    """The summed gradient against the one that a single device gets from all rows."""

    shares: list[int]
    times_as_long: float
    """The length of the sum over the length of the right gradient."""
    off_by: float
    """The length of the difference over the length of the right gradient."""

    @property
    def right(self) -> bool:
        """Whether only rounding is left."""
        return self.off_by < 1e-5

    def in_words(self) -> str:
        """Shares and difference."""
        said = f"With {listed(self.shares)} rows, the summed gradient is "
        if self.right:
            return said + "what a single device gets, apart from rounding."
        return (
            f"{said}{self.times_as_long:.2f} times as long as the one that a single device gets, "
            f"and off by {100 * self.off_by:.0f} percent of it."
        )


def summed_gradient(*, divide_by: str, rows: int = 5, replicas: int = 2) -> SumSeen:
    """Each replica takes the gradient of its rows' loss, divided; the gradients are added up."""
    strategy = strategy_over(replicas)
    with strategy.scope():
        weight = tf.Variable(tf.zeros((20, 1)))

    def on_my_rows(mine: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        own_rows = tf.cast(tf.shape(mine)[0], tf.float32)
        by = {
            "own rows": own_rows,
            "own rows × replicas": own_rows * replicas,
            "rows of the batch": float(rows),
            "replicas": float(replicas),
        }
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((mine @ weight - labels) ** 2) / by[divide_by]
        own = tape.gradient(loss, weight)
        total = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, own)
        return total, own_rows

    batches = tf.data.Dataset.from_tensor_slices((ROWS[:rows], LABELS[:rows])).batch(rows)
    batch = next(iter(strategy.experimental_distribute_dataset(batches)))
    total, shares = map(
        strategy.experimental_local_results, tf.function(strategy.run)(on_my_rows, args=batch)
    )
    right = -2 * ROWS[:rows].T @ LABELS[:rows] / rows  # of the mean square, at weight 0
    length = np.linalg.norm(right)
    return SumSeen(
        shares=[int(share) for share in shares],
        times_as_long=float(np.linalg.norm(total[0].numpy()) / length),
        off_by=float(np.linalg.norm(total[0].numpy() - right) / length),
    )


EXPERIMENTS = (
    Experiment(
        "own-mean",
        claim="With the mean over its own rows, the sum is right.",
        observe=summed_gradient,
        given={"divide_by": "own rows"},
        holds=lambda seen: seen.right,
        control=Control("Give all 5 rows to a single replica.", {"replicas": 1}),
    ),
    Experiment(
        "own-mean-over-replicas",
        claim="With the mean over its own rows, divided by 2, the sum is right.",
        observe=summed_gradient,
        given={"divide_by": "own rows × replicas"},
        holds=lambda seen: seen.right,
        control=Control("Take 6 rows, so that the shares are equal.", {"rows": 6}),
    ),
    Experiment(
        "own-sum-over-batch",
        claim="With the sum over its own rows, divided by 5, the sum is right.",
        observe=summed_gradient,
        given={"divide_by": "rows of the batch"},
        holds=lambda seen: seen.right,
        control=Control("Divide by the replicas instead.", {"divide_by": "replicas"}),
    ),
    Experiment(
        "own-sum-over-replicas",
        claim="With the sum over its own rows, divided by 2, the sum is right.",
        observe=summed_gradient,
        given={"divide_by": "replicas"},
        holds=lambda seen: seen.right,
        control=Control("Take 2 rows, as many as there are replicas.", {"rows": 2}),
    ),
)
