"""What a benchmark says while it works: lines on standard error."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)
