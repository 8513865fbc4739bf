"""The field's terms, one sentence each, and how a text shows one where the reader meets it.

    A [[replica]] works on its share of the [[rows of one step|global batch]].

A marked term is underlined with dots and shows its sentence on hover, on keyboard focus and on a
tap, with CSS alone. Streamlit's Markdown has no such thing, so a text with marks is put as HTML.
"""

from __future__ import annotations

import functools
import html
import re

import streamlit as st
import yaml

from quiz.markup import as_html
from ui.words import FOLDER, Values, fill

MARK = re.compile(r"\[\[(?:(?P<words>[^\[\]|]+)\|)?(?P<term>[^\[\]|]+)\]\]")


@functools.cache
def terms() -> dict[str, str]:
    """Every term with its sentence, in the file's order."""
    found = yaml.safe_load((FOLDER / "glossary.yaml").read_text(encoding="utf-8"))
    return {str(term): str(sentence) for term, sentence in found.items()}


def show(text: str, values: Values) -> None:
    """Put a text of the lesson, where the caller is; its marked terms show their sentences.

    With marks, `values` must be words and numbers of the lesson's own: nothing a learner supplied.
    """
    if MARK.search(text):
        st.html(marked(text, values))
    else:
        st.markdown(fill(text, values))


def marked(text: str, values: Values) -> str:
    """The text as HTML paragraphs; everything but the terms, `code` and stars is escaped.

    Raises KeyError for a term that the glossary lacks.
    """
    return "".join(f"<p>{_paragraph(part, values)}</p>" for part in text.strip().split("\n\n"))


def _paragraph(text: str, values: Values) -> str:
    parts, end = [], 0
    for mark in MARK.finditer(text):
        parts += [as_html(fill(text[end : mark.start()], values)), _term(mark)]
        end = mark.end()
    return "".join([*parts, as_html(fill(text[end:], values))])


def _term(mark: re.Match[str]) -> str:
    term = mark["term"]
    name = f"term-{term.replace(' ', '-').lower()}"
    return (
        f'<span class="gloss"><button type="button" aria-describedby="{html.escape(name)}">'
        f"{html.escape(mark['words'] or term)}</button>"
        f'<span role="tooltip" id="{html.escape(name)}">{html.escape(terms()[term])}</span></span>'
    )
