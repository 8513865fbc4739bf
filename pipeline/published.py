"""Published results beside what the scaling model foretells from their one-device point.

    for row in table():
        row.published, row.predicted, row.error        # speed-ups, and the share they are apart

The published numbers are data, in `published.yaml`. The model gets its assumptions (`REACHED`,
`HIDDEN`) once for all of them: nothing is fitted to a result.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from pipeline import scaling_presets
from pipeline.scaling_model import Setup

FILE = Path(__file__).with_name("published.yaml")
OFF = 0.25
"""From here on a prediction needs a reason."""


class Source(BaseModel):
    """Where results were published."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    url: str


class Result(BaseModel):
    """Rows a second on one device and on more; or on more only the efficiency, where it is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    machine: str
    source: str
    parameters: int
    batch: int
    link: str
    one: float
    points: Mapping[int, float] = {}
    efficiency: Mapping[int, float] = {}
    why: str = ""

    def speed_ups(self) -> dict[int, float]:
        """The published speed-up by number of devices."""
        told = {count: count * share for count, share in self.efficiency.items()}
        return told | {count: rows / self.one for count, rows in self.points.items()}


@dataclass(frozen=True)
class Row:
    """One published point: its speed-up, and the model's with its two extremes of hiding."""

    result: Result
    source: Source
    devices: int
    published: float
    predicted: float
    nothing_hidden: float
    all_hidden: float

    @property
    def error(self) -> float:
        """How far the prediction lies above (+) or below (-) the published, as a share of it."""
        return self.predicted / self.published - 1

    @property
    def is_off(self) -> bool:
        """Whether it is off by more than `OFF`."""
        return abs(self.error) > OFF


def table() -> list[Row]:
    """Every published point, in the file's order."""
    sources, results = _read()
    links = scaling_presets.links()
    rows = []
    for result in results:
        setup = Setup(
            batch=result.batch,
            step_seconds=result.batch / result.one,
            parameters=result.parameters,
            link=links[result.link].link,
        )
        least, most = replace(setup, hidden=0.0), replace(setup, hidden=1.0)
        for devices, published in result.speed_ups().items():
            rows.append(
                Row(
                    result,
                    sources[result.source],
                    devices,
                    published,
                    setup.speed_up(devices, weak=True),
                    least.speed_up(devices, weak=True),
                    most.speed_up(devices, weak=True),
                )
            )
    return rows


@functools.cache
def _read() -> tuple[dict[str, Source], list[Result]]:
    found = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    sources = {name: Source.model_validate(one) for name, one in found["sources"].items()}
    return sources, [Result.model_validate(one) for one in found["results"]]
