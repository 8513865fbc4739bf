"""A bank for other quiz systems: Moodle XML and GIFT text. Holds the keys: for teachers only.

Moodle takes one question at a time with its own feedback for each option; hints become Moodle's
hints, and the solution the general feedback. What these formats cannot say (sets that shuffle,
evidence, lessons) is left out.
"""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

from quiz.markup import as_html
from quiz.model import Bank, Option, Question

# XML 1.0 has no way to write these; a bank that was loaded has none of them.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_moodle_xml(bank: Bank) -> str:
    """The bank as a file for Moodle's "Import questions, Moodle XML format"."""
    quiz = ET.Element("quiz")
    for name in bank.set_names:
        category = ET.SubElement(quiz, "question", type="category")
        title = bank.set_info(name).title.replace("/", "//")
        _text(category, "category", f"$course$/top/{title}")
        for question in bank.in_set(name):
            _moodle(quiz, question, bank.set_info(name).shuffle)
    ET.indent(quiz)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(quiz, encoding="unicode")}\n'


def _moodle(quiz: ET.Element, question: Question, shuffle: bool) -> None:
    item = ET.SubElement(quiz, "question", type="multichoice")
    _text(item, "name", question.id)
    _html(item, "questiontext", _prompt(question))
    _html(item, "generalfeedback", _solution(question))
    for tag, value in (
        ("defaultgrade", "1"),
        ("penalty", "0.3333333"),
        ("single", "true"),
        ("shuffleanswers", str(shuffle).lower()),
        ("answernumbering", "ABCD"),
    ):
        ET.SubElement(item, tag).text = value
    for letter, option in question.options.items():
        fraction = "100" if letter == question.answer else "0"
        answer = ET.SubElement(item, "answer", fraction=fraction, format="html")
        ET.SubElement(answer, "text").text = _clean(_choice(option))
        _html(answer, "feedback", as_html(option.feedback))
    for hint in question.hints:
        _html(item, "hint", as_html(hint))
    tags = ET.SubElement(item, "tags")
    _text(tags, "tag", question.difficulty)


def _text(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(ET.SubElement(parent, tag), "text").text = _clean(text)


def _html(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(ET.SubElement(parent, tag, format="html"), "text").text = _clean(text)


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def as_gift(bank: Bank) -> str:
    """The bank as a GIFT text. A blank line separates questions, so none is inside one."""
    blocks = [f"// {_one_line(bank.title)}\n"]
    for name in bank.set_names:
        title = bank.set_info(name).title.replace("/", "//")
        blocks.append(f"$CATEGORY: $course$/top/{_one_line(title)}\n")
        blocks += [_gift(question) for question in bank.in_set(name)]
    return "\n".join(blocks)


def _gift(question: Question) -> str:
    lines = [f"::{_escaped(question.id)}::[html]{_escaped(_prompt(question))}{{"]
    for letter, option in question.options.items():
        mark = "=" if letter == question.answer else "~"
        feedback = _escaped(as_html(option.feedback))
        lines.append(f"\t{mark}[html]{_escaped(_choice(option))}#{feedback}")
    lines.append(f"\t####{_escaped(_solution(question))}")
    return "\n".join([*lines, "}", ""])


def _escaped(text: str) -> str:
    r"""GIFT's own characters with a backslash; a line end as \n, as Moodle writes it."""
    return re.sub(r"([\\~=#{}:])", r"\\\1", text).replace("\n", "\\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _prompt(question: Question) -> str:
    return f"<p>{as_html(question.prompt)}</p>{_program(question.code)}"


def _choice(option: Option) -> str:
    return as_html(option.text or "") + _program(option.code)


def _solution(question: Question) -> str:
    steps = "".join(f"<li>{as_html(step)}</li>" for step in question.solution)
    return f"<ol>{steps}</ol>"


def _program(code: str | None) -> str:
    return f"<pre>{html.escape(code, quote=False)}</pre>" if code else ""
