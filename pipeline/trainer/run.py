"""One piece of work, in its own process: from a request in a folder to a log and an outcome.

Reads `request.json`. A training run appends every event to `events.jsonl` and keeps chosen steps
under `steps/`; a question (see `pipeline.trainer.tasks`) leaves a `result.json`. How it ended goes
to `outcome.json`, not to the log: `pipeline.workers` ends the log once this process is gone.
"""

from __future__ import annotations

import json
import traceback
from pathlib import Path
from typing import Any

from pipeline import events, run_log, sources
from pipeline.config import ConfigError, RunConfig
from pipeline.datasets import DataError
from pipeline.trainer.tasks import QUESTIONS
from pipeline.trainer.training import train


def work(folder: Path) -> int:
    """Do what the folder asks for. Returns 0 when an outcome was written, however it ended."""
    log_path = folder / run_log.FILE_NAME
    log = run_log.LogWriter(log_path)
    if run_log.terminal(log_path) is not None:  # stopped before it began
        return 0
    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        if "task" in request:
            _answer(folder, request)
        else:
            _train(folder, request, log)
    except (ConfigError, DataError) as error:
        run_log.write_outcome(folder, events.RunFailed(error=str(error)))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in run_log.DISK_FULL:
            problem = run_log.no_room(error)
        else:
            traceback.print_exc()
            first_line = (str(error).strip() or "no message").splitlines()[0]
            problem = f"The run raised {type(error).__name__}: {first_line}"
        run_log.write_outcome(folder, events.RunFailed(error=problem))
    return 0


def _train(folder: Path, request: dict[str, Any], log: run_log.LogWriter) -> None:
    def emit(event: events.Event) -> None:
        if isinstance(event, events.RunFinished):
            run_log.write_outcome(folder, event)
        else:
            log.write(event)

    config = RunConfig.checked(request["config"])
    data = sources.open_data(config, sources.read_copy(folder), sources.ADMITTED)
    train(config, data, request["run_id"], emit, lambda record: record.save(folder))


def _answer(folder: Path, request: dict[str, Any]) -> None:
    result = QUESTIONS[request["task"]](folder, **request["arguments"])
    (folder / run_log.RESULT_NAME).write_text(json.dumps(result), encoding="utf-8")
    run_log.write_outcome(folder, events.RunFinished(checks={}))
