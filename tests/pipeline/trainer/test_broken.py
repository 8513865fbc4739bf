"""Every program of Break it, run by the installed TensorFlow, against what its card claims.

Each runs with its other run in a process forked from one warm trainer, two at a time, on two
devices of the CPU and on one. About a minute of processor time.
"""

from __future__ import annotations

from typing import Any

import pytest

from pipeline import cards
from pipeline.cards import CARDS, Ended
from tools import evidence
from tools.cards import problems, table

CHOICES = list(cards.choices())


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    names = [choice.name for choice in CHOICES]
    return evidence.carry_out(names, tmp_path_factory.mktemp("cards"))


def difference(part: dict[str, Any], name: str) -> dict[str, float]:
    return next(one for one in part["observation"]["differences"] if one["name"] == name)


def test_every_program_does_what_its_card_claims_and_every_repair_is_right(results):
    assert problems(CHOICES, results) == []


def test_the_table_has_a_row_for_every_choice(results):
    assert len(table(CHOICES, results).splitlines()) == len(CHOICES) + 2


def test_a_program_that_hangs_is_given_up_and_its_process_still_does_the_repair(results):
    seen = results["card-invented-device-default"]

    assert seen["observation"]["verdict"] == "hangs"
    assert seen["observation"]["differences"] == []
    assert seen["control"]["observation"]["rows_in_a_step"] == [32, 32]


def test_what_is_wrong_by_a_whole_factor_is_measured_as_that_factor(results):
    for name, result, factor in (
        ("card-divided-twice-sgd", "Summed gradient", 1 / 2),
        ("card-divided-twice-adam", "Summed gradient", 1 / 2),
        ("card-from-pytorch", "Combined gradient", 2),
        ("card-compiled-outside-sgd", "The optimizer's count of steps", 2),
        ("card-predict-on-batch", "Number of predictions", 2),
    ):
        assert difference(results[name], result)["times"] == pytest.approx(factor, abs=1e-5), name


def test_adam_hides_in_the_weights_what_sgd_shows(results):
    adam, sgd = (
        difference(results[f"card-divided-twice-{name}"], "Update of the weights")["off"]
        for name in ("adam", "sgd")
    )

    assert adam < 0.01 < 0.3 < sgd


def test_rows_are_shared_out_as_the_batch_says(results):
    for name, rows in (
        ("card-scope-unused", [64]),
        ("card-fit-outside", [32, 32]),
        ("card-own-mean-odd", [3, 2]),
        ("card-train-on-batch", [64, 64]),
        ("card-predict-on-batch", [32, 32]),
    ):
        assert results[name]["observation"]["rows_in_a_step"] == rows, name


def test_only_copies_that_were_never_combined_or_kept_apart_differ(results):
    apart = {name for name, result in results.items() if result["observation"]["copies_apart"] > 0}

    assert apart == {"card-batch-norm", "card-never-combined"}


def test_the_message_of_an_error_is_one_readable_line(results):
    for card in CARDS:
        for choice in card.choices:
            ended = Ended.read(results[choice.name])
            if ended.verdict == "error":
                raised = ended.observation["raised"]
                assert raised.isprintable(), raised
                assert len(raised) < 300
                assert "in user code" not in raised
