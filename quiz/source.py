"""Bytes of a file -> clean text with plain line ends, and what is wrong with single characters.

A byte order mark and Windows line ends are accepted in silence. Nothing is guessed: bytes that are
not UTF-8 are reported with their line, and a mark stands for them so that the rest can be read too.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path

from quiz.problems import Place, Problem, shown

MOST_BYTES = 1_000_000
DAMAGED = "\ufffd"

# Control characters, line ends that only some programs see, marks that turn the reading direction
# of what follows, and what stands for a character that was lost.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff0-\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_FOREIGN_MARKS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x00\x00\xfe\xff": "UTF-32",
}
_MOST_DAMAGE = 50


def read_bytes(path: Path) -> tuple[bytes, list[Problem]]:
    """The bytes of a regular file that is not too large, or why not."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b"", [_whole("this is no file", str(path), "the path of a YAML file")]
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return b"", [_whole("the file cannot be read", reason, "the path of a YAML file")]
    return data, []


def decode(data: bytes) -> tuple[str, list[Problem]]:
    """The text of these bytes and its problems; an empty text when reading on makes no sense."""
    if len(data) > MOST_BYTES:
        size = f"more than {MOST_BYTES:,} bytes"
        return "", [_whole("the file is too large", size, "several smaller files")]
    for mark, name in _FOREIGN_MARKS.items():
        if data.startswith(mark):
            return "", [_whole("the file is not UTF-8", name, "saving it as UTF-8")]
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    problems: list[Problem] = []
    lines = [_line(raw, number, problems) for number, raw in enumerate(data.split(b"\n"), 1)]
    if len(problems) > _MOST_DAMAGE:
        got = f"{len(problems)} lines with bytes that are no text"
        return "", [
            *problems[:3],
            Problem(problems[3].place, "this is no text file", got, "a YAML file saved as UTF-8"),
        ]
    return "\n".join(lines), problems


def unseen_in(text: str) -> str | None:
    """The name of the first character in it that nobody can see, or None."""
    found = UNSEEN.search(text)
    return None if found is None else _name(found[0])


def _line(raw: bytes, number: int, problems: list[Problem]) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode("utf-8", "replace")) + 1
        got = f"the byte 0x{raw[error.start]:02X}"
        remedy = "saving the file as UTF-8"
        problems.append(Problem(Place(number, column), "the text is not UTF-8", got, remedy))
        return UNSEEN.sub(DAMAGED, raw.decode("utf-8", "replace"))
    found = UNSEEN.search(text)
    if found is None:
        return text
    problems.append(
        Problem(
            Place(number, found.start() + 1),
            "a character that no reader can see",
            _name(found[0]),
            "deleting it",
        )
    )
    return UNSEEN.sub(DAMAGED, text)


def _name(char: str) -> str:
    code = f"U+{ord(char):04X}"
    return f"{code} {unicodedata.name(char, '')}".strip()


def _whole(what: str, got: str, remedy: str) -> Problem:
    return Problem(Place(), what, shown(got), remedy)
