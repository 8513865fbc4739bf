"""The leave-out picture: drawn to SVG, its values against NumPy, its blank panel blank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import vl_convert

from pipeline import answers, recordings
from pipeline.what_if_view import Part, WhatIf
from ui import palette, pictures_aggregate


@pytest.fixture(scope="module")
def found() -> WhatIf:
    key = answers.recorded_key("what-if", recordings.what_if_question("two-replicas", 9, 0))
    return WhatIf.load(answers.RECORDED / key, 0)


@pytest.fixture(scope="module")
def part(found: WhatIf) -> Part:
    chosen = found.part()
    assert chosen is not None
    return chosen


@pytest.fixture(scope="module")
def spec(found: WhatIf, part: Part) -> dict[str, Any]:
    return pictures_aggregate.leave_out(found, part, "your row").to_dict()


def panels(spec: dict[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
    rows = spec["layer"][0]["data"]["values"]
    return {(row["row"], row["column"]): row for row in rows}


def test_each_panel_holds_the_difference_of_the_two_records(
    spec: dict[str, Any], found: WhatIf, part: Part
) -> None:
    shown = panels(spec)
    inside = np.ix_(part.rows, part.columns)
    one, other = found.complete, found.without
    assert len(shown) == 6
    for replica in range(2):
        expected = [
            one.own[replica][part.tensor] - other.own[replica][part.tensor],
            one.sums[replica][part.tensor] - other.sums[replica][part.tensor],
            one.after[replica][part.tensor] - other.after[replica][part.tensor],
        ]
        for column, tensor in enumerate(expected):
            np.testing.assert_allclose(
                shown[replica, column]["v"], tensor[inside].ravel(), rtol=1e-3
            )


def test_one_panel_is_blank_and_both_rows_agree_from_the_second_column_on(
    spec: dict[str, Any], found: WhatIf
) -> None:
    shown = panels(spec)
    blank = [place for place, panel in shown.items() if not any(panel["v"])]

    assert blank == [(found.other, 0)]
    for column in (1, 2):
        assert shown[0, column]["v"] == shown[1, column]["v"]


def test_both_rows_of_a_column_share_one_scale(spec: dict[str, Any]) -> None:
    shown = panels(spec)

    for column in range(3):
        assert shown[0, column]["limit"] == shown[1, column]["limit"]
        assert shown[0, column]["stretch"] == shown[1, column]["stretch"]
        largest = max(abs(v) for row in range(2) for v in shown[row, column]["v"])
        assert largest == pytest.approx(shown[0, column]["limit"], rel=1e-3)


@pytest.mark.parametrize("theme", palette.PALETTES)
def test_it_draws_in_both_themes(spec: dict[str, Any], theme: str) -> None:
    drawn = {**coloured(spec, palette.PALETTES[theme]), "width": 560}
    svg = vl_convert.vegalite_to_svg(drawn)

    assert svg.count("exactly 0") >= 1
    assert "never saw your row" in svg
    assert palette.PALETTES[theme]["R1"].lower() in svg.lower()


def coloured(value: Any, colours: palette.Palette) -> Any:
    """The spec with its tokens replaced, as the player does."""
    if isinstance(value, str) and value.startswith("$"):
        return colours[value[1:]]
    if isinstance(value, list):
        return [coloured(item, colours) for item in value]
    if isinstance(value, dict):
        return {key: coloured(item, colours) for key, item in value.items()}
    return value
