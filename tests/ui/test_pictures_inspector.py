"""The inspector's panels hold the tensors' own numbers, on the scales that they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import vl_convert

from pipeline import recordings, runs
from pipeline.step_records import StepRecord, record_path
from ui import palette, pictures_inspector
from ui.pictures_inspector import Panel

RECORD = StepRecord.load(record_path(runs.RECORDED / recordings.DEFAULT, 9))


def shown(tensor: int) -> tuple[list[Panel | None], np.ndarray, dict[str, Any]]:
    own = [Panel(f"R{r}’s own", f"R{r}", RECORD.own[r][tensor], "gradients") for r in range(2)]
    some = [*own, Panel("sum", "ink", RECORD.all_reduced[tensor], "gradients")]
    like = RECORD.all_reduced[tensor]
    scale = pictures_inspector.scale("gradients", some, like)
    return [*some], like, {"gradients": scale}


def spec(tensor: int) -> dict[str, Any]:
    found: dict[str, Any] = pictures_inspector.panels(*shown(tensor)).to_dict()
    return found


def cells(drawn: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = drawn["layer"][0]["data"]["values"]
    return found


def test_every_value_of_a_matrix_that_is_drawn_is_the_tensors_own_bit_for_bit() -> None:
    cut = pictures_inspector.cut_of(RECORD.all_reduced[0])
    assert cut is not None
    for panel, tensors in zip(cells(spec(0)), [*RECORD.own, RECORD.sums[0]], strict=True):
        inside = tensors[0][np.ix_(cut.rows, cut.columns)].ravel()
        assert np.array(panel["v"], np.float32).tobytes() == inside.tobytes()
        assert (panel["wide"], panel["tall"]) == (32, 20)


def test_a_vector_and_a_matrix_of_one_column_are_drawn_whole_as_bars() -> None:
    for tensor, count in ((1, 64), (4, 32), (5, 1)):
        assert [panel["wide"] for panel in cells(spec(tensor))] == [count] * 3
        assert {panel["bend"] for panel in cells(spec(tensor))} == {1.0}


def test_what_can_be_compared_has_one_scale_that_reaches_its_largest_value() -> None:
    (limit,) = {panel["limit"] for panel in cells(spec(4))}
    assert limit == max(float(np.abs(part[4]).max()) for part in (*RECORD.own, RECORD.all_reduced))


def test_a_gap_leaves_its_place_empty() -> None:
    some, like, scales = shown(0)
    drawn = pictures_inspector.panels([*some[:2], None, None, None, some[2]], like, scales)
    places = [(panel["column"], panel["line"]) for panel in cells(drawn.to_dict())]
    assert places == [(0, 0), (0, 1), (1, 2)]


def test_values_that_are_no_numbers_are_left_out_of_the_scale() -> None:
    burst = np.array([1.0, np.nan, -np.inf, 2.0], np.float32)
    scale = pictures_inspector.scale("weights", [Panel("before", "ink", burst, "weights")], burst)
    assert scale.limit == 2.0
    drawn = pictures_inspector.panels(
        [Panel("before", "ink", burst, "weights")], burst, {"weights": scale}
    )
    assert cells(drawn.to_dict())[0]["v"] == [1.0, None, None, 2.0]


def test_your_row_is_ringed_however_many_rows_there_are() -> None:
    sizes = [np.linspace(0.1, 1, 900), np.linspace(0.2, 2, 900)]
    rows = [np.arange(900), np.arange(900, 1800)]
    drawn = pictures_inspector.rows_of_step(sizes, rows, 901).to_dict()
    lanes = drawn["layer"][0]["data"]["values"]
    assert sum(len(lane["row"]) for lane in lanes) <= pictures_inspector.MOST_DOTS + 1
    assert [901 in lane["row"] for lane in lanes] == [False, True]
    for lane, parts, numbers in zip(lanes, sizes, rows, strict=True):
        expected = parts[np.searchsorted(numbers, lane["row"])]
        np.testing.assert_allclose(lane["size"], expected, rtol=1e-3)


@pytest.mark.parametrize("tensor, marks", [(0, 3 * 640), (1, 3 * 64)])
def test_one_mark_is_drawn_for_each_value(tensor: int, marks: int) -> None:
    drawn = palette.coloured({**spec(tensor), "width": 600}, palette.LIGHT)
    svg = vl_convert.vegalite_to_svg(drawn)
    assert svg.count('aria-roledescription="rect mark"') >= marks
    assert svg.count("sum") >= 1


def test_one_dot_is_drawn_for_each_row_and_one_ring() -> None:
    rows = pictures_inspector.rows_of_step([np.array([0.1, 0.2])], [np.array([3, 4])], 4)
    drawn = palette.coloured({**rows.to_dict(), "width": 600}, palette.DARK)
    svg = vl_convert.vegalite_to_svg(drawn)
    assert svg.count('aria-roledescription="circle"') == 2
    assert svg.count(f'stroke="{palette.DARK["ink"]}"') == 1
