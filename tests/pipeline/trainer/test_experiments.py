"""Every experiment of the quiz, carried out by the installed TensorFlow.

The claims, the observations and the controls are the experiments' own; what they must come out as
is the bank's. Then some observations are compared with what is known without TensorFlow.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from pipeline import experiments_index
from quiz.loading import load
from tools import evidence


@pytest.fixture(scope="module")
def bank():
    return load(evidence.BANK)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    """All of them, two at a time, each in a process forked from one warm trainer."""
    names = sorted(experiments_index.names())
    return evidence.carry_out(names, tmp_path_factory.mktemp("evidence"))


def test_keys_hold_wrong_options_do_not_and_every_control_turns_its_claim_round(bank, results):
    assert evidence.problems(bank, bank.set_names, results) == []


def test_judgements_get_an_observation_and_no_verdict(results):
    undecided = [e.name for e in experiments_index.experiments() if not e.testable]

    assert len(undecided) == 4
    for name in undecided:
        assert results[name]["observation"], name
        assert results[name]["saw"], name
        assert results[name]["holds"] is None, name


def test_what_is_listed_without_tensorflow_is_what_was_carried_out(results):
    for listed in experiments_index.experiments():
        result = results[listed.name]
        assert (result["name"], result["claim"]) == (listed.name, listed.claim)
        assert (result["holds"] is not None) == listed.testable


def test_the_code_of_an_experiment_is_whole_python_and_short(results):
    for name, result in results.items():
        for code in (result["code"], result["control"]["code"]):
            assert ast.parse(code).body, name
            assert len(code.splitlines()) <= 75, name


def test_an_exception_is_told_with_its_type_and_its_first_line(results):
    adam = results["compile-is-forbidden"]["control"]["observation"]
    sgd = results["swap-the-optimizer"]["observation"]
    only_fit = results["strategy-only-at-fit"]["observation"]

    assert adam["raised"].startswith('RuntimeError: Need to be inside "with strategy.scope()"')
    assert sgd["raised"] == "AssertionError: (no text)"
    assert "Mixing different tf.distribute.Strategy objects" in only_fit["raised"]
    assert adam["replicas_used"] == 0


def test_what_the_bank_quotes_from_tensorflow_is_what_tensorflow_says(bank, results):
    quoted = " ".join(bank.question("scope-error").in_practice.split())
    raised = results["move-build-inside"]["control"]["observation"]["raised"]

    for text in ("RuntimeError: Need to be inside", '"with strategy.scope()"'):
        assert text in quoted
        assert text in raised


def test_the_percentage_in_the_bank_is_the_one_that_was_measured(bank, results):
    (percent,) = re.findall(r"(\d+) percent", bank.question("uneven-loss").in_practice)

    measured = results["own-mean-over-replicas"]["observation"]
    assert measured["shares"] == [3, 2]
    assert int(percent) == round(100 * measured["off_by"])


def test_half_a_loss_halves_a_step_of_sgd_and_leaves_one_of_adam(results):
    adam = results["adam-ignores-scale"]

    assert adam["observation"]["first_step"] == pytest.approx(1, abs=1e-3)
    assert adam["control"]["observation"]["first_step"] == pytest.approx(1 / 2, abs=1e-3)


def test_every_weight_is_handed_over_once_in_a_step(results):
    seen, smaller = (
        results["smaller-batch-sends-less"]["observation"],
        results["smaller-batch-sends-less"]["control"]["observation"],
    )

    def weights(units: int) -> int:  # Dense(units) on 20 numbers, then Dense(1)
        return 20 * units + units + units + 1

    assert seen["in_a_step"] == seen["with_64_rows"] == weights(32)
    assert smaller["in_a_step"] == weights(8)


def test_adam_keeps_two_numbers_for_each_weight_on_every_device(results):
    seen = results["weights-shrink-with-batch"]["observation"]

    numbers = 20 * 256 + 256 + 256 + 1
    assert seen["weights"] == [4 * numbers] * 4
    for notes in seen["notes_of_the_optimizer"]:  # and a count of steps and a rate
        assert 0 <= notes - 2 * 4 * numbers < 32


def test_silence_is_told_apart_from_a_warning(results):
    for name in ("silence-proves-devices", "scope-never-used", "strategy-after-fit"):
        assert results[name]["observation"]["printed"] == []


def test_a_name_that_no_experiment_has_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="there is no experiment called 'no-such-thing'"):
        evidence.carry_out(["no-such-thing"], tmp_path)
