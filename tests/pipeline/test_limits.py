"""What a server allows, read from its environment."""

from __future__ import annotations

import pytest

from pipeline.config import RunConfig
from pipeline.limits import LimitError, Limits


@pytest.mark.parametrize("name", Limits.model_fields)
def test_every_limit_is_read_from_its_variable(name):
    default = getattr(Limits(), name)
    value = default - 1 if default > 1 else default + 1
    read = Limits.from_environment({f"LOCKSTEP_{name.upper()}": str(value)})
    assert read == Limits(**{name: value})
    assert read != Limits()


def test_other_variables_are_left_alone():
    assert Limits.from_environment({"LOCKSTEP_DATA": "/data", "ROWS": "3"}) == Limits()


@pytest.mark.parametrize("value", ["0", "-1", "many", ""])
def test_a_variable_that_cannot_be_used_is_named_with_its_value(value):
    with pytest.raises(LimitError, match=rf"LOCKSTEP_CONCURRENT_RUNS is '{value}'"):
        Limits.from_environment({"LOCKSTEP_CONCURRENT_RUNS": value})


@pytest.mark.parametrize(
    "config, steps, words",
    [
        (RunConfig(replicas=5), 1, "at most 4 replicas; 5 were asked for"),
        (RunConfig(epochs=11), 1, "at most 10 epochs; 11 were asked for"),
        (RunConfig(), 1_001, "would take 1,001 steps; this server allows 1,000"),
    ],
)
def test_a_run_that_is_too_large_is_refused_with_the_limit_it_passes(config, steps, words):
    with pytest.raises(LimitError, match=words):
        Limits(replicas=4, epochs=10, steps=1_000).check(config, steps)


def test_a_run_at_every_limit_is_let_in():
    Limits(replicas=4, epochs=10, steps=1_000).check(RunConfig(replicas=4, epochs=10), 1_000)


@pytest.mark.parametrize("name", Limits.model_fields)
def test_every_limit_says_what_it_limits(name):
    assert Limits.model_fields[name].description
