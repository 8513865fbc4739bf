"""Charts as files: the same rows as the page draws, in a picture any program opens."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from pipeline import recordings
from pipeline.runs import Runs
from tests.pipeline.test_feed import IdleLauncher
from ui.palette import LIGHT, coloured
from ui.take_home_panel import picture_png, picture_svg


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    opened = Runs(tmp_path_factory.mktemp("pictures"), IdleLauncher())
    opened.open()
    yield opened.view(recordings.DEFAULT)
    opened.close()


def test_the_svg_is_sound_and_has_the_replicas_colours(run):
    svg = picture_svg(run, "loss")
    ET.fromstring(svg)
    for token in ("R0", "R1", "ink"):
        assert LIGHT[token] in svg
    assert "$R0" not in svg


def test_the_png_is_a_png(run):
    assert picture_png(run, "loss").startswith(b"\x89PNG")


def test_tokens_become_colours_at_any_depth_and_other_text_stays():
    spec = {"a": ["$R0", {"b": "$ink"}], "c": "costs $5", "d": 1}
    assert coloured(spec, LIGHT) == {
        "a": [LIGHT["R0"], {"b": LIGHT["ink"]}],
        "c": "costs $5",
        "d": 1,
    }
