"""Colours, by what they stand for. A colour means a replica; everything else is ink on paper.

`minus` and `plus` are the ends of the scale of signed values, whose middle is paper.
Replicas also have a letter and a dash pattern, so that colour never stands alone. The light set
begins with Okabe and Ito's colours; the dark set has lighter twins, for contrast.
"""

from __future__ import annotations

from typing import Any

Palette = dict[str, str]

LIGHT: Palette = {
    "ink": "#24292F",
    "quiet": "#6B7078",
    "line": "#DDD9CE",
    "paper": "#FCFBF8",
    "minus": "#7A4A0C",
    "plus": "#01574D",
    "R0": "#0072B2",
    "R1": "#D55E00",
    "R2": "#009E73",
    "R3": "#CC79A7",
    "R4": "#7A7A1F",
    "R5": "#332288",
    "R6": "#882255",
    "R7": "#2E8FB0",
}
DARK: Palette = {
    "ink": "#ECE9E2",
    "quiet": "#9BA0A8",
    "line": "#3A3E45",
    "paper": "#17191C",
    "minus": "#E2B874",
    "plus": "#6CCABD",
    "R0": "#4FA3DC",
    "R1": "#F0883E",
    "R2": "#2BC79A",
    "R3": "#E09CC2",
    "R4": "#C8C860",
    "R5": "#9D94E8",
    "R6": "#D46A97",
    "R7": "#7FD1EA",
}
PALETTES = {"light": LIGHT, "dark": DARK}

DASHES: tuple[tuple[int, ...], ...] = (
    (),
    (6, 3),
    (2, 2),
    (8, 3, 2, 3),
    (1, 3),
    (10, 4),
    (4, 1),
    (2, 5),
)
"""One dash pattern for each replica; () is a solid line."""


DATA = ("values", "datasets")
"""Parts of a spec that hold data: a learner's words are no tokens."""


def coloured(value: Any, palette: Palette) -> Any:
    """A copy of a chart's spec in which the tokens (`"$R0"`) are this palette's colours."""
    if isinstance(value, str):
        return palette.get(value[1:], value) if value.startswith("$") else value
    if isinstance(value, list):
        return [coloured(part, palette) for part in value]
    if isinstance(value, dict):
        return {
            name: part if name in DATA else coloured(part, palette) for name, part in value.items()
        }
    return value
