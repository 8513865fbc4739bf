"""The recorded runs that ship, so that something true is on the screen before TensorFlow loads.

`python -m pipeline record` (`make recording`) makes them anew on this machine, each a real run
kept as a run's folder under `pipeline/recorded/NAME`. They are read through `pipeline.runs`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from pipeline import (
    answers,
    cards,
    datasets,
    experiments_index,
    prediction,
    rate_rule,
    run_log,
    scaling_plan,
    step_records,
)
from pipeline.answers import Answers
from pipeline.config import RunConfig
from pipeline.events import RunFinished
from pipeline.run_view import RunView
from pipeline.runs import RECORDED, REQUEST_NAME, Runs

CONFIGS: dict[str, RunConfig] = {
    "two-replicas": RunConfig(),
    "one-replica": RunConfig(replicas=1),
    "four-replicas": RunConfig(replicas=4),
    "batch-512": RunConfig(global_batch=512),
    "batch-512-rate-doubled": RunConfig(global_batch=512, learning_rate=0.002),
    "one-class-step": RunConfig(order="one-class-each"),
    "one-class-epoch": RunConfig(order="one-class-each", combine="epoch"),
    "one-class-never": RunConfig(order="one-class-each", combine="never"),
    "shuffled-epoch": RunConfig(combine="epoch"),
    "shuffled-never": RunConfig(combine="never"),
}
"""Every recorded run and its settings."""
NOT_KEPT = ("request.json", "events.jsonl", "outcome.json", "trainer.log", run_log.PROGRESS_NAME)
"""Files of an answer's folder that only matter while it is made."""
MEASURED = ("small", "wide")
"""The models whose scaling measurement ships."""
IN_FULL = ("two-replicas",)
"""The recorded runs that keep their steps in full; of the others the log is enough."""


DEFAULT = "two-replicas"
"""The recorded run that a page shows until there is another."""


def what_if_question(run_id: str, step: int, row: int) -> dict[str, Any]:
    """The arguments that ask for one step of a run with and without one row."""
    return {"run": run_id, "step": step, "row": row}


def mirror_question(
    replicas: int, features: int, output_units: int, optimizer: str, seed: int
) -> dict[str, Any]:
    """The arguments that ask where the copies of a model's variables live."""
    return {
        "replicas": replicas,
        "features": features,
        "output_units": output_units,
        "optimizer": optimizer,
        "seed": seed,
    }


def recorded_mirror(replicas: int) -> dict[str, Any]:
    """The arguments of the recorded answers of `mirror`: the recorded run's data and model."""
    config = CONFIGS[DEFAULT]
    data = datasets.load(config.data)
    features = data.x_train.shape[1]
    return mirror_question(replicas, features, data.output_units, config.optimizer, config.seed)


def recorded_predictions(view: RunView) -> list[dict[str, Any]]:
    """The arguments of the recorded answers of `prediction`: the row that a run follows."""
    return [
        prediction.question(view, view.row, size, batch_size)
        for size in prediction.SIZES
        for batch_size in prediction.BATCH_SIZES
    ]


def record_answers(
    runs: Runs, asked: Answers, told: Callable[[str], None], tasks: Collection[str] = ()
) -> None:
    """Make the recorded answers anew, all or those of some tasks; needs the recorded runs.

    Raises RuntimeError when one fails.
    """
    view = runs.view(DEFAULT)
    _, step, _ = view.uses_of(view.row)[0]
    questions: list[tuple[str, Mapping[str, Any], Mapping[str, Path]]] = [
        ("what-if", what_if_question(DEFAULT, step, view.row), {"run_folder": view.folder}),
    ]
    questions += [
        (prediction.TASK, asked_of, {"run_folder": view.folder})
        for asked_of in recorded_predictions(view)
    ]
    questions += [("mirror", recorded_mirror(replicas), {}) for replicas in range(1, 9)]
    questions += [("convert", {}, {})]
    questions += [
        ("experiment", experiments_index.question(name), {})
        for name in sorted(experiments_index.names())
    ]
    questions += [(cards.TASK, choice.question, {}) for choice in cards.choices()]
    questions += [("scaling", scaling_plan.recorded_question(name), {}) for name in MEASURED]
    questions += [
        (rate_rule.TASK, rate_rule.question(view, 8, rate), {"run_folder": view.folder})
        for rate in rate_rule.RATES
    ]
    for task, arguments, places in questions:
        if tasks and task not in tasks:
            continue
        answer = asked.wait(asked.ask(task, arguments, places).key, 300)
        if answer is None or answer.state != "done":
            raise RuntimeError(f"{task} {dict(arguments)}: {answer}")
        target = answers.RECORDED / answers.recorded_key(task, arguments)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(answer.folder, target, ignore=shutil.ignore_patterns(*NOT_KEPT))
        told(f"{task}: {target.name}")


def record(runs: Runs, told: Callable[[str], None], into: Path = RECORDED) -> None:
    """Make every recording with `runs`; raises RuntimeError when one does not finish."""
    for name, config in CONFIGS.items():
        run_id = runs.start(config, "recording")
        if runs.wait(run_id, 600).state != "finished":
            raise RuntimeError(f"{name}: {runs.events(run_id)[-1]}")
        source, target = runs.path(run_id), into / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for kept in (REQUEST_NAME, run_log.FILE_NAME):
            shutil.copy(source / kept, target / kept)
        if name in IN_FULL:
            shutil.copytree(source / step_records.FOLDER, target / step_records.FOLDER)
        last = runs.events(run_id)[-1]
        assert isinstance(last, RunFinished)
        told(f"{name}: {len(last.checked_steps)} steps checked, {last.seconds:.1f} s")
