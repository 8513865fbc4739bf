"""`python -m benchmarks.paced_run FOLDER PLAN`: a run's process that computes nothing.

It writes made-up steps at a steady pace, as many and as fast as PLAN (JSON of `Plan`) says, so
that drawing is measured apart from training. First `backlog` steps at once; when a file `go`
appears in the folder, `steps` more. When each was written goes to `written.json` at the end.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from pipeline import run_log
from pipeline.config import RunConfig
from pipeline.events import ReplicaStep, RunFinished, RunStarted, Step

GO = "go"
WRITTEN = "written.json"
TICKS = "ticks.jsonl"
"""Left by `benchmarks.fragment_page`: the step it drew and when it began to."""
STEPS_PER_EPOCH = 40
ROWS, LAST_ROWS, COLUMNS = 256, 16, 20


@dataclass(frozen=True)
class Plan:
    """How many steps are there from the start, how many follow, how many a second."""

    backlog: int
    steps: int
    rate: float

    @property
    def epochs(self) -> int:
        """Epochs of a run that has room for all steps."""
        return math.ceil((self.backlog + self.steps) / STEPS_PER_EPOCH)

    def to_json(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))


def made_up(step: int) -> Step:
    """A step that looks like one of a default run: same fields, sizes and number of digits."""
    noise = random.Random(step)
    rows = LAST_ROWS if step % STEPS_PER_EPOCH == 0 else ROWS
    losses = [0.3 + math.exp(-step / 300) / 3 + noise.uniform(0, 0.1) for _ in range(2)]
    accuracies = [noise.randint(rows * 3 // 8, rows // 2) / (rows // 2) for _ in losses]
    return Step(
        step=step,
        epoch=(step - 1) // STEPS_PER_EPOCH + 1,
        loss=sum(losses) / 2,
        accuracy=sum(accuracies) / 2,
        replicas=tuple(
            ReplicaStep(
                replica=replica,
                device=f"CPU:{replica}",
                batch_shape=(rows // 2, COLUMNS),
                loss=losses[replica],
                gradient_norm=noise.uniform(0.1, 0.4),
                accuracy=accuracies[replica],
            )
            for replica in range(2)
        ),
        all_reduced_norm=noise.uniform(0.1, 0.4),
        copies_max_abs_diff=0.0,
    )


def write(folder: Path, plan: Plan) -> None:
    """The whole life of the run."""
    path = folder / run_log.FILE_NAME
    log = run_log.LogWriter(path)
    total = plan.backlog + plan.steps
    started = RunStarted(
        schema=1,
        run_id=folder.name,
        config=RunConfig(epochs=plan.epochs).model_dump(),
        versions={},
        steps=plan.epochs * STEPS_PER_EPOCH,
        steps_per_epoch=STEPS_PER_EPOCH,
        device_note="A benchmark's run: nothing is computed, the numbers are made up.",
    )
    log.write(started)
    for step in range(1, plan.backlog + 1):
        log.write(made_up(step))
    while not (folder / GO).exists():
        time.sleep(0.005)
    spread = random.Random(0)
    written: list[tuple[int, float, int]] = []
    due = time.monotonic()
    for step in range(plan.backlog + 1, total + 1):
        # Not evenly, or every step would meet the same moment of the reader's clock.
        due += spread.uniform(0.7, 1.3) / plan.rate
        event = made_up(step)
        time.sleep(max(0.0, due - time.monotonic()))
        moment = time.time()
        log.write(event)
        written.append((step, moment, path.stat().st_size))
    (folder / WRITTEN).write_text(json.dumps(written), encoding="utf-8")
    time.sleep(2)  # let the last step be drawn before the run ends
    run_log.write_outcome(folder, RunFinished(checks={}))


if __name__ == "__main__":
    write(Path(sys.argv[1]), Plan(**json.loads(sys.argv[2])))
