"""Settings worth trying, good and bad, from `lesson/en/presets.yaml`."""

from __future__ import annotations

import functools
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from pipeline.config import RunConfig
from ui.words import FOLDER


class Preset(BaseModel):
    """One preset: settings that differ from the default, and why it is good or bad."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    good: bool
    settings: dict[str, Any]
    reason: str

    @property
    def config(self) -> RunConfig:
        """The preset's settings in full."""
        return RunConfig.checked(self.settings)


@functools.cache
def presets() -> tuple[Preset, ...]:
    """All of them, in the file's order."""
    found = yaml.safe_load((FOLDER / "presets.yaml").read_text(encoding="utf-8"))
    return tuple(Preset.model_validate(item) for item in found)
