"""The data that a config names."""

from __future__ import annotations

import pytest

from pipeline import datasets, sources
from pipeline.config import RunConfig
from pipeline.csv_data import CsvLimits
from pipeline.datasets import DataError
from pipeline.sources import Csv
from tests.pipeline.real_runs import CASES


def raw(name):
    return Csv(name, (CASES / name).read_bytes())


@pytest.mark.parametrize("name", datasets.BUILT_IN)
def test_a_built_in_name_gives_the_built_in_data(name):
    assert sources.is_built_in(name)
    assert sources.open_data(RunConfig(data=name), None) is datasets.load(name)


def test_any_other_name_is_a_file_whose_bytes_are_handed_in():
    assert not sources.is_built_in("good.csv")
    data = sources.open_data(RunConfig(data="/gone/my good.csv"), raw("good.csv"))
    assert data.name == "good.csv"
    assert data.table_shape == (64, 4)


def test_a_file_without_bytes_is_missing():
    with pytest.raises(DataError, match=r"good\.csv: .* missing"):
        sources.open_data(RunConfig(data="good.csv"), None)


def test_the_label_column_is_the_one_that_is_named():
    data = sources.open_data(RunConfig(data="good.csv", label="label"), raw("good.csv"))
    assert data.features == ("f1", "f2", "f3", "f4")
    with pytest.raises(DataError, match="no column called lable"):
        sources.open_data(RunConfig(data="good.csv", label="lable"), raw("good.csv"))


@pytest.mark.parametrize(
    "name, leave_out",
    [
        ("missing_values.csv", "rows"),
        ("missing_values.csv", "rows+columns"),
        ("text_column.csv", "columns"),
        ("text_column.csv", "rows+columns"),
    ],
)
def test_what_the_learner_leaves_out_is_left_out(name, leave_out):
    with pytest.raises(DataError):
        sources.open_data(RunConfig(data=name), raw(name))
    assert sources.open_data(RunConfig(data=name, leave_out=leave_out), raw(name)).notes


def test_the_limits_that_are_handed_in_hold():
    with pytest.raises(DataError, match="63 rows allowed"):
        sources.open_data(RunConfig(data="good.csv"), raw("good.csv"), CsvLimits(rows=63))


def test_a_file_that_was_let_in_is_not_measured_again():
    columns = 600
    text = ",".join(f"c{n}" for n in range(columns)) + ",label\n"
    text += "".join(",".join(["1"] * columns) + f",{row % 2}\n" for row in range(12))
    config = RunConfig(data="wide.csv")
    with pytest.raises(DataError):
        sources.open_data(config, Csv("wide.csv", text.encode()))
    assert sources.open_data(
        config, Csv("wide.csv", text.encode()), sources.ADMITTED
    ).table_shape == (12, columns)


def test_a_copy_in_a_folder_keeps_name_and_bytes(tmp_path):
    sources.write_copy(tmp_path, raw("good.csv"))
    assert sources.read_copy(tmp_path) == raw("good.csv")


def test_a_folder_without_a_copy_has_none(tmp_path):
    assert sources.read_copy(tmp_path) is None
