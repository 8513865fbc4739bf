"""`python -m tools.evidence [SET...]`: what TensorFlow says of every option, as Markdown.

Carries out the experiments of the bank on this machine (minutes) and prints one table for each
set. Exit status 1 when TensorFlow contradicts the bank; each contradiction is named on standard
error. `problems` is what the test of all experiments asks.
"""

from __future__ import annotations

import ast
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import experiments_index
from pipeline.answers import Answers
from pipeline.launch import ROOT, default_launcher
from pipeline.limits import Limits
from pipeline.workers import Workers
from quiz.loading import load
from quiz.model import Bank, Letter, Option, Question

BANK = ROOT / "quiz/bank.yaml"
Results = Mapping[str, Mapping[str, Any]]
"""What the task `experiment` returned, by the name of the experiment."""
PATIENCE = 600.0
"""Seconds for one experiment on a busy machine."""


def carry_out(names: Iterable[str], folder: Path) -> dict[str, Any]:
    """The results of these experiments, by one warm trainer. Raises RuntimeError when one fails."""
    limits = Limits(queue_length=1_000, silent_seconds=PATIENCE, wall_seconds=PATIENCE)
    workers = Workers(default_launcher(folder / "trainer.log"), limits)
    workers.open()
    try:
        answers = Answers(folder / "answers", workers)
        asked = {
            name: answers.ask("experiment", experiments_index.question(name)) for name in names
        }
        results = {}
        for name, question in asked.items():
            answer = answers.wait(question.key, PATIENCE)
            if answer is None or answer.state != "done":
                log = question.folder / "trainer.log"
                raise RuntimeError(f"{name}: {answer and answer.error}\n{log.read_text()}")
            results[name] = answer.result
        return results
    finally:
        workers.close()


def options(bank: Bank, sets: Sequence[str]) -> Iterator[tuple[Question, Letter, Option]]:
    """Every option that has evidence, in the order of the bank."""
    for name in sets:
        for question in bank.in_set(name):
            for letter, option in question.options.items():
                if option.evidence is not None:
                    yield question, letter, option


def problems(bank: Bank, sets: Sequence[str], results: Results) -> list[str]:
    """Where what TensorFlow did contradicts the bank, or a control proves nothing."""
    found = []
    for question, letter, option in options(bank, sets):
        assert option.evidence is not None
        where, result = f"{question.id} {letter}", results[option.evidence.experiment]
        holds, control = result["holds"], result["control"]
        if option.evidence.not_testable:
            if holds is not None:
                found.append(f"{where} is a judgement, but its experiment gives a verdict")
            continue
        if holds is not (letter == question.answer):
            is_key = "the key" if letter == question.answer else "a wrong option"
            found.append(f"{where} is {is_key}, but its claim gave {holds}: {result['saw']}")
        if control["holds"] is not (not holds):
            found.append(f"{where}: the control does not turn the claim round: {control['saw']}")
    for name, result in results.items():
        changed = differing(result["call"], result["control"]["call"])
        if len(changed) != 1:
            found.append(f"{name}: the control changes {changed or 'nothing'}, not one thing")
    return found


def differing(call: str, other: str) -> list[str]:
    """The arguments that differ between two calls of one function."""
    (first, given), (second, given_to_other) = _parsed(call), _parsed(other)
    if first != second:
        return [first, second]
    names = given | given_to_other
    return [name for name in names if given.get(name) != given_to_other.get(name)]


def _parsed(call: str) -> tuple[str, dict[str, str]]:
    (statement,) = ast.parse(call).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    arguments = {str(word.arg): ast.unparse(word.value) for word in statement.value.keywords}
    return ast.unparse(statement.value.func), arguments


def table(bank: Bank, sets: Sequence[str], results: Results) -> str:
    """One Markdown table for each set."""
    parts = []
    for name in sets:
        rows = [
            "| question | | claim | what TensorFlow did | holds | control | then |",
            "|---|---|---|---|---|---|---|",
        ]
        for question, letter, option in options(bank, [name]):
            assert option.evidence is not None
            result = results[option.evidence.experiment]
            key = " (key)" if letter == question.answer else ""
            control = result["control"]
            cells = (
                question.id,
                f"{letter}{key}",
                result["claim"],
                result["saw"],
                "not testable" if option.evidence.not_testable else _yes(result["holds"]),
                f"{control['what']} {control['saw']}",
                "" if option.evidence.not_testable else _yes(control["holds"]),
            )
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts.append(f"## {bank.set_info(name).title}\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out, print, compare."""
    bank = load(BANK)
    sets = list(sys.argv[1:] if arguments is None else arguments) or list(bank.set_names)
    unknown = ", ".join(name for name in sets if name not in bank.set_names)
    if unknown:
        print(f"There is no set {unknown}; give {', '.join(bank.set_names)}.", file=sys.stderr)
        return 2
    wanted = {o.evidence.experiment: None for _, _, o in options(bank, sets) if o.evidence}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        results = carry_out(wanted, Path(folder))
    print(table(bank, sets, results))
    print(f"\n{len(results)} experiments with controls, {time.monotonic() - began:.0f} s.")
    found = problems(bank, sets, results)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
