"""Bytes of an uploaded file -> a table of text cells: encoding, separator, header, ragged rows.

    table = read_text_table(raw, "mine.csv", CsvLimits())

Reads UTF-8 (with or without its mark), UTF-16 and UTF-32 with their mark, and plain western
Windows-1252; commas, semicolons or tabs. Anything else is refused in words, never guessed into
garbage. What the cells mean (numbers, labels, missing values) is for ``csv_data``.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pipeline.datasets import DataError

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
NAMED = 5  # how many places one sentence names before it counts the rest

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_ACCENT = "[À-ÖØ-öø-ÿ°µ²³€£§‘’“”–—]"
_WESTERN = re.compile(  # a lone accent, or two inside a word as in größe
    rf"(?<![^\x00-\x7f]){_ACCENT}(?![^\x00-\x7f])|(?<=[A-Za-z]){_ACCENT}{{2}}(?=[A-Za-z])"
)
_MARKS = (  # longest first: the mark of UTF-32 begins like the one of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class CsvLimits:
    """The largest file accepted: data rows, columns with the label, 1,000,000 bytes, classes."""

    rows: int = 100_000
    columns: int = 500
    megabytes: float = 10
    classes: int = 50


@dataclass(frozen=True)
class TextTable:
    """Stripped cells of every row that has as many values as the header has names.

    ``numbers`` gives each row its place in the file, counted from 1 after the header without
    blank lines; ``lines`` the line of the file it ends on. ``problems`` are refusals that no
    leave-out can cure, kept so that they can be told together with those in the cells.
    """

    names: list[str]
    rows: list[list[str]]
    numbers: list[int]
    lines: list[int]
    separator: str
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def row(self, index: int) -> str:
        """How to name the row at ``index`` to a person."""
        return _row(self.numbers[index], self.lines[index])


def read_text_table(raw: bytes, name: str, limits: CsvLimits) -> TextTable:
    """Read ``raw`` as a table of text with a header line.

    Raises DataError when there is no table to speak of: empty, too large, not text, unclosed
    quotes, no header, no rows, a single column.
    """
    if len(raw) > limits.megabytes * 1_000_000:
        raise DataError(
            [
                f"The file has {len(raw) / 1_000_000:,.1f} MB, more than the {limits.megabytes:g} "
                "MB allowed: keep fewer rows or columns."
            ],
            name=name,
        )
    try:
        text, notes = _decode(raw)
        separator, declared = _separator(text)
        return _table(text, separator, declared, limits, notes)
    except DataError as error:
        raise DataError(error.problems, error.offers, name) from None


def is_number(cell: str) -> bool:
    """Whether ``cell`` is a finite decimal number in plain ASCII digits, with a dot if any."""
    return _NUMBER.fullmatch(cell) is not None


def shown(value: str, length: int = 40) -> str:
    """``value`` fit for a sentence: one line, not long."""
    value = " ".join(value.split())
    return value if len(value) <= length else value[: length - 3] + "..."


def listed(parts: Sequence[str], total: int | None = None) -> str:
    """The first few ``parts``, then how many more there are out of ``total``."""
    more = (len(parts) if total is None else total) - len(parts[:NAMED])
    return ", ".join(parts[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _refused(problem: str) -> DataError:
    return DataError([problem])


def _decode(raw: bytes) -> tuple[str, list[str]]:
    if not raw:
        raise _refused("The file is empty (0 bytes): choose a file with a header and rows.")
    if raw.startswith(b"PK\x03\x04"):
        raise _refused(
            "The file is not a text table but a zip archive, such as an Excel workbook: "
            "save the sheet as CSV (UTF-8) and choose that file."
        )
    encoding = next((known for mark, known in _MARKS if raw.startswith(mark)), "utf-8")
    notes: list[str] = []
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise _refused(
                f"The file begins as {encoding.upper()} text but byte {error.start + 1:,} does "
                "not fit that encoding, so it is damaged: save it again as CSV (UTF-8)."
            ) from None
        text, notes = _western(raw, error.start)
    found = _CONTROL.search(text)
    if found:
        code = ord(found.group())
        hint = "; if it is UTF-16 text without its mark, save it as CSV (UTF-8)" if not code else ""
        raise _refused(
            f"The file is not a text table: character {found.start() + 1:,} is control code "
            f"{code}. Choose a CSV file{hint}."
        )
    return text, notes


def _western(raw: bytes, start: int) -> tuple[str, list[str]]:
    """Read sparse accented letters as Windows-1252; refuse everything denser as unknown."""
    text = raw.decode("cp1252", errors="replace")
    western = "".join(_WESTERN.findall(text))
    if b"\0" in raw or len(western) != len(re.findall(r"[^\x00-\x7f]", text)):
        raise _refused(
            "The file is not a text table in UTF-8 or UTF-16, nor plainly in Windows-1252 "
            f"(byte {start + 1:,} is 0x{raw[start]:02X}): save it as CSV (UTF-8)."
        )
    seen = ", ".join(dict.fromkeys(western[:20]))
    return text, [
        f"The file is not UTF-8 and was read as Windows-1252 (characters found: {seen}). "
        "If names look wrong, save it as CSV (UTF-8)."
    ]


def _reader(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Every non-blank row as (line it ends on, stripped cells)."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True
    )
    line = 0
    try:
        for cells in reader:
            line = reader.line_num
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield line, stripped
    except csv.Error as error:
        raise _refused(
            f"Line {line + 1:,} cannot be divided into values ({error}): look for a quotation "
            "mark that is not closed, or close it before the next separator."
        ) from None


def _separator(text: str) -> tuple[str, bool]:
    """The separator and whether a first line ``sep=;`` (as Excel writes it) declares it."""
    first = text.lstrip()[:6].rstrip("\r\n ")
    if first[:4].lower() == "sep=" and first[4:] in SEPARATORS:
        return first[4:], True
    best, score = ",", (0, 0)
    for separator in SEPARATORS:
        try:
            widths = [len(cells) for _, cells in islice(_reader(text, separator), 20)]
        except DataError:
            continue  # the quotes fit another separator, or none: then reading says so
        if widths and widths[0] > 1 and (widths.count(widths[0]), widths[0]) > score:
            best, score = separator, (widths.count(widths[0]), widths[0])
    return best, False


def _table(
    text: str, separator: str, declared: bool, limits: CsvLimits, notes: list[str]
) -> TextTable:
    reader = _reader(text, separator)
    if declared:
        next(reader, None)
    _, names = next(reader, (0, []))
    if not names:
        raise _refused("The file holds only blank lines: choose a file with a header and rows.")
    if len(names) == 1:
        raise _refused(
            f"Only one column was found ({shown(names[0])}): a table needs at least one feature "
            "column and a label, separated by commas, semicolons or tabs."
        )
    if len(names) > limits.columns:
        raise _refused(
            f"The header has {len(names):,} columns, more than the {limits.columns:,} allowed: "
            "keep fewer columns."
        )
    table = TextTable(names, [], [], [], separator, notes=notes)
    if separator != ",":
        table.notes.append(f"The values are separated by {SEPARATORS[separator]}.")
    ragged: list[str] = []
    count = uneven = 0
    for count, (line, cells) in enumerate(reader, start=1):
        if count > limits.rows:
            raise _refused(
                f"The file has more than the {limits.rows:,} rows allowed: keep fewer rows."
            )
        if len(cells) == len(names):
            table.rows.append(cells)
            table.numbers.append(count)
            table.lines.append(line)
            continue
        uneven += 1
        if uneven <= NAMED:
            values = "1 value" if len(cells) == 1 else f"{len(cells):,} values"
            ragged.append(f"{_row(count, line)} has {values}")
    _check_header(names, table)
    if not count:
        raise _refused(
            f"The file has a header ({shown(', '.join(names))}) but no rows: add rows below it."
        )
    if ragged:
        told = listed(ragged, uneven)
        table.problems.append(
            f"{told[0].upper()}{told[1:]}, {len(names):,} expected as in the header: give each row "
            "one value for each column name."
        )
    _name_columns(table)
    return table


def _check_header(names: list[str], table: TextTable) -> None:
    """Refuse a first line that is data: all numbers, or numbers and a word found again below."""
    plain = [name.replace(",", ".", 1) if table.separator != "," else name for name in names]
    words = [index for index, name in enumerate(plain) if not is_number(name)]
    again = len(words) == 1 and any(row[words[0]] == names[words[0]] for row in table.rows)
    if not words or (again and names[words[0]]):
        raise _refused(
            f"The first line ({shown(', '.join(names))}) holds data, not column names: add a "
            "header line above it, such as f1, f2, label."
        )


def _name_columns(table: TextTable) -> None:
    """Drop columns without name and values, name those without a name, report duplicates."""
    names = table.names
    empty = [
        index
        for index, name in enumerate(names)
        if not name and not any(row[index] for row in table.rows)
    ]
    if empty and table.rows:
        for index in reversed(empty):
            del names[index]
            for row in table.rows:
                del row[index]
        table.notes.append("Columns without a name and without values were left out.")
    unnamed = [index for index, name in enumerate(names) if not name]
    for index in unnamed:
        names[index] = f"column_{index + 1}"
    if unnamed:
        called = listed([names[index] for index in unnamed])
        table.notes.append(f"Columns without a name are called by their place: {called}.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    for name in twice[:NAMED]:
        places = [str(index + 1) for index, other in enumerate(names) if other == name]
        count = "Two" if len(places) == 2 else f"{len(places):,}"
        table.problems.append(
            f"{count} columns are called {shown(name)} (columns {listed(places)}): "
            "give each column a name of its own."
        )
    if len(twice) > NAMED:
        table.problems.append(f"{len(twice) - NAMED:,} more column names are used twice.")


def _row(number: int, line: int) -> str:
    """The data row for a person; with its line where blank or joined lines shift the count."""
    return f"row {number:,}" if line == number + 1 else f"row {number:,} (line {line:,})"
