"""From bytes to cells: encodings, separators, quotes, headers and limits, one attack at a time."""

import pytest

from pipeline.csv_data import CsvLimits, CsvOptions, DataError, read_csv


def read(text, encoding="utf-8", **options):
    return read_csv(text.encode(encoding), "mine.csv", CsvOptions(**options))


def refused(text, **options):
    with pytest.raises(DataError) as caught:
        read(text, **options)
    assert str(caught.value).startswith("mine.csv: ")
    return caught.value


def rows(count=12, line="{n},{m},{c}"):
    return "\n".join(line.format(n=n, m=n * 2, c=n % 2) for n in range(1, count + 1)) + "\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"]
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_known_encodings_and_line_ends_give_the_same_table(encoding, end):
    text = ("größe,b,label\n" + rows()).replace("\n", end)
    data = read(text, encoding)
    assert data.features == ("größe", "b")
    assert data.table_shape == (12, 2)


def test_single_western_letters_in_windows_1252_are_read_with_a_note():
    data = read("länge,b,label\n" + rows(), "cp1252")
    assert data.features == ("länge", "b")
    assert "Windows-1252 (characters found: ä)" in data.notes[0]


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "shift_jis", "gb2312"])
def test_other_old_encodings_are_refused_and_never_garbage(encoding):
    word = {"c": "возраст", "k": "возраст", "s": "年齢", "g": "年龄"}[encoding[0]]
    with pytest.raises(DataError, match=r"byte 1 is 0x.*save it as CSV \(UTF-8\)"):
        read(f"{word},b,label\n" + rows(), encoding)


@pytest.mark.parametrize(
    "raw, words",
    [
        (b"", "empty (0 bytes)"),
        (b"\n\r\n  \n", "only blank lines"),
        (b"\xef\xbb\xbf", "only blank lines"),
        (b"\xff\xfea", "UTF-16 text but byte 3"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (b"a,b\n1,\x00\n", "control code 0"),
        ("a,b\n1,2\n".encode("utf-16-le"), "UTF-16 text without its mark"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text table"),
        (b"a\n1\n2\n", "Only one column was found (a)"),
        (b"a|b\n1|2\n", "separated by commas, semicolons or tabs"),
    ],
)
def test_bytes_that_are_no_table_are_refused_in_words(raw, words):
    with pytest.raises(DataError) as caught:
        read_csv(raw, "mine.csv")
    assert words in str(caught.value)
    assert caught.value.offers == frozenset()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_are_found(separator):
    text = ("a,b,label\n" + rows()).replace(",", separator)
    assert read(text).table_shape == (12, 2)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_first_line_of_excel_declares_the_separator(separator):
    text = f"sep={separator}\r\n" + ("a,b,label\n" + rows()).replace(",", separator)
    assert read(text).features == ("a", "b")


def test_a_separator_inside_quotes_is_part_of_the_value():
    data = read('"a, first","b ""x""",label\n' + rows(line='"{n}","{m}",{c}'))
    assert data.features == ("a, first", 'b "x"')


def test_an_unclosed_quote_names_its_line():
    assert "Line 3 cannot" in str(refused('a,b,label\n1,2,0\n"2,3,1\n3,4,0\n'))


def test_a_value_of_endless_length_is_refused():
    assert "Line 2 cannot" in str(refused("a,b,label\n1," + "9" * 200_000 + ",1\n"))


def test_blank_lines_are_skipped_and_problems_name_the_line():
    error = refused("a,b,label\n\n1,2,0\n,,\n2,x y,1\n")
    assert "row 2 (line 5): x y" in str(error)


def test_whitespace_around_names_and_values_is_removed():
    data = read(" a , b\t, label \n" + rows(line=" {n} ,\t{m}, {c} "))
    assert data.features == ("a", "b")


def test_a_file_without_a_header_is_refused():
    assert "The first line (1, 2, 1) holds data" in str(refused(rows()))
    assert "holds data" in str(refused("5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n"))


def test_years_may_be_column_names():
    assert read("2001,2002,label\n" + rows()).features == ("2001", "2002")


def test_a_column_without_a_name_is_called_by_its_place():
    data = read(",b,label\n" + rows())
    assert data.features == ("column_1", "b")
    assert "column_1" in data.notes[0]


def test_an_empty_last_column_is_left_out_with_a_note():
    data = read("a,b,label,\n" + rows(line="{n},{m},{c},"))
    assert data.features == ("a", "b")
    assert "without a name and without values" in data.notes[0]


@pytest.mark.parametrize(
    "limits, words",
    [
        (CsvLimits(rows=11), "more than the 11 rows"),
        (CsvLimits(columns=2), "3 columns, more than the 2"),
        (CsvLimits(megabytes=0.00001), "MB"),
        (CsvLimits(classes=1), "2 different values"),
    ],
)
def test_each_limit_is_kept(limits, words):
    with pytest.raises(DataError) as caught:
        read_csv(("a,b,label\n" + rows()).encode(), "mine.csv", CsvOptions(), limits)
    assert words in str(caught.value)


def test_thousands_of_columns_are_refused_in_a_short_sentence():
    text = ",".join(f"c{n}" for n in range(5000)) + "\n" + ",".join("1" * 5000)
    assert "5,000 columns" in str(refused(text))
    assert len(str(refused(text))) < 200
