"""The four programs of the question which one trains on all devices, as they stand there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.trainer.experiments import workbench
from pipeline.trainer.experiments.experiment import Control, Experiment
from pipeline.trainer.experiments.fitting import FitSeen, on_both, seen_of
from pipeline.trainer.experiments.workbench import Probe, small_model, strategy_over

Build = Callable[[], Any]
rows, labels = workbench.ROWS[:256], workbench.LABELS[:256]


def built_before_strategy(build_model: Build) -> tuple[Any, Any]:
    model = build_model()
    strategy = strategy_over(2)
    model.compile(optimizer="adam", loss="mse")
    model.fit(rows, labels, verbose=0)
    return strategy, model


def built_inside_scope(build_model: Build) -> tuple[Any, Any]:
    strategy = strategy_over(2)
    with strategy.scope():
        model = build_model()
        model.compile(optimizer="adam", loss="mse")
    model.fit(rows, labels, verbose=0)
    return strategy, model


def scope_never_used(build_model: Build) -> tuple[Any, Any]:
    strategy = strategy_over(2)
    model = build_model()
    model.compile(optimizer="adam", loss="mse")
    model.fit(rows, labels, verbose=0)
    return strategy, model


def strategy_after_fit(build_model: Build) -> tuple[Any, Any]:
    model = build_model()
    model.compile(optimizer="adam", loss="mse")
    model.fit(rows, labels, verbose=0)
    strategy = strategy_over(2)
    return strategy, model


def watch(*, program: Callable[[Build], tuple[Any, Any]]) -> FitSeen:
    """Run a program to its end and see where its model's weights are and who had rows."""
    probe = Probe()
    with workbench.told() as told:
        strategy, model = program(lambda: small_model(probe))
    return seen_of(strategy, model, probe, told)


WITH_SCOPE = Control("Build and compile inside the scope.", {"program": built_inside_scope})

EXPERIMENTS = (
    Experiment(
        "built-before-strategy",
        claim="The program that builds first, then makes the strategy, trains on both devices.",
        observe=watch,
        given={"program": built_before_strategy},
        holds=on_both,
        control=WITH_SCOPE,
    ),
    Experiment(
        "built-inside-scope",
        claim="The program that builds and compiles inside the scope trains on both devices.",
        observe=watch,
        given={"program": built_inside_scope},
        holds=on_both,
        control=Control("Leave the scope unused.", {"program": scope_never_used}),
    ),
    Experiment(
        "scope-never-used",
        claim="The program that makes the strategy first, and no scope, trains on both devices.",
        observe=watch,
        given={"program": scope_never_used},
        holds=on_both,
        control=WITH_SCOPE,
    ),
    Experiment(
        "strategy-after-fit",
        claim="The program that makes the strategy after `fit` has trained on both devices.",
        observe=watch,
        given={"program": strategy_after_fit},
        holds=on_both,
        control=WITH_SCOPE,
    ),
)
