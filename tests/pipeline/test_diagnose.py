"""The diagnosis on situations from public threads, and on made-up ones with a known cause.

`tests/cases/diagnose` holds the threads: numbers as they stand there, our own words, and what was
found there. Where nothing was found, the diagnosis must not know better.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from pipeline import progress_lines, scaling_presets
from pipeline.diagnose import Diagnosis, Measured, contradictions, diagnose, measured
from pipeline.scaling_model import Link
from ui import typed_numbers
from ui.words import words

CASES = sorted((Path(__file__).parents[1] / "cases/diagnose").glob("*.yaml"))
LINKS = {name: preset.link for name, preset in scaling_presets.links().items()}
ETHERNET = Link(3.125e9, 9.6e-6)


def seconds(text: str) -> float:
    """`27 s / 1563`: a time, or a time over its steps."""
    time, _, steps = text.partition("/")
    found = typed_numbers.seconds(time)
    assert found is not None, text
    return found / int(steps or 1)


def given(case: dict) -> Measured:
    known = dict(case["given"])
    one, many = seconds(known.pop("one")), seconds(known.pop("many"))
    if "link" in known:
        known["link"] = LINKS[known["link"]]
    return Measured(known.pop("devices"), one, many, **known)


def read(path: Path) -> dict:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def names(found: Diagnosis) -> set[str]:
    return {reason.name for reason in found.reasons}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_public_thread_gets_the_diagnosis_that_was_found_there_or_hears_what_is_missing(path):
    case = read(path)
    found, expected = diagnose(given(case)), case["expect"]
    assert (found.cause, found.sure) == (expected["cause"], expected["sure"])
    assert set(expected.get("reasons", ())) <= names(found)
    assert set(expected.get("also", ())) <= {cause for cause, _ in found.also}
    if "missing" in expected:
        assert list(found.missing) == expected["missing"]
    if "times" in expected:
        assert found.numbers["times"] == pytest.approx(expected["times"], abs=0.005)


def test_there_are_ten_threads_and_each_has_a_link_and_says_what_was_found():
    cases = [read(path) for path in CASES]
    assert len({case["url"] for case in cases if "/issues/" in case["url"]}) >= 10
    assert all(case["url"].startswith("https://github.com/") and case["found"] for case in cases)


def test_every_sentence_that_a_diagnosis_can_say_has_words():
    said = words("faster-diagnose").texts
    for path in CASES:
        found = diagnose(given(read(path)))
        for reason in found.reasons:
            assert f"because_{reason.name}" in said
        for one in found.tries:
            assert f"try_{one.name}" in said
        assert 2 <= len(found.tries) <= 3
        for name in found.missing:
            assert f"miss_{name}" in said


# What is known to be the cause, because the numbers were made from it.


def test_time_that_is_spent_in_the_all_reduce_is_found_there():
    parameters, one = 100e6, 0.1
    ring = 2 * 3 / 4 * 4 * parameters / (0.8 * 3.125e9) + 6 * 9.6e-6
    found = diagnose(Measured(4, one, one / 4 + ring, "batch", None, parameters, ETHERNET))
    assert (found.cause, found.sure) == ("communication", "likely")
    assert found.numbers["lost"] == pytest.approx(ring)
    assert found.numbers["ring"] == pytest.approx(ring)


def test_without_parameters_or_link_the_all_reduce_is_possible_and_never_likely():
    for known in ({"parameters": 100e6}, {"link": ETHERNET}, {}):
        found = diagnose(Measured(4, 0.4, 0.3, "batch", **known))
        assert ("communication", "possible") in found.also
        assert found.sure == "open"


def test_a_longer_step_with_a_grown_batch_is_no_slow_down():
    found = diagnose(Measured(2, 0.180, 0.210, "rows"))
    assert (found.cause, found.sure) == ("weak_numbers", "arithmetic")
    assert found.numbers["times"] == pytest.approx(2 * 180 / 210)


def test_the_same_times_with_the_batch_kept_have_no_single_cause():
    found = diagnose(Measured(2, 0.180, 0.210, "batch"))
    assert (found.cause, found.sure) == ("open", "open")
    assert {cause for cause, _ in found.also} == {"communication", "input"}


def test_whether_the_batch_grew_is_read_from_the_steps_of_an_epoch():
    assert Measured(4, 1, 1, steps_one=1000, steps_many=250).inferred == "rows"
    assert Measured(4, 1, 1, steps_one=1000, steps_many=1000).inferred == "batch"
    assert Measured(4, 1, 1, steps_one=1000, steps_many=600).inferred == "unknown"


@pytest.mark.parametrize(
    "wrong, name",
    [
        (Measured(2, 0.4, 0.1, "batch"), "too_fast"),
        (Measured(4, 1, 1, "rows", steps_one=100, steps_many=100), "steps_say_otherwise_rows"),
        (Measured(4, 1, 1, "batch", steps_one=100, steps_many=25), "steps_say_otherwise_batch"),
        (Measured(8, 1, 1, "batch", batch=3), "fewer_rows_than_devices"),
        (Measured(2, 1, 0.6, "batch", parameters=1e10, link=ETHERNET), "link_too_slow"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_that_cannot_be_are_named_and_nothing_else_is_concluded(wrong, name):
    found = diagnose(wrong)
    assert (found.cause, found.sure) == ("contradiction", "arithmetic")
    assert names(found) == {name}
    assert found.also == ()


@pytest.mark.parametrize("one, many, devices", [(0, 1, 2), (1, -1, 2), (1, 1, 1)])
def test_a_time_or_a_number_of_devices_that_means_nothing_is_refused(one, many, devices):
    with pytest.raises(ValueError, match=r"more than 0 s|two devices"):
        Measured(devices, one, many)


def test_times_that_keras_rounded_to_a_digit_make_nothing_sure():
    one = progress_lines.read("40/40 [=====] - 0s 2ms/step")
    many = progress_lines.read("40/40 [=====] - 0s 3ms/step")
    found = diagnose(measured(2, one, many, kept="batch"))
    assert {"rounded", "only_one_epoch"} <= names(found)
    assert (found.cause, found.sure) == ("small_batch", "possible")
    exact = diagnose(Measured(2, 0.002, 0.003, "batch"))
    assert (exact.cause, exact.sure) == ("small_batch", "likely")


def test_for_any_numbers_the_parts_add_up_and_nothing_is_surer_than_it_may_be():
    chance = random.Random(7)
    for _ in range(3000):
        one, many = chance.uniform(1e-4, 5), chance.uniform(1e-4, 5)
        known = Measured(
            devices=chance.randint(2, 64),
            one=one,
            many=many,
            kept=chance.choice(["batch", "rows", "unknown"]),
            batch=chance.choice([None, 1, 32, 4096]),
            parameters=chance.choice([None, 3457.0, 1e9]),
            link=chance.choice([None, ETHERNET, LINKS["nvlink4"]]),
            busy=chance.choice(["unknown", "all", "idle", "one"]),
        )
        found = diagnose(known)
        if contradictions(known):
            assert found.cause == "contradiction"
            continue
        if known.kept == "unknown":
            assert found.sure == "open"
            continue
        numbers = found.numbers
        assert known.growth is not None
        assert numbers["times"] == pytest.approx(known.growth * one / many)
        assert max(numbers["ideal"], many) == pytest.approx(numbers["ideal"] + numbers["lost"])
        if found.cause == "communication":
            share = numbers["ring"] / numbers["lost"] if "ring" in numbers else 0
            assert found.sure == ("likely" if share >= 0.5 else "possible")
        if found.cause == "input" and found.sure == "likely":
            assert known.busy == "idle"
        if found.cause == "one_device" and found.sure == "likely":
            assert known.busy == "one"
        if found.sure == "arithmetic":
            assert found.cause in {"fine", "weak_numbers"}
