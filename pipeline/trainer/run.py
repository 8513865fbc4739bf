"""One run, in its own process: from a request in a folder to a log and an outcome.

Reads `request.json` (and `data.csv`), appends every event to `events.jsonl`, keeps chosen steps
under `steps/`. How it ended goes to `outcome.json`, not to the log: the log is closed by
`pipeline.runs` once this process is gone.
"""

from __future__ import annotations

import json
import traceback
from pathlib import Path

from pipeline import events, run_log, sources
from pipeline.config import ConfigError, RunConfig
from pipeline.datasets import DataError
from pipeline.trainer.training import train


def work(folder: Path) -> int:
    """Do the run in `folder`. Returns 0 when an outcome was written, however it ended."""
    log_path = folder / run_log.FILE_NAME
    log = run_log.LogWriter(log_path)
    if run_log.terminal(log_path) is not None:  # stopped before it began
        return 0

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RunFinished):
            run_log.write_outcome(folder, event)
        else:
            log.write(event)

    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        config = RunConfig.checked(request["config"])
        csv = folder / sources.CSV_NAME
        raw = csv.read_bytes() if csv.exists() else None
        data = sources.open_data(config, raw, sources.ADMITTED)
        train(config, data, request["run_id"], emit, lambda record: record.save(folder))
    except (ConfigError, DataError) as error:
        run_log.write_outcome(folder, events.RunFailed(error=str(error)))
    except Exception as error:
        traceback.print_exc()
        first_line = (str(error).strip() or "no message").splitlines()[0]
        run_log.write_outcome(
            folder, events.RunFailed(error=f"The run raised {type(error).__name__}: {first_line}")
        )
    return 0
