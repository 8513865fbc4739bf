"""`python -m quiz`: what it prints, where, and how it ends."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from quiz.__main__ import LESSONS, main

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/cases/bank"
RIGHT = dict(
    zip(
        ("strategy-purpose", "correct-start", "prediction-shape", "scope-error", "larger-batches"),
        "ABDCA",
        strict=True,
    )
)


def test_the_bank_is_good_and_its_summary_goes_to_standard_output(capsys):
    status = main(["check", str(ROOT / "quiz/bank.yaml")])

    out, err = capsys.readouterr()
    assert status == 0
    assert out.endswith("quiz/bank.yaml: ok, 13 questions (practice 5, check 3, further 5)\n")
    assert err == ""


def test_problems_of_all_files_go_to_standard_error_and_the_status_is_1(capsys):
    files = [str(CASES / f"{name}.yaml") for name in ("unknown_key", "valid", "answer_no")]

    status = main(["check", *files])

    out, err = capsys.readouterr()
    assert status == 1
    assert out == f"{files[1]}: ok, 1 question (practice 1)\n"
    assert [line.split(":")[0] for line in err.splitlines()] == [files[0], files[0], files[2]]


def test_a_warning_leaves_the_status_at_0(capsys, tmp_path: Path):
    path = tmp_path / "b.yaml"
    text = (CASES / "valid.yaml").read_text(encoding="utf-8")
    one = text[text.index("  - id") :]
    more = [one.replace("gradient-copies", f"copies-{number}") for number in range(3)]
    path.write_text(text[: text.index("  - id")] + "".join(more), encoding="utf-8")

    status = main(["check", str(path)])

    out, err = capsys.readouterr()
    assert status == 0
    assert out == f"{path}: ok, 3 questions (practice 3); 1 warning\n"
    assert err.startswith(f"{path}:13:13: warning: in the set 'practice' the key has the same")


def test_names_of_experiments_may_be_listed_or_read_from_a_file(capsys, tmp_path: Path):
    path = tmp_path / "b.yaml"
    text = (CASES / "valid.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace('"4", ', '"4", evidence: a-b, '), encoding="utf-8")
    names = tmp_path / "names.txt"
    names.write_text("x\na-b\n", encoding="utf-8")

    assert main(["check", str(path)]) == 0
    assert main(["check", "--experiments", "x,a-b", str(path)]) == 0
    assert main(["check", "--experiments", str(names), str(path)]) == 0
    assert main(["check", "--experiments", "x", str(path)]) == 1


def graded(answers: dict[str, str | None], capsys, *more: str):
    assert main(["grade", *more, "--answers", json.dumps(answers)]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_five_right_answers_get_full_marks(capsys):
    found = graded(dict(RIGHT), capsys)

    assert (found["score"], found["max"]) == (5, 5)
    assert list(found["questions"]) == list(RIGHT)
    assert all(item["correct"] and item["score"] == 1 for item in found["questions"].values())


def test_any_other_answers_do_not_get_full_marks(bank):
    from quiz.grading import grade_set

    full = []
    for letters in itertools.product(["A", "B", "C", "D", None], repeat=5):
        found = grade_set(bank, "practice", dict(zip(RIGHT, letters, strict=True)))
        expected = sum(a == b for a, b in zip(letters, RIGHT.values(), strict=True))
        assert found["score"] == expected
        full += [letters] if found["score"] == found["max"] else []

    assert full == [tuple("ABDCA")]


def test_a_missing_answer_is_blank_and_says_nothing_of_the_key(capsys):
    found = graded({"scope-error": "C", "correct-start": None, "larger-batches": ""}, capsys)

    assert found["score"] == 1
    blank = {"correct": False, "score": 0, "feedback": "Not answered."}
    assert [name for name, item in found["questions"].items() if item == blank] == [
        "strategy-purpose",
        "correct-start",
        "prediction-shape",
        "larger-batches",
    ]


def test_another_set_can_be_graded(capsys):
    found = graded({"why-split": "B"}, capsys, "--set", "check")

    assert (found["score"], found["max"]) == (1, 3)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--answers", '{"scope": "C"}'], "There is no question 'scope'"),
        (["--answers", '{"why-split": "C"}'], "is in the set 'check', not in 'practice'"),
        (["--answers", '{"scope-error": "E"}'], "'E' is no option of the question 'scope-error'"),
        (["--answers", '{"scope-error": "c"}'], "Did you mean C?"),
        (["--answers", '{"scope-error": 3}'], "must be a letter in quotes, not '3'"),
        (["--answers", '{"scope-error": ["C"]}'], "must be a letter in quotes"),
        (["--answers", '{"scope-error": "C", "scope-error": "A"}'], "answered twice"),
        (["--answers", '["C"]'], "must be an object"),
        (["--answers", "C"], "is not JSON"),
        (["--answers", "[" * 100_000], "--answers"),
        (["--answers", "1" * 5_000], "--answers"),
        (["--answers", "{}", "--set", "exam"], "There is no set 'exam'"),
        ([], "required: --answers"),
        (["--answers"], "expected one argument"),
    ],
)
def test_answers_that_cannot_be_graded_are_refused_with_a_sentence(capsys, arguments, words):
    try:
        status = main(["grade", *arguments])
    except SystemExit as end:
        status = int(str(end.code))

    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_grading_with_a_bad_bank_says_what_is_wrong_with_it(capsys):
    status = main(["grade", "--bank", str(CASES / "answer_no.yaml"), "--answers", "{}"])

    assert status == 1
    assert "must be A, B, C or D" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["check"], ["mark"], ["check", "--strict", "x"]])
def test_bad_arguments_end_with_2(arguments: list[str], capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)

    assert end.value.code == 2


def test_the_lessons_of_the_bank_are_those_the_command_knows(bank):
    assert {question.lesson for question in bank.questions} <= set(LESSONS)


def test_a_reader_who_stops_early_gets_no_traceback():
    command = f"{sys.executable} -m quiz schema | head -c 5"

    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, timeout=60, check=False
    )

    assert (done.stdout, done.stderr) == (b'{\n  "', b"")


def test_the_command_runs_as_a_module_and_never_shows_a_traceback():
    hostile = [str(path) for path in sorted(CASES.glob("*.yaml"))] + ["/dev/null", "/", "none"]

    done = subprocess.run(
        [sys.executable, "-m", "quiz", "check", *hostile],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == 3
    assert len(done.stderr.splitlines()) == 16
