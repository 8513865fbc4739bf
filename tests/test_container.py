"""What can be known about the Dockerfile without a container engine: it is read, not built."""

from __future__ import annotations

import fnmatch
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COPIED = "COPY requirements.txt requirements-lesson.txt constraints.txt ./"
NEEDED = ("app.py", "pages", "pipeline", "ui", "requirements.txt", "constraints.txt", ".streamlit")


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions in order, as (NAME, rest), with continued lines joined."""
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", kept)
    pairs = (line.strip().partition(" ") for line in joined.splitlines() if line.strip())
    return [(name.upper(), rest.strip()) for name, _, rest in pairs]


def ignored(path: str, patterns: list[str]) -> bool:
    top = path.split("/", 1)[0]
    return any(
        fnmatch.fnmatch(name, pattern.rstrip("/"))
        for pattern in patterns
        for name in (path, top)
        if not pattern.startswith("!")
    )


def problems(text: str, ignore: str, root: Path) -> list[str]:
    """What is wrong with the Dockerfile `text` beside the .dockerignore `ignore` in `root`."""
    steps = instructions(text)
    patterns = [line for line in ignore.splitlines() if line and not line.startswith("#")]
    found = []

    def all_of(name: str) -> list[str]:
        return [rest for step, rest in steps if step == name]

    for image in all_of("FROM"):
        tag = image.split()[0].rpartition("/")[2].partition(":")[2]
        if tag in ("", "latest"):
            found.append(f"FROM {image} names no version")

    users = all_of("USER")
    if not users or users[-1].split(":")[0] in ("root", "0"):
        found.append("it runs as root")

    checks = all_of("HEALTHCHECK")
    if not checks or "/_stcore/health" not in checks[-1]:
        found.append("no HEALTHCHECK asks /_stcore/health")
    if any(re.search(r"\b(curl|wget)\b", check) for check in checks):
        found.append("HEALTHCHECK uses a program that the slim image does not have")

    data = re.search(r"LOCKSTEP_DATA=(\S+)", " ".join(all_of("ENV")))
    if data is None or data[1] not in all_of("VOLUME"):
        found.append("LOCKSTEP_DATA is not a VOLUME")

    for rest in all_of("COPY"):
        for source in [word for word in shlex.split(rest) if not word.startswith("--")][:-1]:
            if not (root / source).exists():
                found.append(f"COPY {source}: no such file")
            elif source != "." and ignored(source, patterns):
                found.append(f"COPY {source}: .dockerignore leaves it out")

    named = re.findall(r"[\w./-]+\.txt", " ".join(all_of("RUN")))
    copied = " ".join(all_of("COPY")).split()
    for file in named:
        if not (root / file).exists():
            found.append(f"RUN reads {file}: no such file")
        elif file not in copied:
            found.append(f"RUN reads {file} before it is copied")
    if "requirements.txt" not in named or "constraints.txt" not in named:
        found.append("the packages are not installed from the pinned files")

    found += [f"{path} is left out" for path in NEEDED if ignored(path, patterns)]

    start = (all_of("CMD") or [""])[-1]
    if "app.py" not in start or "--server.address=0.0.0.0" not in start:
        found.append("CMD does not serve app.py to the outside of the container")
    if any(port not in start for port in all_of("EXPOSE")):
        found.append("CMD serves another port than EXPOSE says")
    return found


def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8")


def dockerignore() -> str:
    return (ROOT / ".dockerignore").read_text(encoding="utf-8")


def test_the_dockerfile_holds_what_can_be_checked_without_an_engine():
    assert problems(dockerfile(), dockerignore(), ROOT) == []


@pytest.mark.parametrize(
    "line, instead, expected",
    [
        ("FROM python:3.11-slim-bookworm", "FROM python:latest", "names no version"),
        ("FROM python:3.11-slim-bookworm", "FROM python", "names no version"),
        ("USER lockstep\n", "", "runs as root"),
        ("USER lockstep\n", "USER lockstep\nUSER root\n", "runs as root"),
        ("/_stcore/health", "/", "no HEALTHCHECK"),
        ('"python", "-c"', '"curl"', "does not have"),
        ("VOLUME /data", "VOLUME /elsewhere", "not a VOLUME"),
        ("COPY . .", "COPY . .\nCOPY gone.py ./", "no such file"),
        ("COPY . .", "COPY . .\nCOPY Makefile ./", "leaves it out"),
        (COPIED, "COPY requirements.txt ./", "before it is"),
        ("--requirement requirements.txt", "--requirement gone.txt", "no such file"),
        (" --constraint constraints.txt", "", "pinned files"),
        ("--server.address=0.0.0.0", "--server.address=localhost", "outside"),
        ("EXPOSE 8501", "EXPOSE 80", "another port"),
    ],
)
def test_a_fault_in_the_dockerfile_is_found(line: str, instead: str, expected: str):
    assert line in dockerfile()

    found = problems(dockerfile().replace(line, instead), dockerignore(), ROOT)

    assert any(expected in sentence for sentence in found), found


@pytest.mark.parametrize("pattern", ["pages", "*.py", ".streamlit/"])
def test_an_ignore_file_that_leaves_the_lesson_out_is_found(pattern: str):
    assert any(
        "left out" in sentence
        for sentence in problems(dockerfile(), dockerignore() + pattern, ROOT)
    )


def test_the_image_has_the_python_that_the_lesson_is_tested_with():
    image = dict(instructions(dockerfile()))["FROM"]
    wanted = re.search(r'python_version = "(.+)"', (ROOT / "pyproject.toml").read_text())

    assert wanted is not None
    assert image.startswith(f"python:{wanted[1]}-")
