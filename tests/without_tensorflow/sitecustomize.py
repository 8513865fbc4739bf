"""Makes a Python with this folder on its path behave as if TensorFlow were not installed."""

import importlib.abc
import sys
from typing import Any


class Hidden(importlib.abc.MetaPathFinder):
    """Denies that there is a TensorFlow or a Keras."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raises ModuleNotFoundError for those two; others may look for the rest."""
        if name.partition(".")[0] in ("tensorflow", "keras"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hidden())
