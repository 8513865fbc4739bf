"""Measurements, read: made-up blocks whose parts, speed-ups and verdicts are known."""

from __future__ import annotations

import csv
import io
from typing import Any, cast

import numpy as np
import pytest

from pipeline import scaling_plan
from pipeline.answers import Answers
from pipeline.recordings import MEASURED
from pipeline.scaling_plan import REPLICAS, SIZES, settings
from pipeline.scaling_result import CALM, Measurement, recorded

COMPUTE = {1: 80.0, 2: 42.0, 4: 43.0, 8: 45.0}
REDUCE = {1: 2.0, 2: 5.0, 4: 9.0, 8: 17.0}
INPUT = 3.0
OVERLAP = 1.0


def milliseconds(setting) -> float:
    """A step that is computing, all-reduce and input, which overlap by a known time."""
    n, variant = setting.replicas, setting.variant
    whole = COMPUTE[n] * (n if setting.mode == "weak" else 1)
    combines = variant in ("full", "ready input")
    reads = variant in ("full", "no all-reduce")
    return whole + REDUCE[n] * combines + INPUT * reads - OVERLAP * (combines and reads)


def told(foreign=0.0, wobble=0.0, cores=2, times=milliseconds, replicas=REPLICAS) -> dict[str, Any]:
    """What the trainer would say; `foreign` is others' load, `wobble` the blocks' spread."""
    return {
        "size": "wide",
        "one_core": True,
        "made": "2026-11-30T09:05:00+00:00",
        "machine": {"cpu": "a processor", "cores": cores, "devices": ["CPU:0", "CPU:1"]},
        "versions": {"tensorflow": "2", "keras": "3", "python": "3"},
        "settings": [
            {
                **vars(setting),
                "tracing_seconds": 0.2 * setting.replicas,
                "blocks": [[times(setting) + wobble * k, 1.0, foreign] for k in range(-3, 4)],
            }
            for setting in settings("wide", replicas)
        ],
    }


def test_the_parts_and_what_they_leave_unexplained_add_up_to_the_whole_step():
    found = Measurement.read(told())
    for n in REPLICAS:
        parts = found.parts(n)
        assert parts.compute == pytest.approx(COMPUTE[n])
        assert parts.all_reduce == pytest.approx(REDUCE[n] - OVERLAP)
        assert parts.input == pytest.approx(INPUT - OVERLAP)
        assert parts.rest == pytest.approx(OVERLAP)
        named = ("compute", "all_reduce", "input", "rest")
        assert sum(parts.share(part) for part in named) == pytest.approx(1)


def test_a_step_that_takes_half_as_long_is_a_speed_up_of_two_and_weak_counts_the_rows():
    def halved(setting):
        return 80 / setting.replicas if setting.mode == "strong" else 80

    found = Measurement.read(told(times=halved))
    for mode in ("strong", "weak"):
        for n in REPLICAS:
            assert found.speed_up(mode, n) == pytest.approx(n)
            assert found.efficiency(mode, n) == pytest.approx(1)
            assert found.ideal(mode, n) == pytest.approx(found.step(mode, n).milliseconds)


def test_more_rows_in_the_same_time_are_worth_as_much_as_the_same_rows_in_less():
    found = Measurement.read(told())
    n = 4
    rows = SIZES["wide"].batch * n
    one = SIZES["wide"].batch / (COMPUTE[1] + REDUCE[1] + INPUT - OVERLAP)
    many = rows / (COMPUTE[n] * n + REDUCE[n] + INPUT - OVERLAP)
    assert found.speed_up("weak", n) == pytest.approx(many / one)


def test_median_and_middle_half_are_those_of_numpy_and_of_the_calm_blocks_alone():
    result = told(wobble=1.0)
    blocks = result["settings"][0]["blocks"]
    blocks[0][2] = 2 * CALM * 2
    blocks[0][0] = 1_000.0
    timing = Measurement.read(result).step("strong", 1)
    calm = [ms for ms, _, _ in blocks[1:]]
    assert timing.milliseconds == pytest.approx(np.median(calm))
    assert (timing.low, timing.high) == pytest.approx(tuple(np.quantile(calm, [0.25, 0.75])))


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (told(), "faster"),
        (told(times=lambda setting: setting.replicas), "slower"),
        (told(times=lambda setting: 10 + 0.1 * setting.replicas), "same"),
        (told(wobble=40.0, times=lambda setting: 200 + setting.replicas), "same"),
        (told(foreign=1.0), "refused"),
        (told(foreign=1.0, cores=16), "faster"),
        (told(foreign=None), "faster"),
    ],
)
def test_the_verdict_is_what_the_blocks_allow(result, verdict):
    assert Measurement.read(result).verdict == verdict


def test_one_device_alone_can_be_read_and_shown():
    found = Measurement.read(told(replicas=(1,)))
    assert found.replicas == [1]
    assert found.speed_up("strong", 1) == 1


def test_the_csv_has_every_block_as_a_row():
    result = told()
    rows = list(csv.DictReader(io.StringIO(Measurement.read(result).as_csv())))
    assert len(rows) == sum(len(one["blocks"]) for one in result["settings"])
    first = result["settings"][0]["blocks"][0]
    assert float(rows[0]["ms_per_step"]) == first[0]
    assert {row["scaling"] for row in rows} == {"strong", "weak"}


def test_parameters_are_those_of_the_layers():
    widths = (20, 64, 32, 1)
    by_hand = sum(widths[i] * widths[i + 1] + widths[i + 1] for i in range(3))
    assert SIZES["small"].parameters == by_hand == 3_457
    assert SIZES["small"].gradient_bytes == 4 * by_hand


def test_two_measurements_are_never_the_same_question():
    one, two = (scaling_plan.question("small", (1, 2), one_core=True) for _ in range(2))
    assert one != two
    assert {**one, "token": ""} == {**two, "token": ""}


@pytest.mark.parametrize("size", MEASURED)
def test_the_recorded_measurements_are_complete_and_say_what_they_were_made_on(size):
    found = recorded(Answers(cast(Any, None), cast(Any, None)), size)
    assert found is not None
    assert found.replicas == list(REPLICAS)
    assert len(found.timings) == len(settings(size, REPLICAS))
    assert all(len(timing.blocks) >= 3 for timing in found.timings.values())
    assert found.machine["cpu"]
    assert set(found.versions) == {"tensorflow", "keras", "python"}


def test_the_recorded_measurements_tell_what_the_page_says_of_them_or_get_no_verdict():
    answers = Answers(cast(Any, None), cast(Any, None))
    small, wide = (recorded(answers, size) for size in MEASURED)
    assert small is not None
    assert wide is not None
    # On a busy machine a recording gets no verdict, and the page says that it is rough.
    assert small.verdict in ("slower", "same", "refused")
    assert wide.verdict in ("faster", "refused")
    assert small.speed_up("strong", 2) < 1.1, "the page's question takes this for right"
    assert small.speed_up("strong", 8) < 1
