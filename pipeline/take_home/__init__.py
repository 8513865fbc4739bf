"""A run to take home: its numbers as JSON and CSV, and a script that makes it again.

No Streamlit, no TensorFlow: everything is read from the run's folder. The script is plain
TensorFlow, stands alone with its data beside it, and prints the same losses, which a test checks.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from pipeline import distribute
from pipeline.datasets import DataSet
from pipeline.events import Step
from pipeline.run_log import FILE_NAME
from pipeline.run_view import RunView

HERE = Path(__file__).parent
ORDERS = {
    "shuffled": "np.random.default_rng([SEED, epoch]).permutation(len(x))",
    "as-is": "np.arange(len(x))",
    "one-class-each": 'np.load("orders.npz")[str(epoch)]',
}


def as_json(run: RunView) -> str:
    """The whole run as one JSON document: all its events in order."""
    lines = (run.folder / FILE_NAME).read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    return json.dumps({"run_id": run.run_id, "events": events}, indent=1) + "\n"


def as_csv(run: RunView) -> str:
    """One line a step: the step's numbers, then each replica's."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    replicas = range(run.config.replicas)
    table.writerow(
        ["step", "epoch", "loss", "accuracy", "all_reduced_norm", "copies_max_abs_diff"]
        + [f"r{replica}_{name}" for replica in replicas for name in ("rows", "loss", "norm")]
    )
    for step in run.steps:
        table.writerow(_line(step))
    return out.getvalue()


def can_be_repeated(run: RunView) -> bool:
    """Whether `archive` has a script for it: only for runs that all-reduce in every step."""
    return run.config.combine == "step"


def script(run: RunView) -> str:
    """Plain TensorFlow that makes the run again. Raises ValueError, see `can_be_repeated`."""
    if not can_be_repeated(run):
        raise ValueError("the script is for runs that all-reduce in every step")
    config, versions = run.config, run.started.versions if run.started else {}
    rule = {"adam": "Adam", "sgd": "SGD"}[config.optimizer]
    return Template((HERE / "script.template").read_text(encoding="utf-8")).substitute(
        replicas=config.replicas,
        batch=config.global_batch,
        epochs=config.epochs,
        rate=repr(config.learning_rate),
        seed=config.seed,
        rule=rule,
        outputs=run.data.output_units,
        order=ORDERS[config.order],
        tensorflow=versions.get("tensorflow", "?"),
        day=run.day,
    )


def notebook(run: RunView) -> str:
    """The same script as a Jupyter notebook, one cell for each of its parts."""
    parts = script(run).split("\n# --- ")
    cells: list[dict[str, Any]] = [_cell("markdown", parts[0].strip().strip('"').strip())]
    for part in parts[1:]:
        title, _, code = part.partition("\n")
        cells += [_cell("markdown", f"### {title.strip(' -')}"), _cell("code", code.strip())]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1) + "\n"


def archive(run: RunView) -> bytes:
    """A zip: the script and notebook (where there is one), the data, the run as JSON and CSV."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("run.json", as_json(run))
        zipped.writestr("steps.csv", as_csv(run))
        if can_be_repeated(run):
            zipped.writestr("lockstep_run.py", script(run))
            zipped.writestr("lockstep_run.ipynb", notebook(run))
            zipped.writestr("data.csv", _table(run.data))
            if run.config.order == "one-class-each":
                zipped.writestr("orders.npz", _orders(run))
    return out.getvalue()


def _line(step: Step) -> list[object]:
    line: list[object] = [
        step.step,
        step.epoch,
        step.loss,
        step.accuracy,
        step.all_reduced_norm,
        step.copies_max_abs_diff,
    ]
    for part in step.replicas:
        line += [part.batch_shape[0], part.loss, part.gradient_norm]
    return line


def _table(data: DataSet) -> str:
    """The training rows as loaded, the label number last; every float32 exactly."""
    rows = np.column_stack([data.x_train.astype(np.float64), data.y_train])
    out = io.StringIO()
    np.savetxt(out, rows, delimiter=",", fmt=["%.9g"] * data.x_train.shape[1] + ["%d"])
    return out.getvalue()


def _orders(run: RunView) -> bytes:
    config = run.config
    out = io.BytesIO()
    orders = {
        str(epoch): distribute.epoch_order(
            run.data.y_train,
            epoch,
            seed=config.seed,
            order=config.order,
            replicas=config.replicas,
            batch=config.global_batch,
        )
        for epoch in range(1, config.epochs + 1)
    }
    np.savez(out, **orders)  # type: ignore[arg-type]
    return out.getvalue()


def _cell(kind: str, text: str) -> dict[str, Any]:
    extra: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": hashlib.sha256(text.encode()).hexdigest()[:12],
        "metadata": {},
        "source": text,
        **extra,
    }
