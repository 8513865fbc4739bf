"""The three checks on drawn settings, really run: right everywhere, wrong programs found out.

Settings are drawn from a seed: 1-8 replicas, a global batch of 1-512, even or not, Adam or SGD,
every kind of data. Of each run every kept step is opened. A small sample runs always, fifty with
`-m soak`; with `-s` they print what they saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pipeline import distribute, inspect_step, wrong_ways
from pipeline.config import RunConfig
from pipeline.events import TOLERANCE, RunFinished
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.run_view import RunView
from pipeline.runs import Runs
from pipeline.sources import open_data
from tests.pipeline.real_runs import GOOD, WORDS, csv_of

SIZES = {"synthetic": 10_000, "digits": 1_438, "breast-cancer": 455, GOOD: 64, WORDS: 60}
"""Training rows of each data set, about."""
MOST_STEPS = 160
"""Steps of an epoch at most: a large table gets no tiny batches, so that runs stay short."""


def drawn(seed: int, count: int) -> list[RunConfig]:
    """So many settings."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        data = str(random.choice(list(SIZES)))
        smallest = -(-SIZES[data] // MOST_STEPS)
        adam = bool(random.integers(2))
        found.append(
            RunConfig(
                data=data,
                replicas=int(random.integers(1, 9)),
                global_batch=int(np.exp(random.uniform(np.log(smallest), np.log(513)))),
                epochs=int(random.integers(1, 3)),
                optimizer="adam" if adam else "sgd",
                learning_rate=0.001 if adam else 0.05,
                seed=int(random.integers(1_000)),
            )
        )
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Iterator[Runs]:
    folder: Path = tmp_path_factory.mktemp("many settings")
    limits = Limits(queue_length=1_000, runs_per_learner=1_000, kept_megabytes=1e6)
    opened = Runs(folder / "runs", ForkingTrainer(folder / "trainer.log"), limits)
    opened.open()
    yield opened
    opened.close()


def look_at(runs: Runs, configs: list[RunConfig]) -> Counter[str]:
    """Run all of them and open every kept step; counts what was seen, and its extremes."""
    ids = [runs.start(config, "a class", csv_of(config)) for config in configs]
    seen: Counter[str] = Counter()
    worst: dict[str, float] = {}
    for config, run_id in zip(configs, ids, strict=True):
        assert runs.wait(run_id, 300).state == "finished", config
        data = open_data(config, csv_of(config))
        run = RunView(run_id, runs.path(run_id), config, data)
        assert isinstance(run.last, RunFinished)
        assert all(check.ok for check in run.last.checks.values()), config
        for number in run.kept:
            step = inspect_step.open_step(run, number)
            assert step.sizes == list(distribute.shares(sum(step.sizes), config.replicas))
            seen["steps"] += 1
            seen["uneven"] += len(set(step.sizes)) > 1
            seen["with a replica without rows"] += 0 in step.sizes
            expected = wrong_ways.should_fail(step)
            for way in wrong_ways.ways(step):
                if way.name == wrong_ways.RIGHT or way.name not in expected:
                    assert way.caught == [], (config, number, way)
                    for check, found in way.checks.items():
                        assert found.max_abs_diff is not None
                        worst[check] = max(worst.get(check, 0), found.max_abs_diff)
                    seen[f"{way.name}, rightly passes"] += way.name != wrong_ways.RIGHT
                    continue
                # A mistake that moves the gradient by less than the tolerance cannot be told.
                off = max(found.max_abs_diff or 0 for found in way.checks.values())
                assert way.caught or off <= TOLERANCE, (config, number, way)
                seen[f"{way.name}, caught"] += bool(way.caught)
                seen[f"{way.name}, too small to tell"] += not way.caught
    print(f"\n{len(configs)} runs: {dict(seen)}; largest differences where right: {worst}")
    return seen


def test_a_sample_of_settings_is_right_and_its_wrong_twins_are_found_out(runs: Runs) -> None:
    seen = look_at(runs, drawn(seed=7, count=3))
    assert seen["no_all_reduce, caught"]
    assert seen["own_mean, caught"]
    assert not [name for name, count in seen.items() if "too small" in name and count]


@pytest.mark.soak
def test_fifty_settings_are_right_and_their_wrong_twins_are_found_out(runs: Runs) -> None:
    configs = drawn(seed=6, count=50)
    assert {config.replicas for config in configs} == set(range(1, 9))
    assert {config.data for config in configs} == set(SIZES)
    seen = look_at(runs, configs)
    assert seen["uneven"]
    assert seen["with a replica without rows"]
    assert all(seen[f"{name}, caught"] for name in ("no_all_reduce", "divided_twice", "own_mean"))
