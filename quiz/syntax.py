"""Where YAML cannot be read: what a person would say about it, and the slip mended in memory.

The parser's own words ("could not find expected ':'") help few authors. The usual slips have a
plain cause on a known line: a colon in a text, a tab, a text that starts with a backtick, a
comment that took a closing brace with it. Everything else keeps the parser's words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from quiz.problems import Place, Problem, one_line, shown

_QUOTE_IT = "putting the text in quotes: '…'"
_VALUE = re.compile(r"(?P<lead>\s*(?:-\s+)*(?:[\w-]+:\s+)?)(?P<text>\S.*?)\s*")


@dataclass(frozen=True)
class Trouble:
    """One slip; `kind` says how its line could be mended: "quote", "tab", or not at all."""

    problem: Problem
    kind: str = ""


def explain(error: Exception, lines: list[str], last_line: int, lost: dict[int, int]) -> Trouble:
    """The parser's error as a problem. `lost` has the lines (from 0) where ` #` cut a text."""
    mark: Any = getattr(error, "problem_mark", None)
    context: Any = getattr(error, "context_mark", None)
    row = min(mark.line if mark else last_line, len(lines) - 1)
    column = mark.column if mark else 0
    line = lines[row]
    words = one_line(str(getattr(error, "problem", None) or error))
    at = Place(row + 1, column + 1)
    if "\t" in line[: len(line) - len(line.lstrip())]:
        at = Place(row + 1, line.index("\t") + 1)
        return Trouble(
            Problem(at, "a tab where spaces are needed", "a tab", "spaces only, four for a tab"),
            "tab",
        )
    for number in range(context.line if context else row, row + 1):
        if number in lost:
            at = Place(number + 1, lost[number] + 1)
            got = shown(lines[number][lost[number] :].strip())
            return Trouble(
                Problem(at, "what follows ` #` is lost, and closes nothing", got, _QUOTE_IT)
            )
    if "mapping values are not allowed" in words:
        got = shown(line.strip())
        what = "a colon and a space inside a text without quotes, or a wrong indentation"
        return Trouble(Problem(at, what, got, _QUOTE_IT), "quote")
    if "cannot start any token" in words:
        start = line[column : column + 1]
        what = "a text without quotes cannot start like this"
        return Trouble(Problem(at, what, shown(start), _QUOTE_IT), "quote")
    if "end of stream" in words and context:
        at = Place(context.line + 1, context.column + 1)
        got = shown(lines[min(context.line, len(lines) - 1)][context.column :].strip())
        what = "what opens here is never closed"
        return Trouble(Problem(at, what, got, "the closing quote or bracket"))
    while_doing = getattr(error, "context", None)
    where = f" ({one_line(while_doing)})" if while_doing else ""
    remedy = "looking at quotes, brackets and indentation here and just above"
    got = shown(line.strip()) if line.strip() else "the end of the file"
    return Trouble(Problem(at, f"not readable as YAML: {words}{where}", got, remedy))


def repaired(trouble: Trouble, lines: list[str]) -> list[str] | None:
    """The lines with this slip mended as its author most likely meant, or None.

    Only used to go on and find what else is wrong: the file is refused all the same.
    """
    row = trouble.problem.place.line - 1
    line = lines[row]
    if trouble.kind == "quote":
        found = _VALUE.fullmatch(line)
        if found is None or found["text"][0] in "'\"[{|>&*!":
            return None
        quoted = found["text"].replace("'", "''")
        new = f"{found['lead']}'{quoted}'"
    elif trouble.kind == "tab":
        below = next((text for text in lines[row + 1 :] if text.strip()), "")
        indent = below[: len(below) - len(below.lstrip())]
        if "\t" in indent:
            return None
        new = indent + line.lstrip()
    else:
        return None
    return None if new == line else [*lines[:row], new, *lines[row + 1 :]]
