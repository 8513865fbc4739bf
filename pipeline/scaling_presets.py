"""Where the scaling model can start from: links, and steps on one device with their sources.

    resnet = models()["resnet50-a100"]
    setup = resnet.setup(links()["ethernet25"])

The numbers are data, in `scaling_presets.yaml`; this module reads and converts them.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from pipeline.scaling_model import HIDDEN, Link, Setup
from pipeline.scaling_result import Measurement

FILE = Path(__file__).with_name("scaling_presets.yaml")


class _Preset(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    source: str
    url: str


class LinkPreset(_Preset):
    """A link: GB/s (10^9 bytes) of one device in one direction, microseconds a move."""

    gigabytes: float
    microseconds: float

    @property
    def link(self) -> Link:
        """The same in bytes a second and seconds."""
        return Link(1e9 * self.gigabytes, 1e-6 * self.microseconds)


class ModelPreset(_Preset):
    """One step on one device: `batch` rows at `rows_per_second`, `parameters` values exchanged."""

    device: str
    parameters: int
    batch: int
    rows_per_second: float
    fixed_milliseconds: float
    link: str
    rows: str
    """What a row is called."""

    def setup(self, link: LinkPreset, hidden: float = HIDDEN) -> Setup:
        """The scaling model of this step over a link."""
        return Setup(
            batch=self.batch,
            step_seconds=self.batch / self.rows_per_second,
            parameters=self.parameters,
            link=link.link,
            hidden=hidden,
            fixed=self.fixed_milliseconds / 1000,
        )


def links() -> dict[str, LinkPreset]:
    """All links, by name."""
    return {one["name"]: LinkPreset.model_validate(one) for one in _read()["links"]}


def models() -> dict[str, ModelPreset]:
    """All steps on one device, by name."""
    return {one["name"]: ModelPreset.model_validate(one) for one in _read()["models"]}


def calibrated(found: Measurement) -> Setup:
    """The model of a measurement of this machine, from its step on one replica alone.

    Of that step as much is fixed as of the lesson's own; the link is the machine's memory.
    """
    one = found.step("strong", 1)
    seconds = one.milliseconds / 1000
    return Setup(
        batch=one.batch,
        step_seconds=seconds,
        parameters=found.size.parameters,
        link=links()["memory"].link,
        fixed=min(models()["lesson"].fixed_milliseconds / 1000, seconds),
    )


def latency_source() -> tuple[str, str]:
    """Where the latencies come from: title and address."""
    return _read()["latency_source"], _read()["latency_url"]


@functools.cache
def _read() -> dict[str, Any]:
    return dict(yaml.safe_load(FILE.read_text(encoding="utf-8")))
