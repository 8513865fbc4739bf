"""The learning-rate rule, tried on a run's data: what to ask the trainer, and its answer, read.

Four trainings by plain gradient descent from the same start: the batch and rate of one device; a
batch n times as large with the same rate; with n times the rate; with n times the rate after a
warm-up (see `PAPER`). No TensorFlow here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.run_view import RunView
from pipeline.scaling_plan import Way

TASK = "rate-rule"
PAPER = "https://arxiv.org/abs/1706.02677"
"""Goyal et al. 2017, section 2: the linear scaling rule, and the gradual warm-up."""
BATCH = 256
"""The batch of one device at most."""
STEPS = 5
"""An epoch of the large batch has at least so many steps, where there are rows enough."""
RATES = (0.02, 0.05)
"""Rates of one device to try: with the larger one the rule reaches its limit here."""
LIKE = 0.1
"""Losses closer than this, relative to the base's, count as alike."""


def question(run: RunView, replicas: int, rate: float) -> dict[str, Any]:
    """The arguments that ask for the four trainings on a run's data."""
    rows = len(run.data.x_train)
    batch = max(1, min(BATCH, rows // (STEPS * replicas)))
    return {"run": run.run_id, "replicas": replicas, "batch": batch, "rate": rate}


@dataclass(frozen=True)
class Curve:
    """One training: its batch and rate, and (step, loss on all training rows) at each epoch's end.

    The first point is the loss before the first step. A loss that is not finite ends the curve.
    """

    batch: int
    rate: float
    steps_per_epoch: int
    points: tuple[tuple[int, float], ...]
    diverged: bool

    @property
    def end(self) -> float:
        """The last finite loss."""
        return self.points[-1][1]

    @property
    def steps(self) -> int:
        """Updates made."""
        return self.points[-1][0]


@dataclass(frozen=True)
class RateRule:
    """The four curves, and how many replicas shared each batch."""

    replicas: int
    curves: Mapping[Way, Curve]
    rows: int

    @classmethod
    def read(cls, result: Mapping[str, Any]) -> RateRule:
        """From what `trainer.rate_rule` returned. Raises KeyError when it is something else."""
        curves: dict[Way, Curve] = {
            way: Curve(
                told["batch"],
                told["rate"],
                told["steps_per_epoch"],
                tuple(
                    (epoch * told["steps_per_epoch"], loss)
                    for epoch, loss in enumerate(told["losses"])
                    if loss is not None
                ),
                None in told["losses"],
            )
            for way, told in result["curves"].items()
        }
        return cls(result["replicas"], curves, result["rows"])

    def like_base(self, way: Way) -> bool:
        """Whether a training ends about where the base does, or lower."""
        curve = self.curves[way]
        return not curve.diverged and curve.end <= (1 + LIKE) * self.curves["base"].end

    @property
    def verdict(self) -> str:
        """What this data says of the rule: the name of a sentence.

        `holds`: n times the rate ends like one device's training, the same rate does not.
        `warm_helps`: only near, and nearer with a warm-up. `breaks`: not even that.
        `no_difference`: the same rate does as well.
        """
        if self.like_base("same"):
            return "no_difference"
        if self.like_base("scaled"):
            return "holds"
        scaled, warm = self.curves["scaled"], self.curves["warm"]
        if not warm.diverged and (scaled.diverged or warm.end < scaled.end):
            return "warm_helps"
        return "breaks"
