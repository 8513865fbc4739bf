"""The quiz on the command line: check banks, grade answers, print the schema, export a bank.

    python -m quiz check quiz/bank.yaml
    python -m quiz grade --set practice --answers '{"strategy-purpose": "A"}'

Exit status 0 is good, 1 is a bank that cannot be used, 2 is an argument that cannot.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from quiz.exchange import as_gift, as_moodle_xml
from quiz.grading import AnswerError, grade_set
from quiz.loading import Examined, examine
from quiz.model import Bank
from quiz.problems import one_line, report, shown
from quiz.schema import json_schema

# The pages there are, for a check away from the app; the app hands over its own.
LESSONS = (
    "overview",
    "load",
    "normalise",
    "distribute",
    "mirror",
    "train",
    "aggregate",
    "convert-it",
    "training-trace",
    "prediction-trace",
    "inspector",
    "all-reduce",
    "averaging",
    "break-it",
    "faster",
)
BANK = Path(__file__).with_name("bank.yaml")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except AnswerError as error:
        print(f"quiz {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads has stopped; nothing more is to be said, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m quiz", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    check = commands.add_parser("check", help="say everything that is wrong with banks")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument(
        "--experiments",
        metavar="NAMES",
        help="names that `evidence` may use: a,b,c or a file with one a line; else unchecked",
    )
    check.set_defaults(run=_check)
    grade = commands.add_parser("grade", help="grade one answer to each question of a set")
    grade.add_argument("--set", default="practice", metavar="NAME")
    grade.add_argument("--answers", required=True, metavar="JSON", help='{"id": "A", ...}')
    grade.add_argument("--bank", default=str(BANK), metavar="FILE")
    grade.set_defaults(run=_grade)
    schema = commands.add_parser("schema", help="print the JSON Schema of a bank, for editors")
    schema.set_defaults(run=_schema)
    export = commands.add_parser("export", help="print a bank for another quiz system")
    export.add_argument("--format", required=True, choices=("moodle", "gift"))
    export.add_argument("--bank", default=str(BANK), metavar="FILE")
    export.set_defaults(run=_export)
    return parser


def _check(options: argparse.Namespace) -> int:
    known = None if options.experiments is None else _names(options.experiments)
    bad = 0
    for file in options.files:
        found = examine(file, known_lessons=LESSONS, known_experiments=known)
        _print_problems(found)
        if found.bank is None:
            bad += 1
        else:
            print(_summary(found, found.bank))
    return 1 if bad else 0


def _summary(found: Examined, bank: Bank) -> str:
    sets = ", ".join(f"{name} {len(bank.in_set(name))}" for name in bank.set_names)
    count = len(bank.questions)
    questions = "1 question" if count == 1 else f"{count} questions"
    warned = len(found.warnings)
    warnings = f"; {warned} warning{'s' * (warned != 1)}" if warned else ""
    return f"{one_line(found.file)}: ok, {questions} ({sets}){warnings}"


def _print_problems(found: Examined) -> None:
    lines = report(found.file, found.problems) + report(found.file, found.warnings, "warning: ")
    for line in lines:
        print(line, file=sys.stderr)


def _names(argument: str) -> frozenset[str]:
    if "," in argument:  # a list, and perhaps too long to be a file's name
        return frozenset(argument.replace(",", " ").split())
    path = Path(argument)
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else argument
    except (OSError, ValueError) as error:
        raise AnswerError(f"{shown(argument)} cannot be read: {error}") from None
    return frozenset(text.replace(",", " ").split())


def _bank(file: str) -> Bank | None:
    found = examine(file, known_lessons=LESSONS)
    if found.bank is None:
        _print_problems(found)
    return found.bank


def _grade(options: argparse.Namespace) -> int:
    answers = _answers(options.answers)
    bank = _bank(options.bank)
    if bank is None:
        return 1
    print(json.dumps(grade_set(bank, options.set, answers), indent=2))
    return 0


def _answers(text: str) -> dict[str, Any]:
    try:
        answers = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise AnswerError(
            f"--answers is not JSON ({error}); got {shown(text)}. "
            """Write '{"strategy-purpose": "A"}'."""
        ) from None
    except (RecursionError, ValueError) as error:
        reason = error if isinstance(error, AnswerError) else "it cannot be read"
        raise AnswerError(f"--answers: {reason}") from None
    if not isinstance(answers, dict):
        raise AnswerError(
            f'--answers must be an object like {{"strategy-purpose": "A"}}, not {shown(text)}.'
        )
    return answers


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise AnswerError(f"{shown(name)} is answered twice; leave one.")
        found[name] = value
    return found


def _schema(options: argparse.Namespace) -> int:
    print(json.dumps(json_schema(), indent=2))
    return 0


def _export(options: argparse.Namespace) -> int:
    bank = _bank(options.bank)
    if bank is None:
        return 1
    print(as_gift(bank) if options.format == "gift" else as_moodle_xml(bank), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
