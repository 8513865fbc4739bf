"""The diagnosis as a learner uses it: any input, nothing lost, every problem named."""

from __future__ import annotations

import random
import typing

import pytest
from streamlit.testing.v1 import AppTest

from pipeline.diagnose import Cause, Measured, diagnose
from pipeline.scaling_model import Link
from ui import diagnose_panel, keys
from ui.words import words

SCRIPT = """
from ui import diagnose_panel
diagnose_panel.section(None)
"""


def shown() -> AppTest:
    at = AppTest.from_string(SCRIPT, default_timeout=30).run()
    assert not at.exception
    return at


def ask(at: AppTest, **typed: str) -> AppTest:
    widgets = {one.key: one for kind in (at.text_input, at.text_area) for one in kind}
    for name, value in typed.items():
        if name in ("kept", "busy"):
            at.radio(keys.diagnose(name)).set_value(value)
        elif name == "link":
            at.selectbox(keys.diagnose(name)).select(value)
        else:
            widgets[keys.diagnose(name)].set_value(value)
    at.button[0].click().run()
    assert not at.exception
    return at


def answer(at: AppTest) -> str:
    return "\n".join(str(one.value) for one in (*at.subheader, *at.markdown))


def test_before_anything_is_typed_an_example_is_answered():
    at = shown()
    assert at.text_input(keys.diagnose("one")).value == "180 ms"
    assert "More than one cause fits" in answer(at)
    assert "0.86 times the rows a second" in answer(at)


def test_with_parameters_and_a_slow_link_the_all_reduce_is_named_with_its_time():
    at = ask(shown(), parameters="100 M", link="ethernet25")
    assert "The devices wait for the all-reduce" in answer(at)
    assert "Likely" in answer(at)
    assert "160 ms" in answer(at)


def test_the_same_times_with_a_grown_batch_are_an_improvement():
    at = ask(shown(), kept="rows")
    assert "a step is the wrong thing to look at" in answer(at)
    assert "1.71 times the rows a second" in answer(at)


@pytest.mark.parametrize(
    "field, value, problem",
    [
        ("devices", "1", "Devices must be a whole number from 2 to 4,096; got “1”"),
        ("devices", "two", "got “two”"),
        ("one", "180", "A step on one device: write a time above zero with its unit"),
        ("many", "-3 ms", "A step on all devices: write a time"),
        ("many", "", "A step on all devices: a time is missing"),
        ("batch", "some", "Global batch on one device, if known: write a whole number"),
        ("parameters", "0", "Parameters of the model, if known: write a whole number"),
        ("lines_one", "no progress", "Lines from one device: no finished epoch"),
    ],
)
def test_input_that_cannot_be_used_is_named_with_the_remedy_and_stays_in_the_form(
    field, value, problem
):
    at = ask(shown(), parameters="3457") if field != "parameters" else shown()
    at = ask(at, **{field: value})
    warned = at.warning[0].value.replace("\\", "")
    assert problem in warned
    kinds = (*at.text_input, *at.text_area)
    assert next(one.value for one in kinds if one.key == keys.diagnose(field)) == value
    if field != "parameters":
        assert at.text_input(keys.diagnose("parameters")).value == "3457"
    assert not at.subheader


def test_all_problems_are_named_at_once():
    at = ask(shown(), devices="0", one="x", many="y", batch="z")
    assert at.warning[0].value.count("\n") == 3


def test_what_was_typed_is_never_markup():
    at = ask(shown(), one="<img src=x onerror=alert(1)> **b** [l](javascript:1)")
    warned = at.warning[0].value
    assert "<img" not in warned.replace("\\<", "")
    assert "\\*\\*b\\*\\*" in warned
    assert "\\[l\\]" in warned


def test_pasted_lines_count_instead_of_times_and_say_what_they_show():
    one = "\n".join(["400/400 [=====] - 60s 150ms/step", *["400/400 [=====] - 24s 60ms/step"] * 2])
    many = "\n".join(
        ["100/100 [=====] - 50s 500ms/step", *["100/100 [=====] - 12s 120ms/step"] * 2]
    )
    at = ask(shown(), devices="4", kept="unknown", lines_one=one, lines_many=many)
    said = answer(at)
    assert "the rows of each device" in said
    assert "It is faster than a step shows" in said
    assert "2.00 times the rows a second" in said
    assert "took 2.50 times as long a step" in said


def test_every_sentence_finds_its_numbers_whatever_is_measured():
    said, chance = words("faster-diagnose"), random.Random(11)
    causes = set()
    for _ in range(2000):
        found = diagnose(
            Measured(
                devices=chance.randint(2, 16),
                one=10 ** chance.uniform(-4, 1),
                many=10 ** chance.uniform(-4, 1),
                kept=chance.choice(["batch", "rows", "unknown"]),
                batch=chance.choice([None, 2, 64]),
                parameters=chance.choice([None, 3457.0, 1e8]),
                link=chance.choice([None, Link(3e9, 1e-5)]),
                busy=chance.choice(["unknown", "all", "idle", "one"]),
                first_step=chance.random() < 0.1,
                one_off=chance.choice([0.0, 0.001]),
                only_one_epoch=chance.random() < 0.2,
            )
        )
        causes.add(found.cause)
        for kind, told in (("because", found.reasons), ("try", found.tries)):
            for one in told:
                assert said.text(f"{kind}_{one.name}", diagnose_panel.shown(one.values))
        for name in (*(f"miss_{one}" for one in found.missing), f"cause_{found.cause}"):
            assert name in said.texts
        assert all(f"short_{cause}" in said.texts for cause, _ in found.also)
        assert all(f"number_{name}" in said.texts for name in found.numbers)
    assert causes == set(typing.get_args(Cause))


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.00038, "0.38 ms"),
        (0.21, "210 ms"),
        (1.39, "1.39 s"),
        (129.6, "130 s"),
        (7200, "7,200 s"),
        (0, "0 ms"),
    ],
)
def test_a_time_is_told_in_the_unit_that_fits(seconds, text):
    assert diagnose_panel.duration(seconds) == text
