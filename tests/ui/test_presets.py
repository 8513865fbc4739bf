"""Presets say why they are good or bad; every reason is held against a real run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.events import Epoch, RunFinished, Step
from pipeline.launch import ForkingTrainer
from pipeline.limits import Limits
from pipeline.run_view import RunView
from pipeline.runs import Runs
from ui.presets import presets


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, RunView]]:
    folder = tmp_path_factory.mktemp("presets")
    limits = Limits(runs_per_learner=100, queue_length=100)
    runs = Runs(folder / "runs", ForkingTrainer(folder / "trainer.log"), limits)
    runs.open()
    ids = {preset.name: runs.start(preset.config, "me") for preset in presets()}
    for run_id in ids.values():
        assert runs.wait(run_id, 300).ended
    yield {name: runs.view(run_id) for name, run_id in ids.items()}
    runs.close()


def losses(run: RunView) -> list[float]:
    return [float(epoch.loss) for epoch in run.epochs if epoch.loss is not None]


def held_out(run: RunView) -> Epoch:
    return run.epochs[-1]


def test_every_preset_runs_to_its_end(ran: dict[str, RunView]) -> None:
    assert all(isinstance(run.last, RunFinished) for run in ran.values())


def test_the_default_falls_in_every_epoch_and_held_out_rows_agree(ran: dict[str, RunView]) -> None:
    run = ran["The default"]
    fallen = losses(run)
    assert fallen == sorted(fallen, reverse=True)
    assert held_out(run).val_loss == pytest.approx(fallen[-1], abs=0.05)


def test_a_large_rate_throws_the_weights_off(ran: dict[str, RunView]) -> None:
    run = ran["A large rate"]
    first = run.steps[0].loss
    assert first is not None
    assert max(step.loss or 0 for step in run.steps) > 10 * first
    assert losses(run)[-1] > losses(ran["The default"])[-1] * 1.5


def test_a_tiny_rate_hardly_moves_the_loss(ran: dict[str, RunView]) -> None:
    fallen = losses(ran["A tiny rate"])
    assert abs(fallen[0] - fallen[-1]) < 0.1 * fallen[0]


def test_the_whole_table_as_one_batch_makes_one_update_an_epoch(ran: dict[str, RunView]) -> None:
    run = ran["The whole table as one batch"]
    assert len(run.steps) == len(run.epochs) == 5
    assert losses(run)[-1] > losses(ran["The default"])[-1]


def test_with_fewer_rows_than_replicas_one_replica_has_none_in_every_step(
    ran: dict[str, RunView],
) -> None:
    def empty(step: Step) -> int:
        return sum(part.batch_shape[0] == 0 for part in step.replicas)

    run = ran["Fewer rows than replicas"]
    assert min(empty(step) for step in run.steps) >= 1
    assert {step.copies_max_abs_diff for step in run.steps} == {0.0}


def test_one_class_each_is_learned_only_with_the_all_reduce(ran: dict[str, RunView]) -> None:
    together = ran["One class each, all-reduce in every step"].epochs[-1]
    averaged = ran["One class each, weights averaged once an epoch"].epochs[-1]
    assert min(a or 0 for a in together.all_rows_accuracy) > 0.8
    assert max(a or 0 for a in averaged.all_rows_accuracy) < 0.6
