"""The lesson's words state no result: numbers come from runs, through placeholders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ui.contents import CONTENTS
from ui.words import FOLDER, fill, plain, words

REFERENCE = re.compile(r"`\[[^\]]*\]`")
"""A sample row quoted from the source document, labelled as the reference example."""
FACTS = re.compile(r"× 4 bytes|1,000 bytes|7K2MQ-D40XZ")
"""A float32's size, a kilobyte's, and how a code looks: true of no run in particular."""
PLACEHOLDER = re.compile(r"\{\w+\}")


def typed_numbers(text: str) -> list[str]:
    """Shapes and results that stand in a text itself.

    Single digits pass (0 and 1 are the ends of a scale, "4 replicas" is what a question asks
    about), unless they are a shape or a share.
    """
    rest = PLACEHOLDER.sub("…", FACTS.sub("", REFERENCE.sub("", text)))
    shapes = re.findall(r"\d+ ?[x×] ?[\d(…]|[\d…)] ?[x×] ?\d+|\d+ ?%", rest)
    return shapes + re.findall(r"\d[\d,]*\.\d+|\d[\d,]*\d", rest)


def texts(value: object, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [found for key, part in value.items() for found in texts(part, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for i, part in enumerate(value) for found in texts(part, f"{path}.{i}")]
    return [(path, value)] if isinstance(value, str) else []


LESSON = [
    pytest.param(text, id=f"{file.stem}{path}")
    for file in sorted(FOLDER.glob("*.yaml"))
    if file.stem != "presets"
    for path, text in texts(yaml.safe_load(file.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("text", LESSON)
def test_no_shape_and_no_result_is_typed_into_the_words(text: str) -> None:
    assert typed_numbers(text) == []


@pytest.mark.parametrize(
    "text",
    ["10,000 rows", "the loss ends at 0.34", "2 x (128 x 20)", "84 % right", "3,457 weights"],
)
def test_a_typed_number_is_found(text: str) -> None:
    assert typed_numbers(text)


@pytest.mark.parametrize("page", [entry.slug for entry in CONTENTS if entry.slug != "quiz"])
def test_every_page_of_the_contents_that_has_words_says_a_claim_and_what_to_remember(
    page: str,
) -> None:
    if not (FOLDER / f"{page}.yaml").exists():
        assert (Path("pages") / f"{page.replace('-', '_')}.py").exists()
        return
    said = words(page)
    assert said.title
    assert said.takeaway
    assert len(said.lede.split()) <= 80, "not more than 80 words before the first picture"
    if said.predict is not None:
        assert sum(option.right for option in said.predict.options) == 1
        assert all(option.reply for option in said.predict.options)


def test_no_words_hold_markup() -> None:
    for file in FOLDER.glob("*.yaml"):
        assert "<" not in file.read_text(encoding="utf-8"), file.name


def test_a_missing_value_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError):
        fill("{rows} rows", {})


@pytest.mark.parametrize(
    "hostile",
    ["*bold*", "[x](javascript:alert(1))", "<img src=x>", ":red[x]", "$x$", "# head", "a_b_c", "`"],
)
def test_a_learners_text_is_escaped_so_that_nothing_in_it_is_markup(hostile: str) -> None:
    shown = plain(hostile)
    unescaped = re.sub(r"\\.", "", shown)
    assert not re.search(r"[*_\[\]<>:$#`]", unescaped)
    assert re.sub(r"\\(.)", r"\1", shown) == hostile
