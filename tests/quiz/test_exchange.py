"""The bank for Moodle: every character survives, and the key is where it belongs."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from quiz.exchange import as_gift, as_moodle_xml
from quiz.loading import examine_bytes
from quiz.markup import as_html
from quiz.model import Bank

NASTY = r"a ~b =c #d {e} :f \g `<h> & ]]>` “i”"


def test_moodle_xml_reads_back_as_it_was(bank: Bank):
    tree = ET.fromstring(as_moodle_xml(bank))

    items = tree.findall("question[@type='multichoice']")
    assert [item.findtext("name/text") for item in items] == [q.id for q in bank.questions]
    for item, question in zip(items, bank.questions, strict=True):
        answers = item.findall("answer")
        right = [index for index, a in enumerate(answers) if a.get("fraction") == "100"]
        assert ["ABCD"[index] for index in right] == [question.answer]
        for answer, option in zip(answers, question.options.values(), strict=True):
            assert answer.findtext("feedback/text") == as_html(option.feedback)
        assert len(item.findall("hint")) == len(question.hints)


def test_what_means_something_to_a_format_is_escaped_in_both(valid: str):
    bank = examine_bytes(valid.replace('"16"', f"'{NASTY}'").encode()).bank
    assert bank is not None

    option = ET.fromstring(as_moodle_xml(bank)).findall("question/answer")[3]
    assert option.findtext("text") == as_html(NASTY)
    (line,) = [line for line in as_gift(bank).splitlines() if "“i”" in line]
    text = line.removeprefix("\t~[html]")
    bare = re.sub(r"\\.", "", text)
    assert bare.count("#") == 1
    assert not set("~={}:") & set(bare)
    assert re.sub(r"\\(.)", r"\1", text).startswith(as_html(NASTY) + "#")


def test_gift_has_one_block_for_each_question_and_no_blank_line_inside(bank: Bank):
    blocks = [b for b in as_gift(bank).split("\n\n") if b.startswith("::")]

    assert len(blocks) == len(bank.questions)
    for block, question in zip(blocks, bank.questions, strict=True):
        options = [line for line in block.splitlines() if re.match(r"\t[=~]", line)]
        assert "".join(x for x, y in zip("ABCD", options, strict=True) if y[1] == "=") == (
            question.answer
        )
        assert block.rstrip().endswith("}")
