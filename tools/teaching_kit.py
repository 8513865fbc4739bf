"""`python -m tools.teaching_kit`: write plan, handouts and exam into `docs/teach`.

Words come from the templates beside this file and from `lesson/en`, numbers from the example by
hand, the settings and the recorded runs. `made` gives the files without writing them.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

import numpy as np

from pipeline import datasets, distribute, paper, recordings, shapes
from pipeline.events import Epoch
from pipeline.run_view import RunView
from pipeline.runs import RECORDED
from ui import code, contents, glossary, speaker_notes

TEMPLATES = Path(__file__).parent / "teaching_kit_templates"
TARGET = Path(__file__).resolve().parent.parent / "docs" / "teach"
EXAM_START = 1.5
"""The weight that the exam's step by hand starts from: another one than the lesson's."""
EXAM_CUT = (300, 3)
"""The global batch and the replicas of the exam's question on cutting."""
MINUTES_A_POINT = 1.5
BLANK: Mapping[str, str] = dict.fromkeys(
    (
        *("part0", "part1", "sum", "after", "alone0", "alone1", "average_once"),
        *("together_twice", "average_twice", "why0", "why1", "why2", "who"),
        *("expect_devices", "expect_rows", "expect_seconds"),
    ),
    "",
)
"""What a learner fills in."""


def made() -> dict[str, str]:
    """Every file of the kit that is made, by name."""
    handout = _template("handout.html")
    printed = _printed()
    return {
        "handout.html": handout.substitute(
            printed, **BLANK, title="One step, two replicas, by hand", rows=_rows(solved=False)
        ),
        "handout-solutions.html": handout.substitute(
            printed,
            **solutions(),
            title="One step, two replicas, by hand: solutions",
            rows=_rows(solved=True),
        ),
        "plan-45-minutes.md": _plan(),
        "exam.md": _exam(),
    }


def solutions() -> dict[str, str]:
    """What stands in the handout's blanks, by name."""
    step = paper.step()
    return {
        "part0": _signed(step.parts[0]),
        "part1": _signed(step.parts[1]),
        "sum": f"{step.total:.2f}",
        "after": f"{step.after:.2f}",
        "alone0": f"{paper.alone(0, 1):.2f}",
        "alone1": f"{paper.alone(1, 1):.2f}",
        "average_once": f"{paper.averaged(1):.2f}",
        "together_twice": f"{paper.step(step.after).after:.4f}",
        "average_twice": f"{paper.averaged(2):.4f}",
        "why0": "start",
        "why1": "summed gradient",
        "why2": "update rule",
        "who": "the shuffle",
        "expect_devices": "two different ones",
        "expect_rows": "half of the batch each",
        "expect_seconds": "less than with one, if there is enough work for each",
    }


def _rows(*, solved: bool) -> str:
    """The table's rows: x, prediction, error and what the row adds to the gradient."""
    lines = []
    for replica, piece in enumerate(paper.step().rows):
        for number, x in enumerate(piece):
            error = paper.START * x - paper.TARGET
            worked = [f"{paper.START * x:g}", _signed(error), _signed(error * x / len(paper.ROWS))]
            cells = [f"{x:g}", *(worked if solved else [""] * len(worked))]
            first = f'<td rowspan="{len(piece)}">R{replica}</td>' if number == 0 else ""
            lines.append(f"<tr>{first}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return "\n".join(lines)


def _printed() -> dict[str, str]:
    """What both handouts say."""
    terms = glossary.terms().items()
    return {
        "start": f"{paper.START:.2f}",
        "target": f"{paper.TARGET:g}",
        "rate": f"{paper.RATE:g}",
        "count": str(len(paper.ROWS)),
        "three_lines": html.escape(code.whole("pipeline/trainer/three_lines.txt").strip()),
        "glossary": "\n".join(
            f"<div><dt>{html.escape(term)}</dt> <dd>{html.escape(text)}</dd></div>"
            for term, text in terms
        ),
    }


def _plan() -> str:
    notes, times = speaker_notes.notes(), speaker_notes.plan()
    titles = {slug: getattr(contents.find(slug), "title", slug) for slug in times}
    rows = [
        f"| {start}–{end} | {titles[slug]} | {notes[slug].say} |"
        for slug, (start, end) in times.items()
    ]
    pages = [
        f"### {titles[slug]} ({notes[slug].minutes} min)\n\n"
        f"*Usual wrong answer.* {notes[slug].wrong}\n\n*If it fails.* {notes[slug].plan_b}\n"
        for slug in times
    ]
    return _template("plan.md").substitute(
        minutes=max(end for _, end in times.values()), plan="\n".join(rows), pages="\n".join(pages)
    )


def _exam() -> str:
    template = _template("exam.md")
    points = [
        int(found) for found in re.findall(r"^## .*\((\d+) points?\)$", template.template, re.M)
    ]
    step, default = paper.step(EXAM_START), recordings.CONFIGS[recordings.DEFAULT]
    data = datasets.load(default.data)
    rows, (batch, replicas) = len(data.x_train), EXAM_CUT
    parameters = shapes.of(data, default).parameters
    last = rows % batch
    small, big = _last_epoch(recordings.DEFAULT), _last_epoch("batch-512")
    big_batch = recordings.CONFIGS["batch-512"].global_batch
    return template.substitute(
        questions=len(points),
        points=sum(points),
        exam_minutes=round(sum(points) * MINUTES_A_POINT / 5) * 5,
        xs=", ".join(f"{x:g}" for x in paper.ROWS),
        target=f"{paper.TARGET:g}",
        rate=f"{paper.RATE:g}",
        exam_start=f"{EXAM_START:g}",
        exam_part0=_signed(step.parts[0]),
        exam_part1=_signed(step.parts[1]),
        exam_sum=_signed(step.total),
        exam_after=f"{step.after:g}",
        table_rows=f"{rows:,}",
        cut_batch=batch,
        cut_replicas=replicas,
        cut_steps=math.ceil(rows / batch),
        cut_last=last,
        cut_pieces=" + ".join(
            str(len(piece)) for piece in distribute.cut(np.arange(last), replicas)
        ),
        epochs=default.epochs,
        accuracy_step=_percent("one-class-step"),
        accuracy_epoch=_percent("one-class-epoch"),
        batch=default.global_batch,
        big_batch=big_batch,
        loss_small=f"{small.val_loss:.3f}",
        loss_big=f"{big.val_loss:.3f}",
        loss_scaled=f"{_last_epoch('batch-512-rate-doubled').val_loss:.3f}",
        updates_small=small.last_step,
        updates_big=big.last_step,
        parameters=f"{parameters:,}",
        weight_bytes=f"{parameters * 4:,}",
    )


def _last_epoch(name: str) -> Epoch:
    config = recordings.CONFIGS[name]
    view = RunView(name, RECORDED / name, config, datasets.load(config.data), recorded=True)
    return view.epochs[-1]


def _percent(name: str) -> str:
    """The accuracy on all training rows at a recorded run's end; its copies' mean."""
    found = [value for value in _last_epoch(name).all_rows_accuracy if value is not None]
    return f"{sum(found) / len(found):.0%}".replace("%", " %")


def _signed(value: float) -> str:
    return f"{value:+g}".replace("-", "−") if value else "0"


def _template(name: str) -> Template:
    return Template((TEMPLATES / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    for name, text in made().items():
        (TARGET / name).write_text(text, encoding="utf-8")
