"""The eight programs of Convert it, with Adam and with SGD: sixteen scripts, really run.

Build, compile and fit stand inside the strategy's scope or outside it. The text that runs is
`convert_script.py` with `with strategy.scope():` put before the lines that shall be inside, and
it is what the page shows. `pipeline.convert` reads the answer.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from pipeline.run_log import PROGRESS_NAME
from pipeline.trainer.experiments import workbench

HERE = Path(__file__).parent
PARTS = ("build", "compile", "fit")
OPTIMIZERS = ("adam", "sgd")


def script(inside: tuple[str, ...], optimizer: str) -> str:
    """The program in which the parts named in `inside` are inside the scope."""
    _, text = (HERE / "convert_script.py").read_text(encoding="utf-8").split('"""\n\n')
    lines: list[str] = []
    before = False
    for line in text.replace('"adam"', f'"{optimizer}"').splitlines():
        within = line.rpartition("  # ")[2] in inside
        if within and not before:
            lines.append("with strategy.scope():")
        lines.append("    " * within + line)
        before = within
    return "\n".join(lines)


def convert(folder: Path) -> dict[str, Any]:
    """Run all sixteen, one after the other, in this process; each is noted as soon as it ended.

    One line of JSON for each in the folder's `PROGRESS_NAME`, Adam's first, nothing inside first.
    """
    workbench.lay_out(2)
    programs = []
    for optimizer in OPTIMIZERS:
        for among in itertools.product((False, True), repeat=len(PARTS)):
            inside = tuple(itertools.compress(PARTS, among))
            programs.append(run_program(inside, optimizer))
            with (folder / PROGRESS_NAME).open("a", encoding="utf-8") as file:
                file.write(json.dumps(programs[-1]) + "\n")
    versions = {"tensorflow": tf.__version__, "keras": keras.__version__}
    return {"programs": programs, "versions": versions}


def run_program(inside: tuple[str, ...], optimizer: str) -> dict[str, Any]:
    """Run one program to its end, or to its exception, and see what it did.

    Returns its text, the exception as `Type: first line` or None, the device of each copy of the
    first weight, the rows of each replica in the first step, the steps taken and those that the
    optimizer counted, the loss of each epoch, and what the three lines print below it.
    """
    began = time.perf_counter()
    text = script(inside, optimizer)
    names: dict[str, Any] = {}
    with rows_watched() as steps, workbench.told() as told:
        exec(compile(text, "convert_it.py", "exec"), names)
    model: Any = names.get("model")
    rule = getattr(model, "optimizer", None)
    trained = told.raised is None
    return {
        "optimizer": optimizer,
        "inside": list(inside),
        "code": text,
        "raised": told.raised,
        "copies_on": workbench.homes(names["strategy"], model) if model else [],
        "rows": steps[0] if steps else [],
        "steps": len(steps),
        "counted": int(rule.iterations.numpy()) if rule else 0,
        "losses": model.history.history["loss"] if trained else [],
        "printed": three_lines(names) if trained else [],
        "seconds": round(time.perf_counter() - began, 2),
    }


def three_lines(names: dict[str, Any]) -> list[str]:
    """What `three_lines.txt` prints, pasted below the program that left these names."""
    pasted = (HERE / "three_lines.txt").read_text(encoding="utf-8")
    with workbench.told() as told:
        exec(compile(pasted, "three_lines.txt", "exec"), names)
    return told.printed if told.raised is None else [told.raised]


@contextmanager
def rows_watched() -> Iterator[list[list[int]]]:
    """Note how many rows each replica gets in every step, from outside the program.

    Keras hands every batch to `Strategy.run`, also where it has no strategy but the default one.
    """
    steps: list[list[int]] = []
    run = tf.distribute.Strategy.run

    def note(*rows: tf.Tensor) -> None:
        steps.append([int(count) for count in rows])

    def noted(self: tf.distribute.Strategy, fn: Any, args: Any = (), **options: Any) -> Any:
        parts = self.experimental_local_results(args[0][0])
        tf.py_function(note, [tf.shape(rows)[0] for rows in parts], [])
        return run(self, fn, args, **options)

    tf.distribute.Strategy.run = noted
    try:
        yield steps
    finally:
        tf.distribute.Strategy.run = run
