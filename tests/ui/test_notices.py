"""Sentences at the top of a page: every one that was told, and nothing in them is marked up."""

from __future__ import annotations

import re

import pytest

from tests.ui.apptest import opened
from ui import keys
from ui.contents import CONTENTS

PAGES = [entry.file.removesuffix(".py") for entry in CONTENTS]
MARKED = "**big** ![seen](https://elsewhere.example/x.png) <b>bold</b> `code` $x$"


@pytest.mark.parametrize("page", ["load", "train", "aggregate"])
def test_a_link_with_two_faults_is_told_both(page):
    app = opened(page, epochs="many", run="0" * 20)
    told = [warning.value for warning in app.warning]
    assert len(told) == 2
    assert "epochs" in told[0]
    assert "run" in told[1]


@pytest.mark.parametrize("page", PAGES)
def test_marks_in_a_notice_are_shown_as_they_stand(page):
    app = opened(page)
    app.session_state[keys.NOTICES] = [MARKED]
    (told,) = [warning.value for warning in app.run().warning if "big" in warning.value]
    assert not re.search(r"(?<!\\)[*\[\]`$<]", told)


def test_a_link_with_marks_in_it_is_told_and_not_marked_up():
    (told,) = [warning.value for warning in opened("load", order=MARKED).warning]
    assert "big" in told
    assert not re.search(r"(?<!\\)[*\[\]`$<]", told)


def test_a_sentence_is_told_once_and_gone_with_the_next_page():
    app = opened("load", epochs="many")
    assert len(app.warning) == 1
    app.switch_page("normalise.py").run()
    assert not app.warning
