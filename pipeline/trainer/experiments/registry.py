"""All experiments, by name."""

from __future__ import annotations

from typing import Any

from pipeline.trainer.experiments import (
    averaging,
    divided_loss,
    exchange,
    first_programs,
    fitting,
    memory,
    places,
    predicting,
    same_batch,
    saving,
    sharing_rows,
    steps,
    timing,
    uneven,
)
from pipeline.trainer.experiments.broken import experiments as cards
from pipeline.trainer.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment[Any]] = {
    experiment.name: experiment
    for module in (
        averaging,
        cards,
        divided_loss,
        exchange,
        first_programs,
        fitting,
        memory,
        places,
        predicting,
        same_batch,
        saving,
        sharing_rows,
        steps,
        timing,
        uneven,
    )
    for experiment in module.EXPERIMENTS
}
