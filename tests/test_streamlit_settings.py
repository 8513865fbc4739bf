""".streamlit/config.toml: Streamlit knows every option, and the theme is readable and colourless.

Streamlit only logs a warning about an option it does not know, so a typing error would be silent.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit import config

FILE = Path(__file__).resolve().parents[1] / ".streamlit/config.toml"
SETTINGS: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
THEMES = ("light", "dark")


def options(settings: dict[str, Any], prefix: str = "") -> list[str]:
    """The dotted names of everything that is set."""
    names = []
    for key, value in settings.items():
        names += options(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]
    return names


def channels(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    scaled = [value / 255 for value in channels(colour)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in scaled]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_agrees_with_the_extremes_of_its_definition():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)


def test_streamlit_knows_every_option():
    assert set(options(SETTINGS)) <= set(config.get_config_options())


def test_nobody_else_on_the_network_can_reach_the_lesson_by_default():
    assert SETTINGS["server"]["address"] == "localhost"


def test_nothing_about_a_learner_is_sent_anywhere():
    assert SETTINGS["browser"]["gatherUsageStats"] is False


def test_both_themes_set_the_same_options():
    assert options(SETTINGS["theme"]["light"]) == options(SETTINGS["theme"]["dark"])


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_paper_and_on_panels(theme: str):
    colours = SETTINGS["theme"][theme]
    papers = [colours["backgroundColor"], colours["secondaryBackgroundColor"]]
    inks = [value for key, value in colours.items() if key.endswith("TextColor")]

    for ink in [colours["textColor"], colours["linkColor"], *inks]:
        for paper in papers:
            assert contrast(ink, paper) >= 4.5, f"{ink} on {paper}"


@pytest.mark.parametrize("theme", THEMES)
def test_a_pressed_control_shows_on_the_page_and_the_white_on_it_shows_too(theme: str):
    """Streamlit writes white on the primary colour in both themes, whatever that colour is."""
    colours = SETTINGS["theme"][theme]

    assert contrast("#FFFFFF", colours["primaryColor"]) >= 4.5
    for paper in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["primaryColor"], paper) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_the_interface_has_no_colour_of_its_own(theme: str):
    colours = {
        key: value for key, value in SETTINGS["theme"][theme].items() if isinstance(value, str)
    }

    for key, value in colours.items():
        assert max(channels(value)) - min(channels(value)) <= 16, f"{key} = {value} is a hue"
