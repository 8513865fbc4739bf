"""The question `prediction`, really put to TensorFlow."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from pipeline import answers, distribute, preprocess, recordings, runs, sources
from pipeline.answers import Answer, Answers
from pipeline.config import RunConfig
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.prediction import BATCH_SIZES, TASK, Prediction
from pipeline.sources import Csv
from pipeline.step_records import StepRecord, recorded_steps
from pipeline.workers import Workers
from tests.pipeline.real_runs import CASES


class Case(NamedTuple):
    """A run that is only its settings and its last weights, and what it is asked."""

    config: dict[str, Any]
    first: int
    rows: int
    batch_size: int = BATCH_SIZES[0]


CASES_ASKED = {
    "three": Case({"replicas": 3, "data": "digits"}, 100, 65),
    "five": Case({"replicas": 5, "data": "csv"}, 1, 2),
    "alone": Case({"replicas": 1, "data": "breast-cancer"}, 0, 64, 64),
}
Ask = Callable[[Case], Answer]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Iterator[Answers]:
    folder = tmp_path_factory.mktemp("prediction")
    workers = Workers(
        ForkingTrainer(folder / "trainer.log"), Limits(queue_length=1_000, silent_seconds=300)
    )
    workers.open()
    yield Answers(folder / "answers", workers)
    workers.close()


@pytest.fixture(scope="module")
def run_of(tmp_path_factory) -> Callable[[Case], tuple[Path, list[np.ndarray], np.ndarray]]:
    """The folder of a case's run, its weights and its scaled training rows."""

    def make(case: Case) -> tuple[Path, list[np.ndarray], np.ndarray]:
        folder = tmp_path_factory.mktemp("run")
        config, csv = RunConfig.checked(case.config), None
        if config.data == "csv":
            csv = Csv("good.csv", (CASES / "good.csv").read_bytes())
            sources.write_copy(folder, csv)
        (folder / "request.json").write_text(json.dumps({"config": config.model_dump()}))
        data = sources.open_data(config, csv)
        rng = np.random.default_rng(3)
        sizes = (data.x_train.shape[1], 64, 32, data.output_units)
        shapes = [shape for a, b in pairwise(sizes) for shape in ((a, b), (b,))]
        weights = [(rng.normal(size=shape) / 5).astype(np.float32) for shape in shapes]
        StepRecord(4, [], [], [], [], [weights], [np.array([0])]).save(folder)
        return folder, weights, preprocess.fit(data.x_train).apply(data.x_train)

    return make


def put(store: Answers, case: Case, run: Path) -> str:
    asked = {"run": run.name, "step": 4, "first": case.first, "rows": case.rows}
    return store.ask(TASK, asked | {"batch_size": case.batch_size}, {"run_folder": run}).key


def done(store: Answers, key: str) -> Prediction:
    answer = store.wait(key, 300)
    assert answer is not None
    assert answer.state == "done", answer.error
    return Prediction.load(answer.folder)


@pytest.fixture(scope="module")
def answered(store, run_of):
    """Every case: its prediction, its weights, its rows."""
    made = {name: run_of(case) for name, case in CASES_ASKED.items()}
    keys = {name: put(store, case, made[name][0]) for name, case in CASES_ASKED.items()}
    return {name: (done(store, key), *made[name][1:]) for name, key in keys.items()}


def expected_counts(case: Case) -> list[tuple[int, ...]]:
    """Batch after batch, each cut as stage 3 cuts one."""
    starts = range(0, case.rows, case.batch_size)
    return [
        distribute.shares(min(case.batch_size, case.rows - start), case.config["replicas"])
        for start in starts
    ]


def holds(case: Case, found: Prediction, weights, rows) -> None:
    counts = [tuple(layers[0][0] for layers in call) for call in found.shapes]
    assert counts == expected_counts(case)
    values = rows[case.first : case.first + case.rows]
    np.testing.assert_array_equal(found.layers[0], values)
    values = values.astype(np.float64)
    for layer in (0, 2, 4):
        values = values @ weights[layer] + weights[layer + 1]
        values = values if layer == 4 else np.maximum(values, 0)
        np.testing.assert_allclose(found.layers[layer // 2 + 1], values, atol=1e-5)
    np.testing.assert_allclose(found.predicted, values, atol=1e-5)
    assert found.gathered_apart == 0.0
    assert found.one_device_apart < 1e-5


@pytest.mark.parametrize("name", CASES_ASKED)
def test_every_replica_runs_all_layers_on_its_own_rows_and_the_result_is_numpys(answered, name):
    holds(CASES_ASKED[name], *answered[name])


@pytest.mark.parametrize("name", CASES_ASKED)
def test_every_replica_has_every_layer_whole_even_without_rows(answered, name):
    found, weights, _ = answered[name]
    units = [weights[0].shape[0], 64, 32, weights[-1].size]
    for call in found.shapes:
        for layers in call:
            assert [wide for _, wide in layers] == units
    assert found.predicted.shape == (CASES_ASKED[name].rows, weights[-1].size)


def test_asking_anew_gives_what_is_recorded(store):
    run = runs.RECORDED / recordings.DEFAULT
    asked = {"run": run.name, "step": recorded_steps(run)[-1], "first": 0, "rows": 64}
    asked["batch_size"] = BATCH_SIZES[0]
    key = store.ask(TASK, asked, {"run_folder": run}).key
    shipped = Prediction.load(answers.RECORDED / answers.recorded_key(TASK, asked))
    now = done(store, key)
    assert now.shapes == shipped.shapes
    np.testing.assert_allclose(now.predicted, shipped.predicted, atol=1e-5)


def test_a_run_whose_step_is_gone_is_told_and_not_made_up(store, run_of):
    case = Case({"replicas": 2}, 0, 3)
    folder, _, _ = run_of(case)
    shutil.rmtree(folder / "steps")
    answer = store.wait(put(store, case, folder), 120)
    assert answer is not None
    assert answer.state == "failed"
    assert "step-000004.npz" in answer.error


@pytest.mark.soak
@pytest.mark.parametrize("replicas", range(1, 9))
@pytest.mark.parametrize("rows", [1, 31, 63, 65])
@pytest.mark.parametrize("batch_size", [5, *BATCH_SIZES])
def test_rows_are_cut_as_stage_3_cuts_them_whatever_the_numbers(
    store, run_of, replicas, rows, batch_size
):
    case = Case({"replicas": replicas}, 7, rows, batch_size)
    folder, weights, scaled = run_of(case)
    holds(case, done(store, put(store, case, folder)), weights, scaled)
