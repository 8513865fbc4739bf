"""docs/MAP.md tells the truth: every file has one line, every line has a file and some words."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(r"- `(?P<path>[^`]+)`(?P<rest>.*)")


def problems(text: str, files: list[str], exists: Callable[[str], bool]) -> list[str]:
    """What is wrong with the map `text` of a tree that holds `files`.

    A line whose path ends in "/" stands for everything in that folder.
    """
    listed: list[str] = []
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        entry = LINE.fullmatch(line.rstrip())
        if entry is None:
            if line.startswith("- "):
                found.append(f"line {number} is not of the form: - `path` — what it is")
            continue
        path = entry["path"]
        if not re.fullmatch(r" — \S.*", entry["rest"]):
            found.append(f"line {number} does not say what this is: - `{path}` — what it is")
        if path in listed:
            found.append(f"line {number} lists this again: {path}")
        if not exists(path):
            found.append(f"line {number} lists a path that does not exist: {path}")
        listed.append(path)
    folders = tuple(path for path in listed if path.endswith("/"))
    found += [
        f"add a line: - `{file}` — what it is"
        for file in files
        if file not in listed and not file.startswith(folders)
    ]
    return found


def files_of(root: Path) -> list[str]:
    """Tracked files and new ones that git does not ignore, without empty package markers."""
    out = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted(
        name
        for name in set(out.split("\0"))
        if name
        and (root / name).is_file()
        and not (name.endswith("__init__.py") and (root / name).stat().st_size == 0)
    )


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout: files are unknown")
def test_the_map_lists_every_file_once():
    text = (ROOT / "docs/MAP.md").read_text(encoding="utf-8")

    found = problems(text, files_of(ROOT), lambda path: (ROOT / path).exists())

    assert not found, "docs/MAP.md:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("- `app.py` — the entry\n- `cases/` — inputs", None),
        ("# Map\n\nSome prose.\n\n- `app.py` — the entry\n- `cases/` — inputs\n", None),
        ("- `cases/` — inputs", "add a line: - `app.py` — what it is"),
        ("- `app.py` — the entry", "add a line: - `cases/a.csv` — what it is"),
        (
            "- `app.py` — the entry\n- `app.py` — again\n- `cases/` — inputs",
            "line 2 lists this again: app.py",
        ),
        (
            "- `app.py` — the entry\n- `cases/` — inputs\n- `gone.py` — no more",
            "line 3 lists a path that does not exist: gone.py",
        ),
        (
            "- `app.py` — \n- `cases/` — inputs",
            "line 1 does not say what this is: - `app.py` — what it is",
        ),
        (
            "- app.py: the entry\n- `app.py` — the entry\n- `cases/` — inputs",
            "line 1 is not of the form: - `path` — what it is",
        ),
    ],
)
def test_a_wrong_line_is_found(text: str, expected: str | None):
    files = ["app.py", "cases/a.csv"]

    found = problems(text, files, lambda path: path in {*files, "cases/"})

    assert found == ([expected] if expected else [])
