"""Text that somebody hostile, or a broken program, might send: generated from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

PIECES = (
    *(
        "",
        " ",
        "\t",
        "0",
        "-1",
        "1e309",
        "NaN",
        "inf",
        "0x10",
        "1_000",
        "²",
        "٣",
        "99999999999999999999",
    ),
    *("../", "..%2f", "/etc/passwd", "\\\\host\\share", "file:///etc/passwd", "C:\\", "~", "."),
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))"),
    *("'; DROP TABLE learners; --", '" OR 1=1', "${7*7}", "{{7*7}}", "%s%n", "{0}", "$x$"),
    *(":red[x]", "`", "```", "$$", "\\", "&amp;", "&#0;", "%00", "%", "%zz", "?a=b", "#x"),
    *("\u202e", "\u200b", "\ufeff", "e\u0301", "\U0001f600", "\u0000", "\x1b[31m", "\r\nX: y"),
    *("synthetic", "digits", "two-replicas", "adam", "one-class-each", "step", "true", "None"),
)
"""What values are put together from."""


def values(seed: int, count: int) -> Iterator[str]:
    """`count` values: a piece, a few together, or very long ones."""
    chance = random.Random(seed)
    for _ in range(count):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 4)))
        yield text * chance.choice((1, 1, 1, 1, 2, 500))
