"""The evidence table, and what it takes for a contradiction, on results that are made up here.

The real results are looked at in tests/pipeline/trainer/test_experiments.py.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pipeline import experiments_index
from quiz.loading import load
from quiz.model import Bank, Evidence, Option
from tools import evidence


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load(evidence.BANK)


@pytest.fixture
def results(bank: Bank) -> dict[str, Any]:
    """Results that agree with the bank in every point."""
    found: dict[str, Any] = {}
    for question, letter, option in evidence.options(bank, bank.set_names):
        holds = None if named(option).not_testable else letter == question.answer
        found[named(option).experiment] = {
            "claim": f"the claim of {letter}",
            "call": "look(replicas=2)",
            "saw": "this",
            "holds": holds,
            "control": {
                "what": "Take one.",
                "call": "look(replicas=1)",
                "saw": "that | those",
                "holds": None if holds is None else not holds,
            },
        }
    return copy.deepcopy(found)


def named(option: Option) -> Evidence:
    assert option.evidence is not None
    return option.evidence


def problems(bank: Bank, results: dict[str, Any]) -> list[str]:
    return evidence.problems(bank, bank.set_names, results)


def test_results_that_agree_with_the_bank_are_no_problem(bank, results):
    assert problems(bank, results) == []


@pytest.mark.parametrize(
    "name, changes, expected",
    [
        ("built-inside-scope", {"holds": False}, "correct-start B is the key"),
        ("scope-never-used", {"holds": True}, "correct-start C is a wrong option"),
        ("scope-never-used", {"holds": None}, "correct-start C is a wrong option"),
        ("weights-shrink-with-batch", {"holds": True}, "larger-batches C is a judgement"),
    ],
)
def test_a_verdict_that_contradicts_the_bank_is_found(bank, results, name, changes, expected):
    results[name] |= changes

    found = problems(bank, results)

    assert expected in found[0]


@pytest.mark.parametrize("name", ["built-inside-scope", "scope-never-used"])
def test_a_claim_that_is_rigged_to_come_out_as_wanted_fails_by_its_control(bank, results, name):
    results[name]["control"]["holds"] = results[name]["holds"]

    (found,) = problems(bank, results)

    assert "the control does not turn the claim round" in found


@pytest.mark.parametrize(
    "call", ["look(replicas=2)", "look(replicas=1, rows=3)", "glance(replicas=1)"]
)
def test_a_control_that_changes_nothing_or_more_than_one_thing_is_found(bank, results, call):
    results["rows-cross"]["control"]["call"] = call

    (found,) = problems(bank, results)

    assert found.startswith("rows-cross: the control changes")


def test_an_argument_that_only_one_call_gives_is_a_difference():
    assert evidence.differing("f(a=(1, 'x'))", "f(a=(1, 'x'), b=2)") == ["b"]
    assert evidence.differing("f()", "f(b=g)") == ["b"]


def test_the_table_has_a_row_for_every_option_and_names_keys_and_judgements(bank, results):
    lines = evidence.table(bank, ["practice", "further"], results).splitlines()

    rows = [line for line in lines if line.startswith("| ") and "question" not in line]
    assert len(rows) == 40
    assert sum("(key)" in row for row in rows) == 10
    assert sum("| not testable |" in row for row in rows) == 3
    assert all("that \\| those" in row for row in rows)


def test_an_unknown_set_is_refused_before_anything_is_carried_out(capsys):
    assert evidence.main(["practise"]) == 2
    assert "There is no set practise; give practice, check, further." in capsys.readouterr().err


def test_the_names_are_known_without_tensorflow_and_the_bank_uses_them_all_and_no_other(bank):
    listed = [experiment.name for experiment in experiments_index.experiments()]
    used = [named(option).experiment for _, _, option in evidence.options(bank, bank.set_names)]

    assert len(listed) == len(set(listed))
    assert set(listed) == experiments_index.names() == set(used)


def test_judgements_are_those_whose_experiment_gives_no_verdict(bank):
    judged = {e.name for e in experiments_index.experiments() if not e.testable}

    marked = {
        named(option).experiment
        for _, _, option in evidence.options(bank, bank.set_names)
        if named(option).not_testable
    }
    assert judged == marked
