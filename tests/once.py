"""What is dear is made once, although several processes run the tests."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from filelock import FileLock

T = TypeVar("T")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """What `make` returns for an empty folder that stays; pickled for the other workers.

    Whichever worker asks first makes it, and the others wait for it.
    """
    workers_own = factory.getbasetemp()
    root = workers_own.parent if "PYTEST_XDIST_WORKER" in os.environ else workers_own
    folder, kept = root / name, root / f"{name}.pickle"
    with FileLock(root / f"{name}.lock"):
        if not kept.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            made = make(folder)
            kept.write_bytes(pickle.dumps(made))
        found: T = pickle.loads(kept.read_bytes())
    return found
