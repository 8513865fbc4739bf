"""The pictures of the scaling lab hold the numbers of the measurement."""

from __future__ import annotations

import pytest

from pipeline.scaling_result import Measurement
from tests.pipeline.test_scaling_result import told
from ui import pictures_scaling
from ui.pictures_scaling import milliseconds


def rows(spec, field):
    """All inline records of a chart that have this field."""
    found = []
    for layer in spec["layer"]:
        found += [row for row in layer["data"]["values"] if field in row]
    return found


@pytest.fixture(scope="module")
def found():
    return Measurement.read(told())


def test_the_stack_is_as_high_as_the_parts_and_the_mark_as_the_whole(found):
    spec = pictures_scaling.parts(found).to_dict()
    for n in found.replicas:
        split = found.parts(n)
        bars = [row for row in rows(spec, "part") if row["n"] == n]
        assert bars[0]["y0"] == 0
        assert [row["y1"] for row in bars[:-1]] == [row["y0"] for row in bars[1:]]
        assert bars[-1]["y1"] == pytest.approx(split.compute + split.all_reduce + split.input)
        wholes = {row["ms"] for row in rows(spec, "ideal") if row["n"] == n}
        assert wholes == {split.whole}


def test_the_ideal_is_one_replicas_time_shared_out(found):
    one = found.step("strong", 1).milliseconds
    spec = pictures_scaling.parts(found).to_dict()
    ideals = {row["n"]: row["ideal"] for row in rows(spec, "ideal")}
    assert ideals == {n: pytest.approx(one / n) for n in found.replicas}


def test_a_part_below_zero_has_no_bar_but_keeps_its_number():
    result = told(times=lambda setting: 5.0 if setting.variant == "full" else 6.0)
    bars = rows(pictures_scaling.parts(Measurement.read(result)).to_dict(), "part")
    below = [row for row in bars if row["ms"] < 0]
    assert below
    assert all(row["y0"] == row["y1"] for row in below)


def test_only_the_picture_that_moves_has_a_position(found):
    assert "position" in str(pictures_scaling.parts(found, moving=True).to_dict())
    assert "position" not in str(pictures_scaling.parts(found).to_dict())


@pytest.mark.parametrize(
    ("picture", "ideal"),
    [(pictures_scaling.speed_up, [1, 2, 4, 8]), (pictures_scaling.efficiency, [100] * 4)],
)
def test_the_lines_hold_both_ways_of_scaling_beside_the_ideal(found, picture, ideal):
    spec = picture(found).to_dict()
    assert [row["y"] for row in spec["layer"][0]["data"]["values"]] == ideal
    strong = [row["y"] for row in rows(spec, "who") if row["who"] == "same global batch"]
    factor = 1 if ideal[0] == 1 else 100
    wanted = found.speed_up if factor == 1 else found.efficiency
    assert strong[:4] == pytest.approx([factor * wanted("strong", n) for n in found.replicas])


def test_one_device_alone_can_be_drawn():
    alone = Measurement.read(told(replicas=(1,)))
    for picture in ("parts", "speed_up", "efficiency", "first_steps"):
        assert getattr(pictures_scaling, picture)(alone).to_dict()


@pytest.mark.parametrize(
    ("value", "text"), [(0.6871, "0.687 ms"), (52.34, "52.3 ms"), (1234.5, "1,234 ms")]
)
def test_milliseconds_have_three_digits(value, text):
    assert milliseconds(value) == text
