"""What Distribute says about a batch, for every kind of batch."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import epoch_plan
from pipeline.config import RunConfig
from ui import batch_words
from ui.words import words

WORDS = words("distribute")


def plan_of(rows: int, row: int = 0, **settings):
    labels = (np.arange(rows) % 2).astype(np.int32)
    return epoch_plan.of(labels, RunConfig.checked(settings), row)


def test_the_sentence_names_the_replica_that_gets_your_row():
    plan = plan_of(1_024, replicas=4)
    owner = plan.first_use.owner(0)
    dealt, cut = batch_words.frames(WORDS, plan.first_use, 0)
    assert "256 rows" in dealt
    assert "Yours is ringed" in dealt
    assert "64 rows for each replica" in cut
    assert f"goes to R{owner}" in cut


def test_an_uneven_cut_is_told_replica_by_replica():
    plan = plan_of(33, replicas=4)
    assert batch_words.cut_of(WORDS, plan.first_use) == "R0 9, R1 9, R2 9, R3 6"


def test_an_empty_piece_is_explained():
    _, cut = batch_words.frames(WORDS, plan_of(3, replicas=8).first_use, 0)
    assert "with 0 rows still takes part" in cut


def test_a_batch_without_your_row_does_not_ring_it():
    plan = plan_of(600, replicas=2)
    other = next(s for s in (1, 2) if plan.batch(1, s).owner(0) is None)
    dealt, cut = batch_words.frames(WORDS, plan.batch(1, other), 0)
    assert "ringed" not in dealt
    assert "Your row" not in cut


def test_a_large_batch_says_how_many_rows_a_square_is():
    dealt, _ = batch_words.frames(WORDS, plan_of(2_000, global_batch=2_000).first_use, 0)
    assert "stands for 4 rows" in dealt


@pytest.mark.parametrize(
    "rows, batch, heads, first",
    [
        (1_000, 256, 4, ["R0", "3 × 128", "116", "500"]),
        (512, 256, 3, ["R0", "2 × 128", "256"]),
        (100, 256, 2, ["R0", "50"]),
    ],
)
def test_the_table_shows_a_column_only_where_there_is_something_to_add(rows, batch, heads, first):
    names, table = batch_words.counts(WORDS, plan_of(rows, replicas=2, global_batch=batch))
    assert len(names) == heads
    assert table[0] == first


@pytest.mark.parametrize(
    "settings, why",
    [
        ({"replicas": 1}, "ask_replicas"),
        ({"epochs": 1}, "ask_epochs"),
        ({"order": "as-is"}, "ask_as_is"),
        ({"order": "one-class-each"}, "ask_one_class"),
        ({}, None),
    ],
)
def test_the_question_is_asked_only_where_the_answer_is_open(settings, why):
    assert batch_words.unasked(plan_of(100, **settings)) == why
    assert why is None or why in WORDS.texts


def test_the_reply_says_chance_when_the_same_replica_gets_the_row_again():
    for row in range(20):
        plan = plan_of(1_000, row)
        said = batch_words.question(WORDS, plan)
        again = plan.uses[0].replica == plan.uses[1].replica
        assert ("only by chance" in said["second_is"]) == again
        assert said["history"] == ", ".join(f"R{use.replica}" for use in plan.uses)


def test_an_epoch_that_your_row_sits_out_is_told():
    labels = np.repeat([0, 1], [5, 50]).astype(np.int32)
    config = RunConfig(global_batch=4, order="one-class-each")
    plans = [epoch_plan.of(labels, config, row) for row in range(5, 55)]
    plan = next(plan for plan in plans if 0 < len(plan.uses) < 5)
    lines = batch_words.by_epoch(WORDS, plan)
    assert len(lines) == 5
    assert sum(value == "sits out" for _, value in lines) == 5 - len(plan.uses)
