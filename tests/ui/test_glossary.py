"""Terms of the field: marked where they are met, explained in one sentence, never as markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ui import glossary
from ui.words import FOLDER, Words, words

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    file.stem
    for file in FOLDER.glob("*.yaml")
    if file.stem != "glossary" and "[[" in file.read_text("utf-8")
)


def said(page: str) -> set[str]:
    """The names of the texts that are put by `Page.say`, which knows terms."""
    names = set()
    for folder in ("pages", "ui"):
        for file in (ROOT / folder).rglob("*.py"):
            names |= set(re.findall(r'\.say\(\s*"(\w+)"', file.read_text("utf-8")))
    return {name for name in words(page).texts if name in names}


def in_plain_places(page: Words) -> list[str]:
    asked = [] if page.predict is None else [page.predict.question]
    options = [] if page.predict is None else page.predict.options
    texts = [part for option in options for part in (option.text, option.reply)]
    return [page.title, page.takeaway, *page.frames, *asked, *texts]


def test_the_core_pages_explain_terms() -> None:
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", PAGES)
def test_a_page_marks_known_terms_only_once_each_and_only_where_they_are_shown(page: str) -> None:
    file = (FOLDER / f"{page}.yaml").read_text("utf-8")
    found = [mark["term"] for mark in glossary.MARK.finditer(file)]
    assert len(found) == file.count("[["), "each mark closes on its own line"
    assert set(found) <= set(glossary.terms())
    assert len(found) == len(set(found)), "a term is marked where it first stands"
    of = words(page)
    assert not [text for text in in_plain_places(of) if "[[" in text]
    assert {name for name, text in of.texts.items() if "[[" in text} <= said(page)


def test_every_sentence_is_one_sentence_without_markup() -> None:
    raw = yaml.safe_load((FOLDER / "glossary.yaml").read_text("utf-8"))
    assert raw == glossary.terms()
    for term, sentence in raw.items():
        assert re.fullmatch(r"[^.<>{}\[\]*`]+\.", sentence), term


def test_a_term_is_a_button_that_its_sentence_describes() -> None:
    shown = glossary.marked("A [[copy|replica]] has **{rows}** rows of `x`.", {"rows": 5})
    name = re.search(r'<button type="button" aria-describedby="([\w-]+)">copy</button>', shown)
    assert name
    sentence = glossary.terms()["replica"]
    assert f'<span role="tooltip" id="{name[1]}">{sentence}</span>' in shown
    assert shown.startswith("<p>A <span")
    assert shown.endswith("has <b>5</b> rows of <code>x</code>.</p>")


def test_two_paragraphs_stay_two() -> None:
    assert glossary.marked("One [[step]].\n\nTwo.", {}).count("<p>") == 2


@pytest.mark.parametrize("hostile", ["<img src=x onerror=1>", "a & b", '"><script>'])
def test_what_looks_like_html_is_text(hostile: str) -> None:
    shown = glossary.marked(hostile + " [[step]] {x}", {"x": hostile})
    rest = re.sub(r'<span class="gloss">.*</span></span>', "", shown)
    assert re.findall(r"<[^>]*>", rest) == ["<p>", "</p>"]


def test_a_term_that_the_glossary_lacks_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(KeyError):
        glossary.marked("[[no such thing]]", {})
