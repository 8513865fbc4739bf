"""The teaching kit is in step with the lesson."""

from __future__ import annotations

import html
import re

import pytest

from tools import teaching_kit
from ui import code, contents, glossary, speaker_notes

KIT = teaching_kit.TARGET


def blanks(file: str) -> list[str]:
    text = (KIT / file).read_text(encoding="utf-8")
    return [html.unescape(found) for found in re.findall(r'<b class="blank[^"]*">(.*?)</b>', text)]


def cells(file: str) -> list[str]:
    table = (KIT / file).read_text(encoding="utf-8").split("</table>")[0]
    return re.findall(r"<td>(.*?)</td>", table)


@pytest.mark.parametrize("name", sorted(teaching_kit.made()))
def test_a_file_of_the_kit_is_what_the_command_makes_today(name: str) -> None:
    here = (KIT / name).read_text(encoding="utf-8")
    assert here == teaching_kit.made()[name], "run: python -m tools.teaching_kit"


def test_the_solutions_are_right_by_hand() -> None:
    """Worked out here from scratch: w = 1, target 2, rate 0.1, rows 1, 2 and 3, 4."""
    expected = [
        *("1", "1", "−1", "−0.25"),
        *("2", "2", "0", "0"),
        *("3", "3", "+1", "+0.75"),
        *("4", "4", "+2", "+2"),
    ]
    assert cells("handout-solutions.html") == expected
    part0, part1 = -0.25 + 0, 0.75 + 2
    after = 1 - 0.1 * (part0 + part1)
    alone0, alone1 = 1 - 0.1 * (-1 + 0) / 2, 1 - 0.1 * (3 + 8) / 2
    again = after - 0.1 * sum((after * x - 2) * x for x in (1, 2, 3, 4)) / 4
    twice0 = alone0 - 0.1 * sum((alone0 * x - 2) * x for x in (1, 2)) / 2
    twice1 = alone1 - 0.1 * sum((alone1 * x - 2) * x for x in (3, 4)) / 2
    numbers = [found for found in blanks("handout-solutions.html") if re.search(r"\d", found)]
    assert [float(found.replace("−", "-")) for found in numbers] == pytest.approx(
        [
            *(part0, part1, part0 + part1, part0 + part1, after, after),
            *(alone0, alone1, (alone0 + alone1) / 2, again, (twice0 + twice1) / 2),
        ],
        abs=5e-5,
    )


def test_the_handout_gives_no_solution_away() -> None:
    assert set(blanks("handout.html")) == {""}
    assert {cell for cell in cells("handout.html") if cell} == {"1", "2", "3", "4"}


def test_the_handout_prints_the_lessons_three_lines_and_its_glossary() -> None:
    text = html.unescape((KIT / "handout.html").read_text(encoding="utf-8"))
    assert code.whole("pipeline/trainer/three_lines.txt").strip() in text
    for term, sentence in glossary.terms().items():
        assert f"<dt>{term}</dt> <dd>{sentence}</dd>" in text


def test_the_exam_has_enough_questions_and_each_one_gives_away_its_points() -> None:
    parts = (KIT / "exam.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(parts) >= 8
    for part in parts:
        worth = re.match(r".*\((\d+) points\)", part)
        assert worth, part
        task, rubric = part.split("*Look for:*")
        shares = [int(found) for found in re.findall(r"\((\d)\)", rubric)]
        assert sum(shares) == int(worth[1]), task


def test_the_plan_is_one_lesson_of_pages_that_exist_in_the_lessons_order() -> None:
    times = speaker_notes.plan()
    assert max(end for _, end in times.values()) == 45
    assert set(times) <= set(contents.LESSONS) | {entry.slug for entry in contents.CONTENTS}
    core = [entry.slug for entry in contents.CONTENTS if entry.group == contents.CORE]
    assert [slug for slug in times if slug in core] == core


def test_the_readme_of_the_kit_names_every_file_of_it() -> None:
    readme = (KIT / "README.md").read_text(encoding="utf-8")
    for file in KIT.iterdir():
        assert f"[{file.name}]({file.name})" in readme or file.name == "README.md"
