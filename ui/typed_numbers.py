"""Times and counts as people write them: `180 ms`, `0.18 s`, `25.6 M`, `1.3 B`, `16,384`."""

from __future__ import annotations

import math
import re

from pipeline.progress_lines import UNITS

TIMES = UNITS | {"min": 60.0}
COUNTS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9}
_NUMBER = r"\s*(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*"


def seconds(text: str) -> float | None:
    """Seconds above 0 from a number with its unit; None for anything else, a missing unit too."""
    units = "|".join(sorted(TIMES, key=len, reverse=True))
    match = re.fullmatch(rf"{_NUMBER}({units})\.?\s*", text, re.IGNORECASE)
    if match is None:
        return None
    found = float(match[1].replace(",", "")) * TIMES[match[2].lower()]
    return found if 0 < found < math.inf else None


def count(text: str) -> float | None:
    """A count above 0, with k, M or B for thousands, millions and billions; None otherwise."""
    match = re.fullmatch(rf"{_NUMBER}([kmb]?)\s*", text, re.IGNORECASE)
    if match is None:
        return None
    found = float(match[1].replace(",", "")) * COUNTS[match[2].lower()]
    return found if 0 < found < math.inf else None
