"""What this server allows, so that one learner cannot hurt a class.

One table, from the environment: each field of `Limits` is read from `LOCKSTEP_` plus its name in
capitals, for example `LOCKSTEP_CONCURRENT_RUNS=4`. A setting within `RunConfig`'s range can
still be refused here; the sentence then names the limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.config import RunConfig

PREFIX = "LOCKSTEP_"


class LimitError(ValueError):
    """A run this server does not take, with the limit it would pass."""


class Limits(BaseModel):
    """The table. Times in seconds, sizes in megabytes (10^6 bytes)."""

    model_config = ConfigDict(frozen=True)

    concurrent_runs: int = Field(2, ge=1, description="runs that compute at the same time")
    queue_length: int = Field(30, ge=0, description="runs that may wait for their turn")
    runs_per_learner: int = Field(2, ge=1, description="unfinished runs of one learner")
    replicas: int = Field(8, ge=1, description="replicas in one run")
    epochs: int = Field(200, ge=1, description="epochs in one run")
    steps: int = Field(20_000, ge=1, description="steps in one run")
    rows: int = Field(100_000, ge=1, description="rows of a CSV")
    columns: int = Field(500, ge=1, description="columns of a CSV, the label included")
    upload_megabytes: float = Field(10, gt=0, description="size of a CSV")
    upload_hours: float = Field(24, gt=0, description="how long an uploaded CSV is kept")
    uploads_megabytes: float = Field(1_000, gt=0, description="size of all kept CSVs together")
    wall_seconds: float = Field(600, gt=0, description="time one run may take")
    silent_seconds: float = Field(60, gt=0, description="time without a sign of life")
    kept_runs: int = Field(300, ge=1, description="finished runs that are kept")
    kept_megabytes: float = Field(3_000, gt=0, description="size of all kept runs")
    run_niceness: int = Field(10, ge=0, le=19, description="how far runs yield to the page")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the table; raises LimitError naming the variable and the value it cannot use."""
        given = {
            name: environment[PREFIX + name.upper()]
            for name in cls.model_fields
            if PREFIX + name.upper() in environment
        }
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = PREFIX + str(first["loc"][0]).upper()
            raise LimitError(f"{name} is {first['input']!r}: {first['msg']}") from None

    def check(self, config: RunConfig, steps: int) -> None:
        """Raise LimitError when a run of `steps` steps with these settings is too large."""
        for value, limit, what in (
            (config.replicas, self.replicas, "replicas"),
            (config.epochs, self.epochs, "epochs"),
        ):
            if value > limit:
                raise LimitError(
                    f"This server runs at most {limit:,} {what}; {value:,} were asked for."
                )
        if steps > self.steps:
            raise LimitError(
                f"This run would take {steps:,} steps; this server allows {self.steps:,}. "
                "Choose a larger global batch or fewer epochs."
            )
