"""The contract: what a run tells the world, one JSON object a line.

The trainer writes these events, and the page, the command line, the replay and the tests read
them. Kinds come in this order: `run_started`, three `stage`s, then `step`s with an `epoch` after
the last step of each, and at the end one of `run_finished`, `run_stopped`, `run_failed`.

`to_line` and `from_line` are the only way in and out. Non-finite numbers are written as `null`,
since JSON has no NaN. Readers ignore fields they do not know, and kinds they do not know.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

SCHEMA = 1
TOLERANCE = 1e-5
"""A check holds when its difference is at most this, times the largest value where that is > 1."""


class EventError(ValueError):
    """A line that is not an event of this contract."""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class RunStarted(_Event):
    """The run's child process has begun; `versions` names what computes."""

    event: Literal["run_started"] = "run_started"
    schema_: int = Field(SCHEMA, alias="schema", validation_alias="schema")
    run_id: str
    config: dict[str, Any]
    versions: dict[str, str]
    started: str = ""
    """UTC time, ISO 8601."""
    devices: tuple[str, ...] = ()
    """One device name for each replica, as TensorFlow lists it."""
    device_note: str = ""
    """One sentence: what these devices are, and what not to expect of them."""
    parameters: int = 0
    """Trainable parameters of the model."""
    steps: int = 0
    """How many steps the whole run will have."""
    steps_per_epoch: int = 0
    classes: tuple[str, ...] = ()


class Stage(_Event):
    """A stage before training: shapes are rows x columns, the sample is one row's values."""

    event: Literal["stage"] = "stage"
    stage: Literal["load", "preprocess", "distribute"]
    shape_in: tuple[int, ...]
    shape_out: tuple[int, ...] | tuple[tuple[int, ...], ...]
    """For `distribute`: one shape for each replica, of the first step."""
    sample: tuple[float | None, ...]
    row: int = 0
    """Which training row the sample is."""


class ReplicaStep(_Event):
    """One replica's part in one step, before anything is combined."""

    replica: int
    device: str
    batch_shape: tuple[int, ...]
    loss: float | None
    """Mean over its own rows; None when it had none."""
    gradient_norm: float | None
    """L2 norm of its own gradient (its rows' losses over the rows of the whole step)."""
    accuracy: float | None = None


class Step(_Event):
    """One update. `loss` is the mean over all rows of the step."""

    event: Literal["step"] = "step"
    step: int
    epoch: int
    loss: float | None
    replicas: tuple[ReplicaStep, ...]
    all_reduced_norm: float | None
    accuracy: float | None = None
    copies_max_abs_diff: float | None = None
    """Largest difference between any two copies of any weight after the update."""


class Epoch(_Event):
    """One pass over the rows. Loss and accuracy as its examples were trained on."""

    event: Literal["epoch"] = "epoch"
    epoch: int
    loss: float | None
    accuracy: float | None
    val_loss: float | None
    val_accuracy: float | None
    seconds: float
    observation: str
    last_step: int = 0
    """The number of the step that ended this epoch."""
    all_rows_accuracy: tuple[float | None, ...] = ()
    """Accuracy of each replica's copy on all training rows, at the end of the epoch."""
    row_prediction: tuple[float | None, ...] = ()
    """Your row's predicted probability of each class, by the copy of replica 0."""


class Check(_Event):
    """One proof with its measured difference (None where only equality counts)."""

    ok: bool
    max_abs_diff: float | None = None


class RunFinished(_Event):
    """The run went through. A check holds when its difference is within 1e-5 x max(1, |g|)."""

    event: Literal["run_finished"] = "run_finished"
    checks: dict[str, Check]
    checked_steps: tuple[int, ...] = ()
    """The steps whose gradients and weights were compared and kept."""
    seconds: float | None = None


class RunStopped(_Event):
    """Somebody pressed stop."""

    event: Literal["run_stopped"] = "run_stopped"


class RunFailed(_Event):
    """The run ended early; `error` is a sentence for the learner."""

    event: Literal["run_failed"] = "run_failed"
    error: str


Terminal = RunFinished | RunStopped | RunFailed
Event = RunStarted | Stage | Step | Epoch | RunFinished | RunStopped | RunFailed
_KINDS = {"run_started", "stage", "step", "epoch", "run_finished", "run_stopped", "run_failed"}
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def to_line(event: Event) -> str:
    """One line of standard JSON with its newline."""
    fields = event.model_dump(mode="python", by_alias=True)
    return json.dumps(_plain(fields), separators=(",", ":"), allow_nan=False) + "\n"


def from_line(line: str | bytes) -> Event | None:
    """Read one line back; None for a kind this version does not know. Raises EventError."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EventError(f"not JSON: {error}") from None
    if not isinstance(fields, Mapping) or not isinstance(fields.get("event"), str):
        raise EventError("not an event: a JSON object with a text `event` is expected")
    if fields["event"] not in _KINDS:
        return None
    try:
        return _ADAPTER.validate_python(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EventError(
            f"a {fields['event']} event with a bad field {place}: {first['msg']}"
        ) from None


def _plain(value: Any) -> Any:
    """The same tree in what JSON can say: 9 significant digits (a float32 exactly), no NaN."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
