"""What a learner may upload: the case files, one attack at a time, and bytes at random."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.csv_data import CsvOptions, DataError, read_csv
from pipeline.datasets import DataSet
from pipeline.preprocess import fit

CASES = Path(__file__).parents[1] / "cases" / "data"
ROWS = frozenset({"rows"})
COLUMNS = frozenset({"columns"})


def read_case(name, **options):
    return read_csv((CASES / name).read_bytes(), name, CsvOptions(**options))


def read(text, encoding="utf-8", **options):
    return read_csv(text.encode(encoding), "mine.csv", CsvOptions(**options))


def refused(text, **options):
    with pytest.raises(DataError) as caught:
        read(text, **options)
    assert str(caught.value).startswith("mine.csv: ")
    return caught.value


def rows(count=12, line="{n},{m},{c}"):
    return "\n".join(line.format(n=n, m=n * 2, c=n % 2) for n in range(1, count + 1)) + "\n"


# The case files ------------------------------------------------------------------------------

READ = [
    ("good.csv", {}, (64, 4), ("0", "1"), ()),
    ("semicolon_decimal_comma.csv", {}, (40, 4), ("0", "1"), ("semicolons", "decimal comma")),
    ("bom_crlf.csv", {}, (40, 4), ("0", "1"), ()),
    ("missing_values.csv", {"leave_out": ROWS}, (38, 4), ("0", "1"), ("2 rows (5, 18)",)),
    ("text_column.csv", {"leave_out": COLUMNS}, (40, 3), ("0", "1"), ("column f3",)),
    ("constant_column.csv", {}, (40, 4), ("0", "1"), ("f3 (7.5)",)),
    ("infinite.csv", {"leave_out": ROWS}, (39, 4), ("0", "1"), ("1 row (10)",)),
    ("three_rows.csv", {}, (3, 4), ("0", "1"), ("under 10",)),
    ("three_class_words.csv", {}, (60, 4), ("cat", "dog", "owl"), ()),
    ("utf16.csv", {}, (64, 4), ("0", "1"), ()),
]

REFUSED = [
    ("missing_values.csv", ROWS, ("2 rows have missing", "column f2 row 5", "column f1 row 18")),
    ("text_column.csv", COLUMNS, ("f3", "words", "row 1: red")),
    ("one_class.csv", frozenset(), ("column label", "one class (1)")),
    ("infinite.csv", ROWS, ("column f4 row 10 is inf",)),
    ("header_only.csv", frozenset(), ("no rows",)),
    ("duplicate_columns.csv", frozenset(), ("Two columns are called f1", "columns 1, 2")),
    ("ragged.csv", frozenset(), ("Row 7 has 3 values", "row 22 has 6", "5 expected")),
    ("binary.csv", frozenset(), ("not a text table",)),
]


@pytest.mark.parametrize("name, options, shape, classes, notes", READ)
def test_a_case_file_is_read(name, options, shape, classes, notes):
    data = read_case(name, **options)
    assert data.name == name
    assert data.table_shape == shape
    assert data.classes == classes
    assert data.features[0] == "f1"
    assert len(data.x_train) + len(data.x_validation) == shape[0]
    assert len(data.notes) == len(notes)
    assert all(part in " ".join(data.notes) for part in notes)
    scale = fit(data.x_train)
    assert np.isfinite(scale.apply(data.x_train)).all()
    assert np.isfinite(scale.apply(data.x_validation)).all()


@pytest.mark.parametrize("name, offers, words", REFUSED)
def test_a_case_file_is_refused_with_place_value_and_offer(name, offers, words):
    with pytest.raises(DataError) as caught:
        read_case(name)
    assert str(caught.value).startswith(f"{name}: ")
    assert caught.value.offers == offers
    assert len(caught.value.problems) == 1
    for part in words:
        assert part in str(caught.value)


def test_every_case_file_has_an_expected_answer():
    assert {p.name for p in CASES.glob("*.csv")} == {case[0] for case in [*READ, *REFUSED]}


def test_decimal_commas_become_the_right_numbers():
    data = read_case("semicolon_decimal_comma.csv")
    everything = np.concatenate([data.x_train, data.x_validation])
    assert any(np.allclose(row, [1.24, 5.56, 7.16, 3.8]) for row in everything)


def test_three_classes_need_three_output_units():
    assert read_case("three_class_words.csv").output_units == 3


def test_three_rows_hold_nothing_out():
    data = read_case("three_rows.csv")
    assert data.x_train.tolist() == [[1, 2, 3, 4], [2, 1, 0.5, 3], [5, 5, 1, 1]]
    assert data.x_validation.shape == (0, 4)


def test_the_constant_column_scales_to_zero():
    data = read_case("constant_column.csv")
    assert (fit(data.x_train).apply(data.x_train)[:, 2] == 0).all()


def test_training_rows_name_rows_of_the_file_after_some_were_left_out():
    data = read("a,b,l\n" + "1,,0\n" + "\n".join(f"{n},{n},{n % 2}" for n in range(2, 8)),
                leave_out=ROWS)  # fmt: skip
    assert data.train_rows.tolist() == [1, 2, 3, 4, 5, 6]
    assert data.x_train[:, 0].tolist() == [2, 3, 4, 5, 6, 7]


# Cells ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["", " ", "NA", "NaN", "nan", "null", "NULL", "?", "n/a"])
def test_every_spelling_of_missing_is_recognised(cell):
    error = refused("a,b,label\n" + rows() + f"{cell},5,1\n")
    assert f"column a row 13 is {cell.strip() or 'empty'}" in str(error)
    assert error.offers == ROWS


@pytest.mark.parametrize("cell", ["inf", "-inf", "Infinity", "1e999", "1e39", "-4e38"])
def test_infinite_and_too_large_values_are_named_and_can_be_left_out(cell):
    text = "a,b,label\n" + rows() + f"{cell},5,1\n"
    error = refused(text)
    assert f"column a row 13 is {cell}" in str(error)
    assert error.offers == ROWS
    assert read(text, leave_out=ROWS).table_shape == (12, 2)


@pytest.mark.parametrize("cell", ["1_0", "0x10", "१२", "1.234,5", "12a", "1 2", "1,234.5"])
def test_what_is_not_plainly_a_number_is_a_word(cell):
    error = refused("a,b,label\n" + rows() + f'"{cell}",5,1\n')
    assert "Column a holds words in 1 of 13 rows (first in row 13:" in str(error)
    assert error.offers == COLUMNS


def test_a_comma_beside_dots_is_no_decimal_comma():
    assert "1,234" in str(refused("a;b;label\n" + rows(line="{n}.5;{m};{c}") + "1,234;5;1\n"))


def test_all_problems_are_told_at_once():
    error = refused("a,a,b,w,label\n1,2,,x,0\n1,2,inf,y,1\n1,2\n")
    text = str(error)
    assert error.offers == frozenset()
    for part in ("called a", "Row 3 has 2", "column b row 1 is empty", "row 2 is inf", "row 1: x"):
        assert part in text


def test_long_lists_of_problems_are_counted():
    error = refused("a,b,label\n" + "1,2\n" * 30 + rows())
    assert "row 5 has 2 values and 25 more, 3 expected" in str(error)


def test_two_kinds_of_offers_are_made_together():
    text = "a,w,label\n" + rows(line="{n},word,{c}") + ",word,1\n"
    error = refused(text)
    assert error.offers == ROWS | COLUMNS
    assert read(text, leave_out=error.offers).table_shape == (12, 1)


def test_a_leave_out_that_would_not_help_is_not_offered():
    error = refused("a,b,label\n1,2,0\n3,4,0\n,5,1\n")
    assert error.offers == frozenset()
    assert "With that left out: The label, column label, has one class (0)" in str(error)


def test_words_in_every_column_leave_nothing_to_learn_from():
    error = refused("a,label\nx,0\ny,1\n")
    assert error.offers == frozenset()
    assert "No column of numbers is left" in str(error)


def test_a_named_column_without_values_is_refused():
    assert "No value at all in column b" in str(refused("a,b,label\n1,,0\n2,,1\n"))


def test_missing_cells_in_a_column_left_out_cost_no_rows():
    data = read("a,w,label\n1,x,0\n2,,1\n3,y,1\n", leave_out=ROWS | COLUMNS)
    assert data.table_shape == (3, 1)


# Labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written, classes",
    [
        (["0", "1"], ("0", "1")),
        (["2", "1"], ("1", "2")),
        (["-1", "1"], ("-1", "1")),
        (["0.0", "1.0"], ("0", "1")),
        (["10", "9", "1"], ("1", "9", "10")),
        (["1.5", "0.5"], ("0.5", "1.5")),
        (["yes", "no"], ("no", "yes")),
        (["1", "x"], ("1", "x")),
    ],
)
def test_class_names_are_sorted_and_normalised(written, classes):
    lines = [f"{n},{written[n % len(written)]}" for n in range(8)]
    data = read("a,label\n" + "\n".join(lines))
    assert data.classes == classes
    labels = [data.classes[y] for y in data.y_train]
    assert labels == [normal(written[n % len(written)]) for n in range(8)]


def normal(written):
    return {"0.0": "0", "1.0": "1"}.get(written, written)


def test_one_and_one_point_zero_are_the_same_class():
    assert read("a,label\n1,1\n2,1.0\n3,0\n4,0.0\n").classes == ("0", "1")


def test_another_column_may_be_the_label():
    data = read("kind,a,b\n" + rows(line="k{c},{n},{m}"), label="kind")
    assert data.features == ("a", "b")
    assert data.classes == ("k0", "k1")


def test_an_unknown_label_column_is_answered_with_the_nearest():
    error = refused("height,weight,label\n" + rows(), label="wieght")
    assert "no column called wieght to take as label. Did you mean weight?" in str(error)
    assert "height, weight, label" in str(error)


def test_a_missing_label_is_a_missing_value():
    error = refused("a,label\n1,x\n2,y\n3,\n4,y\n")
    assert "column label row 3 is empty" in str(error)
    assert error.offers == ROWS


def test_a_continuous_label_is_refused_with_its_count():
    text = "a,label\n" + "\n".join(f"{n},{n / 7}" for n in range(5000))
    assert "column label, has 5,000 different values" in str(refused(text))
    assert "choose another column" in str(refused(text))


def test_a_label_that_hardly_repeats_is_refused_even_when_short():
    text = "a,label\n" + "\n".join(f"{n},{n / 7}" for n in range(20))
    assert "has 20 different values in 20 rows" in str(refused(text))


def test_only_known_leave_outs_can_be_asked_for():
    with pytest.raises(ValueError, match="'rows' and 'columns'"):
        CsvOptions(leave_out=frozenset({"cells"}))


# Anything at all -----------------------------------------------------------------------------

SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*.csv"))]
PIECES = [b",", b";", b"\t", b'"', b"\n", b"\r", b"\x00", b"\xff", b"inf", b"nan", b"1e999", b"-"]


def mutated(random):
    raw = bytearray(SEEDS[random.integers(len(SEEDS))])
    for _ in range(random.integers(1, 4)):
        place = int(random.integers(len(raw) + 1))
        match random.integers(9):
            case 0:
                raw[place : place + int(random.integers(1, 40))] = b""
            case 1:
                raw[place:place] = PIECES[random.integers(len(PIECES))]
            case 2:
                raw[place : place + 1] = bytes(random.integers(0, 256, 1, dtype=np.uint8))
            case 3:
                raw[place:place] = raw[: int(random.integers(1, 80))]
            case _ if raw[place : place + 1].isdigit():
                raw[place : place + 1] = b"%d" % random.integers(10)
            case _:
                raw += b"\n" + raw[raw.rfind(b"\n", 0, -1) + 1 :].strip()
    return bytes(raw)


def attempt(raw, leave_out=frozenset()):
    try:
        return read_csv(raw, "mine.csv", CsvOptions(leave_out=leave_out))
    except DataError as error:
        return error


def check(raw, leave_out=frozenset()):
    """Whether ``raw`` was read; fails on anything but a sound DataSet or DataError."""
    answer = attempt(raw, leave_out)
    if isinstance(answer, DataError):
        assert answer.problems
        assert all(problem.strip() for problem in answer.problems)
        assert len(str(answer)) < 5000
        if answer.offers:
            assert check(raw, leave_out | answer.offers), "an offer that does not help"
        return False
    assert isinstance(answer, DataSet)
    for x in (answer.x_train, answer.x_validation):
        assert x.dtype == np.float32
        assert np.isfinite(x).all()
    assert set(np.unique(answer.y_train)) == set(range(len(answer.classes)))
    assert len(answer.x_train) == len(answer.y_train) == len(answer.train_rows)
    return True


def test_mutated_files_give_a_data_set_or_a_data_error():
    random = np.random.default_rng(7)
    read_well = sum(check(mutated(random)) for _ in range(600))
    assert 60 < read_well < 540


def test_random_bytes_give_a_data_error():
    random = np.random.default_rng(8)
    for length in random.integers(0, 400, 200):
        raw = bytes(random.integers(0, 256, length, dtype=np.uint8))
        assert not check(raw)


def test_random_table_characters_never_crash():
    random = np.random.default_rng(9)
    letters = np.frombuffer(b'01.,;\t"\n\r ax-e?', dtype=np.uint8)
    for length in random.integers(1, 200, 300):
        check(bytes(random.choice(letters, length)), frozenset({"rows"}))
