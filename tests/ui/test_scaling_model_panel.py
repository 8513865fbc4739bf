"""The scaling model's section: the picture's formula, its presets, its tables."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pipeline import published, scaling_presets
from ui import keys, scaling_panel
from ui.palette import LIGHT
from ui.pictures_scaling_model import PARTS, step_time
from ui.words import words

SCRIPT = """
from ui import scaling_model_panel
scaling_model_panel.section(None)
"""


def shown() -> AppTest:
    at = AppTest.from_string(SCRIPT, default_timeout=30).run()
    assert not at.exception
    return at


def text(at: AppTest) -> str:
    return "\n".join(str(one.value) for one in at.markdown)


@pytest.mark.parametrize("name", scaling_presets.models())
def test_the_picture_is_a_valid_chart_with_a_slider_for_each_assumption(name):
    model = scaling_presets.models()[name]
    setup = model.setup(scaling_presets.links()[model.link])
    spec = step_time(setup, words("faster-model")).to_dict()
    bound = {param["name"]: param for param in spec["params"] if "bind" in param}
    assert set(bound) == {"weak", "power", "reached", "hidden", "fixed", "again"}
    for param in bound.values():
        assert param["bind"]["name"].strip(), "a slider has a name to be read out"
    assert bound["fixed"]["value"] == pytest.approx(1000 * setup.fixed)
    assert bound["fixed"]["value"] <= bound["fixed"]["bind"]["max"]
    drawn = spec["data"]["values"]
    assert {row["part"] for row in drawn} == set(PARTS)
    used = {part[1:] for part in str(spec).split("'") if part.startswith("$")} - {"schema"}
    assert used <= LIGHT.keys()


def test_another_step_starts_from_its_own_link_again():
    at = shown()
    at.selectbox(keys.SCALING_LINK).select("ethernet25").run()
    assert at.selectbox(keys.SCALING_LINK).value == "ethernet25"
    at.selectbox(keys.SCALING_START).select("resnet50-a100").run()
    assert at.selectbox(keys.SCALING_LINK).value == "nvlink3"
    assert not at.exception


def test_the_section_says_how_often_the_model_is_off_and_why():
    said = text(shown())
    rows = published.table()
    off = [row for row in rows if row.is_off]
    assert f"Of {len(rows)} published points" in said
    assert f"by more than 25% for {len(off)}" in said
    for row in off:
        assert row.result.why in said
    for row in rows:
        assert row.source.url in said


def test_every_link_with_a_source_on_the_web_is_linked():
    said = text(shown())
    for link in scaling_presets.links().values():
        assert f"{link.title}]({link.url})" in said or not link.url


def test_the_tables_hold_the_models_numbers_for_both_ways_of_scaling():
    at = shown()
    tables = [str(one.proto.body) for one in at.get("html")]
    model = scaling_presets.models()["lesson"]
    setup = model.setup(scaling_presets.links()[model.link])
    for weak, table in zip((False, True), tables, strict=False):
        for count in (1, 2, 4, 8):
            assert f"{setup.speed_up(count, weak=weak):.2f}×" in table


def test_the_recorded_measurements_stand_beside_the_model_for_no_more_replicas_than_cores():
    at = shown()
    table = next(str(one.proto.body) for one in at.get("html") if "bytes own" in one.proto.body)
    shipped = scaling_panel.recorded()
    assert shipped
    for found in shipped.values():
        one = found.step("strong", 1)
        setup = scaling_presets.calibrated(found)
        assert setup.scaled(1, weak=False).seconds == pytest.approx(one.milliseconds / 1000)
        for count in found.replicas:
            measured = f"{found.speed_up('strong', count):.2f}×</td>"
            foretold = f"<td>{setup.speed_up(count, weak=False):.2f}×</td>"
            both = measured + foretold
            assert (both in table) == (1 < count <= found.cores)
