"""The handouts of the teaching kit, printed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tools.teaching_kit import TARGET

pytestmark = pytest.mark.browser
PAGE = re.compile(rb"/Type\s*/Page\b")


@pytest.mark.parametrize("name", ["handout.html", "handout-solutions.html"])
def test_a_handout_is_one_sheet_of_two_pages(page: Page, name: str) -> None:
    page.goto((TARGET / name).as_uri())
    assert len(PAGE.findall(page.pdf(prefer_css_page_size=True))) == 2
