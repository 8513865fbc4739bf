"""`python -m pipeline what-if RUN_FOLDER`: one kept step again, with and without one row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline import sources
from pipeline.answers import Answers
from pipeline.config import ConfigError, RunConfig
from pipeline.datasets import DataError
from pipeline.launch import Launcher
from pipeline.limits import Limits
from pipeline.recordings import what_if_question
from pipeline.run_view import RunView
from pipeline.what_if_view import WhatIf, first_use, largest
from pipeline.workers import Workers

SECONDS = 300.0


def what_if(folder: Path, row: int | None, launcher: Launcher, scratch: Path) -> dict[str, Any]:
    """What leaving the row out changed, as numbers. Raises DataError with a sentence."""
    run = _open(folder)
    row = run.row if row is None else row
    use = first_use(run, row)
    if use is None:
        kept = ", ".join(map(str, run.kept)) or "none"
        raise DataError((f"row {row} is in none of the steps this run keeps in full ({kept})",))
    workers = Workers(launcher, Limits())
    workers.open()
    try:
        answers = Answers(scratch, workers)
        question = what_if_question(run.run_id, use.step, row)
        key = answers.ask("what-if", question, {"run_folder": folder.resolve()}).key
        answer = answers.wait(key, SECONDS)
    finally:
        workers.close()
    if answer is None or answer.state != "done":
        raise DataError((answer.error if answer else "no answer came",))
    seen = WhatIf.load(answer.folder, row)
    return {
        "step": use.step,
        "row": row,
        "replica_with_the_row": seen.owner,
        "own_gradient_changes_by": [largest(part) for part in seen.own],
        "all_reduced_changes_by": [largest(part) for part in seen.sums],
        "weights_change_by": [largest(part) for part in seen.weights],
        "weights_changed": [seen.changed(replica) for replica in range(seen.replicas)],
        "copies_apart": seen.copies_apart,
    }


def told(seen: dict[str, Any]) -> str:
    """The same in words."""
    lines = [f"step {seen['step']}, with and without training row {seen['row']}:"]
    for replica, own in enumerate(seen["own_gradient_changes_by"]):
        had = " (had the row)" if replica == seen["replica_with_the_row"] else ""
        lines.append(
            f"  replica {replica}{had}: own gradient changes by {own:.3g}, "
            f"{seen['weights_changed'][replica]:,} weights by up to "
            f"{seen['weights_change_by'][replica]:.3g}"
        )
    sums = ", ".join(f"{size:.3g}" for size in seen["all_reduced_changes_by"])
    lines.append(f"  all-reduced gradient, as each replica got it, changes by {sums}")
    lines.append(f"  copies differ from each other by {seen['copies_apart']:.3g}")
    return "\n".join(lines)


def _open(folder: Path) -> RunView:
    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        config = RunConfig.checked(request["config"])
    except (OSError, ValueError, KeyError, ConfigError) as error:
        raise DataError((f"{folder} is not a run's folder: {error}",)) from None
    data = sources.open_data(config, sources.read_copy(folder), sources.ADMITTED)
    return RunView(folder.name, folder, config, data)
