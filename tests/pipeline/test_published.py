"""Published results, presets and their sources; what the model says of them, counted again."""

from __future__ import annotations

import re

import pytest

from pipeline import published, scaling_presets
from pipeline.published import OFF
from pipeline.scaling_model import BACKWARD, HIDDEN, REACHED

ROWS = published.table()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.result.model}-{row.devices}")
def test_every_prediction_comes_from_the_point_of_one_device_and_one_set_of_assumptions(row):
    result, n = row.result, row.devices
    link = scaling_presets.links()[result.link]
    one = result.batch / result.one
    each = 4 * result.parameters / n / (REACHED * 1e9 * link.gigabytes) + 1e-6 * link.microseconds
    ring = 2 * (n - 1) * each
    step = one + ring - min(HIDDEN * ring, BACKWARD * one)
    assert row.predicted == pytest.approx(n * one / step)
    assert row.nothing_hidden == pytest.approx(n * one / (one + ring))
    assert row.nothing_hidden <= row.predicted <= row.all_hidden <= n


def test_where_the_model_is_off_by_more_than_a_quarter_it_is_said_why():
    assert all(row.result.why for row in ROWS if row.is_off)
    assert all(row.is_off == (abs(row.predicted / row.published - 1) > OFF) for row in ROWS)


def test_what_the_reasons_say_of_lost_time_is_so():
    def lost(model: str, machine: str, batch: int) -> float:
        """Seconds that a step on all devices takes longer than on one."""
        row = next(
            row
            for row in reversed(ROWS)
            if (row.result.model, row.result.machine, row.result.batch) == (model, machine, batch)
        )
        one = batch / row.result.one
        return one * row.devices / row.published - one

    vgg, fewer_rows = lost("VGG-16", "8 × P100", 64), lost("VGG-16", "8 × P100", 32)
    assert lost("AlexNet", "8 × P100", 512) == pytest.approx(vgg, rel=0.05)
    assert fewer_rows > 1.3 * vgg
    fp32, mixed = lost("BERT-large", "8 × V100 FP32", 10), lost("BERT-large", "8 × V100 mixed", 24)
    assert fp32 / mixed == pytest.approx(1 / 3, abs=0.02)
    tf32, mixed = lost("BERT-large", "8 × A100 TF32", 16), lost("BERT-large", "8 × A100 mixed", 32)
    assert tf32 / mixed == pytest.approx(1 / 6, abs=0.02)


def test_most_points_are_near_and_none_is_left_out_for_being_far():
    near = sum(abs(row.error) <= 0.1 for row in ROWS)
    assert near > len(ROWS) / 2
    assert any(row.is_off for row in ROWS)


def test_the_points_come_from_three_sources_or_more_each_with_an_address():
    sources = {row.source.url for row in ROWS}
    assert len(sources) >= 3
    assert all(url.startswith("https://") for url in sources)


def test_every_preset_has_a_source_and_a_link_that_exists():
    links, models = scaling_presets.links(), scaling_presets.models()
    wanted = {"pcie4", "nvlink3", "nvlink4", "ethernet25", "ethernet100", "hdr", "ndr"}
    assert wanted <= links.keys()
    assert {"lesson", "resnet50-a100", "bert-large-a100", "transformer-1b"} <= models.keys()
    for preset in (*links.values(), *models.values()):
        assert preset.source
        assert preset.url.startswith("https://") or "measured" in preset.source
    for model in models.values():
        assert model.setup(links[model.link]).step_seconds > 0


def test_bandwidths_are_what_the_names_of_the_links_say():
    for link in scaling_presets.links().values():
        gigabits = re.match(r"(\d+) Gbit", link.title)
        if gigabits:
            assert link.gigabytes == int(gigabits[1]) / 8
    pcie = {3: 8, 4: 16}
    for version, transfers in pcie.items():
        preset = scaling_presets.links()[f"pcie{version}"]
        assert preset.gigabytes == pytest.approx(transfers * 16 * 128 / 130 / 8, abs=0.05)


def test_the_lessons_own_model_has_as_many_parameters_as_its_layers():
    own = scaling_presets.models()["lesson"]
    assert own.parameters == 21 * 64 + 65 * 32 + 33
