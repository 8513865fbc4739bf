"""The learning-rate rule's answer, read, on made-up curves."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pipeline import rate_rule, recordings
from pipeline.answers import Answers
from pipeline.rate_rule import RATES, RateRule
from pipeline.runs import Runs
from pipeline.scaling_plan import EPOCHS, WAYS


class IdleLauncher:
    """Starts nothing: recorded runs are only read."""

    def open(self, on_exit):
        pass

    def close(self):
        pass


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    opened = Runs(tmp_path_factory.mktemp("recorded"), cast(Any, IdleLauncher()))
    opened.open()
    yield opened
    opened.close()


def told(**ends: float | None) -> dict[str, Any]:
    """What the trainer would say of trainings that end at these losses."""
    return {
        "run": "a run",
        "replicas": 8,
        "rows": 10_000,
        "curves": {
            way: {
                "batch": 256 if way == "base" else 2048,
                "rate": 0.02,
                "steps_per_epoch": 40 if way == "base" else 5,
                "losses": [0.7] * EPOCHS + [ends[way]],
            }
            for way in WAYS
        },
    }


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ({"base": 0.3, "same": 0.6, "scaled": 0.31, "warm": 0.3}, "holds"),
        ({"base": 0.3, "same": 0.6, "scaled": 0.2, "warm": 0.3}, "holds"),
        ({"base": 0.3, "same": 0.3, "scaled": 0.31, "warm": 0.3}, "no_difference"),
        ({"base": 0.3, "same": 0.6, "scaled": 0.5, "warm": 0.4}, "warm_helps"),
        ({"base": 0.3, "same": 0.6, "scaled": None, "warm": 0.5}, "warm_helps"),
        ({"base": 0.3, "same": 0.6, "scaled": 0.5, "warm": 0.55}, "breaks"),
        ({"base": 0.3, "same": 0.6, "scaled": None, "warm": None}, "breaks"),
    ],
)
def test_the_verdict_is_what_the_ends_allow(ends, verdict):
    assert RateRule.read(told(**ends)).verdict == verdict


def test_points_stand_at_the_updates_made_and_stop_where_the_loss_is_no_number():
    found = RateRule.read(told(base=0.3, same=0.6, scaled=None, warm=0.4))
    assert found.curves["base"].points[-1] == (EPOCHS * 40, 0.3)
    assert found.curves["same"].steps == EPOCHS * 5
    assert found.curves["scaled"].diverged
    assert found.curves["scaled"].points[-1] == ((EPOCHS - 1) * 5, 0.7)


@pytest.mark.parametrize("rate", RATES)
def test_the_recorded_trainings_start_alike_and_make_an_eighth_of_the_updates(runs, rate):
    asked = rate_rule.question(runs.view(recordings.DEFAULT), 8, rate)
    answer = Answers(cast(Any, None), cast(Any, None)).recorded(rate_rule.TASK, asked)
    assert answer is not None
    found = RateRule.read(answer.result)
    starts = {curve.points[0] for curve in found.curves.values()}
    assert len(starts) == 1
    assert found.curves["base"].steps == 8 * found.curves["same"].steps
    assert [curve.batch for curve in found.curves.values()] == [250, 2000, 2000, 2000]


def test_the_recorded_trainings_tell_what_the_page_is_about(runs):
    view, answers = runs.view(recordings.DEFAULT), Answers(cast(Any, None), cast(Any, None))
    verdicts = []
    for rate in RATES:
        answer = answers.recorded(rate_rule.TASK, rate_rule.question(view, 8, rate))
        assert answer is not None
        verdicts.append(RateRule.read(answer.result).verdict)
    assert verdicts == ["holds", "warm_helps"]


def test_few_rows_still_give_batches_of_one_row_at_least():
    few = type("Few", (), {"run_id": "x", "data": type("D", (), {"x_train": [[0.0]] * 3})})
    assert rate_rule.question(cast(Any, few), 8, 0.02)["batch"] == 1
