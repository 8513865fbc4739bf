"""The code that ran, read from its source file: never a copy, and without importing it."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def whole(file: str) -> str:
    """The text of a file of the project, given by its path from the root."""
    return (ROOT / file).read_text(encoding="utf-8")


@functools.cache
def source(file: str, name: str) -> str:
    """The source of function or class `name` (`Class.method` too) in `file`, dedented.

    Raises LookupError when it is not there any more.
    """
    text = whole(file)
    nodes: list[ast.stmt] = ast.parse(text).body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((node for node in nodes if getattr(node, "name", None) == part), None)
        if found is None:
            raise LookupError(f"{file} has no {name}")
        nodes = getattr(found, "body", [])
    assert found is not None
    lines = text.splitlines()[found.lineno - 1 : found.end_lineno]
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] for line in lines)
