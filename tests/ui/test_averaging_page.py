"""Averaging instead under AppTest: recorded runs, runs of one's own, the numbers by hand."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise

import pytest

from pipeline import runs, side_by_side
from tests.ui.apptest import opened, text
from tests.ui.test_inspector_page import table
from ui import averaging, keys, pictures_averaging, services
from ui.words import words

pytestmark = pytest.mark.usefixtures("trainer")


def test_copies_are_apart_as_the_logs_say():
    app = opened("averaging")
    told = text(app)
    tops = {
        name: max(y for _, y in side_by_side.copies_apart(services.ended(name)))
        for name in ("shuffled-epoch", "one-class-epoch")
    }

    assert "exactly 0 after every step" in told
    assert f"up to {tops['shuffled-epoch']:.2g} apart on shuffled rows" in told
    assert f"up to {tops['one-class-epoch']:.2g} with one class each" in told
    expect_both_orders(table(app, "three-ways"))
    expect_the_hand_example(table(app, "by-hand"))


def expect_both_orders(rows: list[list[str]]) -> None:
    """Shuffled losses never stand without one class each."""
    assert [row[0] for row in rows] == [
        f"{order}, {way}"
        for order in ("Shuffled rows", "One class each")
        for way in ("every step", "once an epoch", "never")
    ]
    shares = [float(row[3].rstrip("%")) for row in rows]
    assert max(shares[:3]) - min(shares[:3]) < 2, "on shuffled rows they look alike"
    assert shares[3] > max(shares[4:]) + 10, "with one class each they do not"


def expect_the_hand_example(rows: list[list[str]]) -> None:
    # w = 1 on x = 1, 2 | 3, 4, target 2, half squared error, rate 0.1: worked out on paper.
    assert rows == [
        ["sum in every step", "0.75", "0.6875"],
        ["R0, alone", "1.05", "1.0875"],
        ["R1, alone", "0.45", "0.5875"],
        ["average of the two", "0.75", "0.8375"],
    ]


def test_what_an_epoch_sends_is_counted_from_the_settings():
    rows = table(opened("averaging", global_batch=500), "differs")
    assert rows[3] == ["combined in an epoch", f"20 × {4 * 3457 / 1000:.1f} kB", "once 13.8 kB"]


def test_three_runs_on_shuffled_rows_are_really_started(trainer):
    app = opened("averaging", epochs=1, replicas=1)
    app.button(key=keys.MIXED_BUTTON).click().run()
    assert not app.exception
    for place, name in enumerate(("two-replicas", "shuffled-epoch", "shuffled-never")):
        folder = trainer.launched[place]
        config = services.runs().get(folder.name).config
        assert (config.order, config.replicas, config.epochs) == ("shuffled", 2, 1)
        shutil.copy(runs.RECORDED / name / "events.jsonl", folder)
        trainer.on_exit(folder, 0)
        app.run()

    assert not app.exception
    assert len(re.findall("Yours, made on this machine: 1 epoch, 2 replicas", text(app))) == 1
    assert "One class each · Recorded" in text(app)
    assert "compare within a half" in text(app)


def test_every_reply_tells_both_orders():
    asked = words("averaging").predict
    assert asked is not None
    for option in asked.options:
        for name in ("mixed_step", "mixed_epoch", "one_step", "one_epoch"):
            assert f"{{{name}}}" in option.reply
            assert name in averaging.recorded_shares()


def test_saw_teeth_begin_anew_with_every_epoch():
    run = services.ended("one-class-epoch")
    by_epoch = side_by_side.copies_apart_by_epoch(run)
    assert len(by_epoch) == run.config.epochs
    assert [step for epoch in by_epoch for step, _ in epoch] == list(range(1, run.shapes.steps + 1))
    for before, after in pairwise(by_epoch):
        assert after[0][1] < before[-1][1] / 4, "they have met in between"

    drawn = pictures_averaging.saw_teeth(by_epoch, [(1, 0.0)], "apart", 195, 0.1).to_dict()
    drops = drawn["layer"][0]["data"]["values"]
    assert [(drop["x"], drop["y"]) for drop in drops] == [epoch[-1] for epoch in by_epoch]
