"""The cards of Break it as a table: complete, readable without TensorFlow, recorded."""

from __future__ import annotations

import ast
import inspect
import json
import re

import pytest

from pipeline import cards
from pipeline.answers import RECORDED, recorded_key
from pipeline.cards import CARDS, TASK, VERDICTS, Ended
from pipeline.launch import ROOT
from tools.cards import problems

CHOICES = list(cards.choices())
FIRST = [card.choices[0] for card in CARDS]


def functions(module: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / cards.FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def recorded(name: str) -> dict:
    folder = RECORDED / recorded_key(TASK, {"name": name})
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


def test_there_are_enough_cards_and_most_mistakes_among_them_are_silent():
    ends = [choice.verdict for choice in FIRST]

    assert len(CARDS) >= 14
    assert set(ends) == set(VERDICTS)
    assert ends.count("silent") > ends.count("error") + ends.count("hangs")


def test_slugs_and_experiments_have_names_of_their_own():
    assert len({card.slug for card in CARDS}) == len(CARDS)
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_both_programs_of_a_choice_are_short_and_take_the_arguments_they_are_given(choice):
    assert len(choice.changed) == 1
    for program, given in (
        (choice.program, choice.given),
        (choice.other_program, {**choice.given, **choice.changed}),
    ):
        module, _, name = program.partition(".")
        node = functions(module)[name]
        takes = {argument.arg for argument in node.args.args}
        assert set(given) - {"program", "chance"} <= takes
        assert len(ast.unparse(node).splitlines()) <= 25, "a learner reads it at a glance"


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_every_report_is_a_thread_or_an_address(card):
    assert card.reports
    for report in card.reports:
        address = cards.link(report)
        assert re.fullmatch(r"https://[\w./-]+", address)
        if "#" in report:
            assert address == "https://github.com/{}/issues/{}".format(*report.split("#"))


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_the_recorded_answer_of_a_choice_is_what_it_claims_from_the_present_source(choice):
    result = recorded(choice.name)
    module, _, name = choice.program.partition(".")
    source = (ROOT / cards.FOLDER / f"{module}.py").read_text(encoding="utf-8")

    assert problems([choice], {choice.name: result}) == []
    assert ast.get_source_segment(source, functions(module)[name]) == result["code"]
    assert Ended.read(result).saw


def test_a_card_that_tensorflow_contradicts_is_named():
    choice = FIRST[0]
    result = recorded(choice.name)
    result["observation"]["verdict"] = "fine"
    told = problems([choice], {choice.name: result})

    assert len(told) == 1
    assert choice.name in told[0]
    assert inspect.cleandoc(told[0]) == told[0]


def test_an_unknown_slug_is_the_first_card_and_an_unknown_choice_the_first_choice():
    assert cards.find("no-such-card") is CARDS[0]
    assert CARDS[1].choice("no-such-choice") is CARDS[1].choices[0]
