"""The one `Runs` and the one `Feed` of this app, made from the environment when first asked for.

`LOCKSTEP_DATA` is the folder that holds everything that is kept (default: `var` in the project).
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from pipeline.feed import Feed
from pipeline.launch import ROOT, default_launcher
from pipeline.limits import Limits
from pipeline.runs import Runs


def data_folder() -> Path:
    """Where runs, uploads and attempts are kept."""
    return Path(os.environ.get("LOCKSTEP_DATA") or ROOT / "var")


@functools.cache
def runs() -> Runs:
    """The app's runs, opened: the trainer process begins to start with the first call."""
    folder = data_folder()
    limits = Limits.from_environment(os.environ)
    opened = Runs(
        folder / "runs", default_launcher(folder / "trainer.log", limits.run_niceness), limits
    )
    opened.open()
    return opened


@functools.cache
def feed() -> Feed:
    """The app's live feed of its runs."""
    return Feed(runs())
