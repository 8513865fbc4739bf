"""The built-in data sets and the rule by which rows are held out."""

import hashlib
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline import datasets
from pipeline.datasets import BUILT_IN, DataError, from_table, hold_out, load, synthetic_score

DATA = Path(datasets.__file__).parent / "data"


@pytest.mark.parametrize(
    "name, shape, training, validation, classes, units",
    [
        ("synthetic", (10_000, 20), 10_000, 2_000, 2, 1),
        ("digits", (1_797, 64), 1_438, 359, 10, 10),
        ("breast-cancer", (569, 30), 455, 114, 2, 1),
    ],
)
def test_each_built_in_set_has_its_known_shape(name, shape, training, validation, classes, units):
    data = load(name)
    assert (data.name, data.title) == (name, BUILT_IN[name])
    assert data.table_shape == shape
    assert data.x_train.shape == (training, shape[1])
    assert data.x_validation.shape == (validation, shape[1])
    assert data.y_train.shape == data.train_rows.shape == (training,)
    assert data.y_validation.shape == (validation,)
    assert len(data.features) == len(set(data.features)) == shape[1]
    assert len(data.classes) == classes
    assert data.output_units == units


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_arrays_are_finite_typed_and_read_only(name):
    data = load(name)
    assert data.x_train.dtype == data.x_validation.dtype == np.float32
    assert data.y_train.dtype == data.y_validation.dtype == np.int32
    assert data.train_rows.dtype == np.int64
    assert np.isfinite(data.x_train).all()
    assert set(np.unique(data.y_train)) == set(range(len(data.classes)))
    for array in (data.x_train, data.y_train, data.x_validation, data.y_validation):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("name", BUILT_IN)
def test_loading_twice_gives_the_same_object(name):
    assert load(name) is load(name)


def test_an_unknown_name_is_answered_with_the_nearest_one():
    with pytest.raises(DataError, match=r"'Digit'\. Did you mean digits\?"):
        load("Digit")
    with pytest.raises(DataError, match="Choose one of synthetic, digits, breast-cancer"):
        load("zzz")


def test_the_synthetic_values_read_well():
    data = load("synthetic")
    assert data.x_train.min() >= 0
    assert data.x_train.max() <= 10
    assert (data.x_train == data.x_train.round(2)).all()


def test_the_synthetic_labels_follow_the_stated_rule_apart_from_the_noise():
    data = load("synthetic")
    for x, y in ((data.x_train, data.y_train), (data.x_validation, data.y_validation)):
        assert 0.86 < ((synthetic_score(x) > 0) == y).mean() < 0.90
        assert 0.48 < y.mean() < 0.52


def test_the_synthetic_rule_is_the_one_written_in_about():
    x = load("synthetic").x_train[:50]
    for row, score in zip(x, synthetic_score(x), strict=True):
        c1, c2, c3, c4, c5, c6, c7, c8 = ((float(value) - 5) / 5 for value in row[:8])
        assert score == pytest.approx(c1 + c2 + c3 - c4 - c5 - c6 + 1.5 * c7 * c8)
    assert (
        "c1 + c2 + c3 − c4 − c5 − c6 + 1.5\u00a0×\u00a0c7\u00a0×\u00a0c8" in load("synthetic").about
    )


def test_the_synthetic_rows_never_change():
    data = load("synthetic")
    digest = hashlib.sha256(data.x_train.tobytes() + data.y_train.tobytes()).hexdigest()
    assert digest[:16] == "27ac1a920b8d1048"


def test_breast_cancer_has_the_published_class_counts():
    data = load("breast-cancer")
    labels = np.concatenate([data.y_train, data.y_validation])
    assert dict(zip(data.classes, np.bincount(labels).tolist(), strict=True)) == {
        "benign": 357,
        "malignant": 212,
    }


def test_digits_are_pixels_of_0_to_16_with_the_published_class_counts():
    data = load("digits")
    labels = np.concatenate([data.y_train, data.y_validation])
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert (data.x_train.min(), data.x_train.max()) == (0, 16)
    assert data.features[:2] == ("pixel_0_0", "pixel_0_1")


def test_pixels_that_never_change_are_noted():
    assert "pixel_0_0 (0)" in load("digits").notes[0]


def test_shipped_files_are_the_ones_whose_licence_is_stated():
    licences = (DATA / "LICENCES.md").read_text(encoding="utf-8")
    for file in sorted(DATA.glob("*.gz")):
        assert f"## {file.name}" in licences
        assert hashlib.sha256(file.read_bytes()).hexdigest() in licences


def test_the_source_and_licence_of_real_data_are_told_to_the_learner():
    for name in ("digits", "breast-cancer"):
        assert re.search(r"UCI Machine Learning Repository, CC BY 4\.0", load(name).about)


def test_hold_out_takes_the_share_of_each_class():
    labels = np.array([0] * 80 + [1] * 20, dtype=np.int32)
    train, validation = hold_out(labels, 0.2, 1)
    assert np.bincount(labels[validation]).tolist() == [16, 4]
    assert sorted([*train, *validation]) == list(range(100))
    assert (np.diff(train) > 0).all()
    assert (np.diff(validation) > 0).all()


def test_hold_out_repeats_with_its_seed_and_differs_with_another():
    labels = np.arange(60, dtype=np.int32) % 3
    assert (hold_out(labels, 0.2, 1)[1] == hold_out(labels, 0.2, 1)[1]).all()
    assert (hold_out(labels, 0.2, 1)[1] != hold_out(labels, 0.2, 2)[1]).any()


@pytest.mark.parametrize("rows, held_out", [(0, 0), (1, 0), (9, 0), (10, 2), (11, 2), (12, 2)])
def test_no_rows_are_held_out_under_ten(rows, held_out):
    train, validation = hold_out(np.arange(rows, dtype=np.int32) % 2, 0.2, 1)
    assert (len(train), len(validation)) == (rows - held_out, held_out)
    assert train.dtype == validation.dtype == np.int64


def test_every_class_keeps_a_training_row():
    random = np.random.default_rng(3)
    for _ in range(200):
        labels = random.integers(0, random.integers(2, 20), random.integers(10, 60))
        fraction = float(random.uniform(0, 1))
        train, validation = hold_out(labels.astype(np.int32), fraction, 1)
        assert set(labels[train]) == set(labels)
        assert len(validation) <= round(len(labels) * fraction)


def test_classes_of_one_row_each_leave_nothing_to_hold_out():
    assert len(hold_out(np.arange(12, dtype=np.int32), 0.2, 1)[1]) == 0


def test_training_rows_point_into_the_source_table():
    x = np.arange(40, dtype=np.float32).reshape(20, 2)
    data = from_table(
        name="t", title="t", about="t", features=["a", "b"], classes=["0", "1"],
        x=x, y=np.arange(20, dtype=np.int32) % 2,
        source_rows=np.arange(20, dtype=np.int64) + 100,
    )  # fmt: skip
    assert (data.x_train == x[data.train_rows - 100]).all()


def test_an_error_survives_being_sent_to_another_process():
    error = DataError(["A is bad.", "B is bad."], frozenset({"rows"}), "mine.csv")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "mine.csv: A is bad. B is bad."
    assert (again.problems, again.offers) == (error.problems, error.offers)


def test_reading_data_needs_no_streamlit_tensorflow_or_sklearn():
    code = (
        "import sys, pipeline.csv_data, pipeline.preprocess;"
        "print({'streamlit', 'tensorflow', 'sklearn'} & set(sys.modules))"
    )
    root = Path(datasets.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
