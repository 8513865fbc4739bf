"""Which part may import which, checked in the source and in a running Python.

Each check is a function over a folder that returns what is wrong, one sentence each. It is run
twice: on this checkout, where it must find nothing, and on a small offending tree, where it must.
What it does not see: an import whose name is computed at run time.
"""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

VIEW = ("streamlit", "ui", "pages", "app")
TENSORFLOW = ("tensorflow", "keras")
VAGUE = {"util", "utils", "helper", "helpers", "common", "misc"}


@dataclass(frozen=True)
class Rule:
    """Modules inside `where` and outside `but` do not import `never`, `unless` it is excepted."""

    where: str  # "" is every file
    never: tuple[str, ...]
    why: str
    but: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


RULES = (
    Rule("pipeline", (*VIEW, "quiz"), "pipeline knows no view and no quiz"),
    Rule("quiz", (*VIEW, "pipeline"), "quiz knows no view and no pipeline"),
    Rule("ui", ("pages", "app"), "ui does not know where it is shown"),
    Rule("ui.charts", ("streamlit",), "a chart is data in, specification out"),
    Rule(
        "",
        TENSORFLOW,
        "TensorFlow lives in the trainer's process only",
        but=("pipeline.trainer", "tests.pipeline.trainer", "benchmarks"),
    ),
    Rule(
        "",
        ("urllib.request", "http.client", "requests", "httpx", "aiohttp"),
        "the lesson asks nothing of another machine",
        but=("tests", "benchmarks"),
    ),
    Rule(
        "pipeline",
        ("pipeline.trainer",),
        "the trainer is started as a process, never imported",
        but=("pipeline.trainer",),
    ),
    Rule(
        "pipeline.trainer",
        ("pipeline.*",),
        "the trainer knows the subject and the contract, not who runs it",
        unless=(
            "pipeline.__version__",
            "pipeline.cards",
            "pipeline.config",
            "pipeline.datasets",
            "pipeline.distribute",
            "pipeline.events",
            "pipeline.observe",
            "pipeline.preprocess",
            "pipeline.run_log",
            "pipeline.scaling_plan",
            "pipeline.sources",
            "pipeline.shapes",
            "pipeline.step_records",
            "pipeline.trainer",
        ),
    ),
)


def python_files(root: Path) -> list[Path]:
    """Every source file, leaving out hidden folders such as .venv."""
    return sorted(
        path
        for path in root.rglob("*.py")
        if not any(part.startswith(".") for part in path.relative_to(root).parts)
    )


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def inside(module: str, package: str) -> bool:
    """Whether the module is the package or in it; "package.*" leaves the package itself out."""
    if package.endswith(".*"):
        return module.startswith(package[:-1])
    return package == "" or module == package or module.startswith(package + ".")


def imported_names(path: Path, root: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For each import its line and the dotted names it may mean, the longest first.

    `from pipeline import trainer` may mean the module `pipeline.trainer` or a name in `pipeline`.
    """
    parts = path.relative_to(root).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, (alias.name,)
        elif isinstance(node, ast.ImportFrom):
            start = parts[: len(parts) - node.level] if node.level else ()
            module = ".".join((*start, *(node.module.split(".") if node.module else ())))
            for alias in node.names:
                yield node.lineno, (f"{module}.{alias.name}", module)
        elif (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
            and ast.unparse(node.func) in {"__import__", "import_module", "importlib.import_module"}
        ):
            yield node.lineno, (node.args[0].value,)


def breaks(rule: Rule, importer: str, names: tuple[str, ...]) -> bool:
    return (
        inside(importer, rule.where)
        and not any(inside(importer, package) for package in rule.but)
        and any(inside(name, package) for name in names for package in rule.never)
        and not any(inside(name, package) for name in names for package in rule.unless)
    )


def forbidden_imports(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{line} imports {names[0]}: {rule.why}"
        for path in python_files(root)
        for line, names in imported_names(path, root)
        for rule in RULES
        if breaks(rule, module_name(path, root), names)
    ]


def modules_of(root: Path, *packages: str, but: str = "-") -> list[str]:
    """The importable modules of these packages. `__main__` is a command, not a module."""
    names = (module_name(path, root) for path in python_files(root) if path.stem != "__main__")
    return [
        name
        for name in names
        if any(inside(name, package) for package in packages) and not inside(name, but)
    ]


def loaded_by(root: Path, modules: list[str], watched: tuple[str, ...]) -> list[str]:
    """Which of `watched` are loaded once a fresh Python has imported `modules` from `root`."""
    program = (
        "import importlib, sys\n"
        f"sys.path.insert(0, {str(root)!r})\n"
        f"for name in {modules!r}:\n"
        "    importlib.import_module(name)\n"
        f"print(*(name for name in {watched!r} if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"importing {modules} failed:\n{done.stderr}"
    return done.stdout.split()


def shadowing_pages(root: Path) -> list[str]:
    """Pages whose folder, first on sys.path while they run, makes them hide another module."""
    top = {
        path.stem if path.is_file() else path.name
        for path in root.iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
    }
    return [
        f"pages/{page.name} hides the module {page.stem}: rename it (its URL can stay)"
        for page in sorted((root / "pages").glob("*.py"))
        if page.stem in top or page.stem in sys.stdlib_module_names
    ]


def vague_names(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)} says nothing about what is in it"
        for path in python_files(root)
        if VAGUE & set(path.relative_to(root).with_suffix("").parts)
    ]


def undeclared_imports(root: Path) -> list[str]:
    """Third-party imports that no requirements file names, although they happen to be installed."""
    declared = {
        re.split(r"[\[=;<>~! ]", line, maxsplit=1)[0].lower().replace("_", "-")
        for file in sorted(root.glob("requirements*.txt"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if line and line[0] not in "#-"
    }
    own = {path.name.removesuffix(".py") for path in root.iterdir()}
    providers = importlib.metadata.packages_distributions()
    found = []
    for path in python_files(root):
        siblings = {other.stem for other in path.parent.glob("*.py")}
        for line, names in imported_names(path, root):
            top = names[-1].split(".")[0]
            if top in own | siblings or top in sys.stdlib_module_names:
                continue
            packages = {name.lower().replace("_", "-") for name in providers.get(top, [top])}
            if not packages & declared:
                found.append(
                    f"{path.relative_to(root)}:{line} imports {top}, which no requirements file"
                    f" names (it comes from {', '.join(sorted(packages))})"
                )
    return found


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_imports_point_one_way():
    assert "\n".join(forbidden_imports(ROOT)) == ""


@pytest.mark.parametrize(
    "file, source",
    [
        ("pipeline/events.py", "import streamlit as st"),
        ("pipeline/events.py", "from streamlit import session_state"),
        ("pipeline/events.py", "def draw():\n    import ui.charts"),
        ("pipeline/events.py", "import quiz"),
        ("pipeline/events.py", "from . import trainer"),
        ("pipeline/runs.py", "from pipeline.trainer.fork import serve"),
        ("pipeline/runs.py", "from pipeline import trainer"),
        ("pipeline/runs.py", "import importlib\nimportlib.import_module('pipeline.trainer')"),
        ("pipeline/datasets.py", "import keras"),
        ("pipeline/trainer/loop.py", "from pipeline.runs import Runs"),
        ("pipeline/trainer/loop.py", "from ..runs import Runs"),
        ("pipeline/trainer/loop.py", "import streamlit"),
        ("quiz/grading.py", "from pipeline import config"),
        ("quiz/grading.py", "import streamlit"),
        ("ui/stage.py", "from pages import load"),
        ("ui/stage.py", "import app"),
        ("ui/stage.py", "import tensorflow as tf"),
        ("ui/charts.py", "import streamlit"),
        ("ui/charts/ring.py", "import streamlit"),
        ("pages/load.py", "import tensorflow.keras"),
        ("app.py", "import tensorflow"),
        ("ui/stage.py", "from urllib.request import urlopen"),
        ("pipeline/runs.py", "import http.client"),
        ("tests/ui/test_charts.py", "import keras"),
    ],
)
def test_an_import_against_the_rules_is_found(tmp_path: Path, file: str, source: str):
    found = forbidden_imports(plant(tmp_path, {file: source}))

    assert len(found) == 1, found
    assert found[0].startswith(f"{file}:")


@pytest.mark.parametrize(
    "file, source",
    [
        ("app.py", "import streamlit\nfrom pipeline.runs import Runs\nfrom ui import player"),
        ("pages/load.py", "import streamlit\nimport ui.stage\nfrom pipeline import datasets"),
        ("ui/stage.py", "import streamlit\nfrom pipeline.config import RunConfig\nimport quiz"),
        ("pipeline/runs.py", "from pipeline.events import Event\nfrom . import run_log"),
        ("pipeline/trainer/loop.py", "import tensorflow\nfrom pipeline import events"),
        ("pipeline/trainer/loop.py", "import pipeline\nfrom pipeline import __version__"),
        ("pipeline/trainer/loop.py", "from pipeline.trainer import devices\nfrom . import model"),
        ("tests/pipeline/trainer/test_loop.py", "import tensorflow"),
        (".venv/lib/streamlit/keras.py", "import tensorflow"),
        ("pipeline/pipeline_notes.py", "import quizzes_elsewhere\nimport pages_elsewhere"),
    ],
)
def test_an_import_within_the_rules_passes(tmp_path: Path, file: str, source: str):
    assert forbidden_imports(plant(tmp_path, {file: source})) == []


def test_importing_pipeline_and_quiz_loads_no_view_and_no_tensorflow():
    modules = modules_of(ROOT, "pipeline", "quiz", but="pipeline.trainer")

    assert "pipeline.events" in modules
    assert loaded_by(ROOT, modules, (*VIEW, *TENSORFLOW, "pipeline.trainer")) == []


def test_importing_ui_loads_no_tensorflow():
    assert loaded_by(ROOT, modules_of(ROOT, "ui"), (*TENSORFLOW, "pipeline.trainer", "pages")) == []


def test_an_import_in_a_roundabout_way_is_found(tmp_path: Path):
    root = plant(
        tmp_path,
        {
            "pipeline/__init__.py": "",
            "pipeline/events.py": "import between",
            "between.py": "name = 'stream' + 'lit'\n__import__(name)",
            "streamlit.py": "",
            "ui.py": "",
        },
    )

    assert forbidden_imports(root) == []
    assert loaded_by(root, modules_of(root, "pipeline"), VIEW) == ["streamlit"]


def test_the_trainer_and_commands_are_left_out_of_what_is_imported(tmp_path: Path):
    root = plant(
        tmp_path,
        {
            "pipeline/__init__.py": "",
            "pipeline/__main__.py": "raise SystemExit(3)",
            "pipeline/events.py": "",
            "pipeline/trainer/loop.py": "raise SystemExit(3)",
        },
    )

    assert modules_of(root, "pipeline", but="pipeline.trainer") == ["pipeline", "pipeline.events"]


def test_no_page_has_the_name_of_another_module():
    assert "\n".join(shadowing_pages(ROOT)) == ""


@pytest.mark.parametrize("page", ["quiz", "app", "select"])
def test_a_page_with_the_name_of_another_module_is_found(tmp_path: Path, page: str):
    files = {f"pages/{page}.py": "", "pages/load.py": "", "quiz/__init__.py": "", "app.py": ""}

    assert [line.split()[0] for line in shadowing_pages(plant(tmp_path, files))] == [
        f"pages/{page}.py"
    ]


def test_every_module_name_says_what_is_in_it():
    assert "\n".join(vague_names(ROOT)) == ""


@pytest.mark.parametrize("file", ["ui/utils.py", "pipeline/helpers/batch.py", "tests/common.py"])
def test_a_vague_module_name_is_found(tmp_path: Path, file: str):
    assert len(vague_names(plant(tmp_path, {file: "", "ui/charts.py": ""}))) == 1


def test_every_package_that_is_imported_is_a_requirement():
    assert "\n".join(undeclared_imports(ROOT)) == ""


def test_a_package_that_is_only_installed_by_chance_is_found(tmp_path: Path):
    files = {
        "requirements.txt": "# pinned\npytest==9.2.0\n-r other.txt\n",
        "ui/stage.py": "import json\nimport pytest\nimport pluggy\nfrom pipeline import x\n",
        "pipeline/x.py": "",
    }

    found = undeclared_imports(plant(tmp_path, files))

    assert len(found) == 1, found
    assert "ui/stage.py:3 imports pluggy" in found[0]


def test_no_page_is_the_first_to_import_pandas():
    """Altair looks for it in `sys.modules`: while one page imported it, another met half of it."""
    assert loaded_by(ROOT, ["app"], ("pandas",)) == ["pandas"]
