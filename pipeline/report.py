"""A run as text for a terminal: stages, a progress bar, the epoch table, the checks."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pipeline.events import (
    Epoch,
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Stage,
    Step,
)

STAGES = {"load": "1 Load", "preprocess": "2 Normalise", "distribute": "3 Distribute"}
CHECKS = {
    "sum_equals_all_reduced": "the replicas' gradients add up to the all-reduced one",
    "equals_single_device": "it equals the whole batch's gradient on one device",
    "replicas_identical": "all copies of the weights are equal, bit for bit",
}


class Report:
    """Shows events one after another; use as a context manager."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._task = self._progress.add_task("starting TensorFlow", total=None, note="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        """Print one event, or move the bar."""
        say = self._console.print
        match event:
            case RunStarted():
                say(event.device_note, markup=False)
                say(f"{event.parameters:,} parameters, {event.steps:,} steps", markup=False)
                self._progress.update(self._task, total=event.steps)
            case Stage():
                say(_stage(event), markup=False)
                self._progress.update(self._task, description="tracing the first step")
            case Step():
                note = "" if event.loss is None else f"loss {event.loss:.3f}"
                self._progress.update(
                    self._task, description=f"step {event.step:,}", completed=event.step, note=note
                )
            case Epoch():
                if event.epoch == 1:
                    say("\nepoch    loss  accuracy  held-out loss  accuracy  seconds")
                say(_epoch(event), markup=False, soft_wrap=True)
            case RunFinished():
                say("")
                for name, check in event.checks.items():
                    mark = "ok " if check.ok else "NO "
                    size = (
                        "" if check.max_abs_diff is None else f" ({check.max_abs_diff:.2g} apart)"
                    )
                    say(f"{mark} {CHECKS.get(name, name)}{size}", markup=False)
                say(f"measured on {len(event.checked_steps)} steps", markup=False)
            case RunStopped() | RunFailed():
                pass  # the caller says how it ended


def shape(dimensions: tuple[int, ...]) -> str:
    """`10,000 x 20`."""
    return " x ".join(f"{size:,}" for size in dimensions)


def _stage(event: Stage) -> str:
    out = event.shape_out
    if out and isinstance(out[0], tuple):
        parts: list[tuple[int, ...]] = list(out)
        told = "first step " + " + ".join(f"({shape(part)})" for part in parts)
    else:
        told = shape(out)  # type: ignore[arg-type]
    numbers = ["-" if value is None else f"{value:.4g}" for value in event.sample]
    if len(numbers) > 6:
        numbers = [*numbers[:4], "...", numbers[-1]]
    return (
        f"{STAGES[event.stage]:<13} {shape(event.shape_in)} -> {told}\n"
        f"{'':<13} row {event.row}: [{', '.join(numbers)}]"
    )


def _epoch(event: Epoch) -> str:
    def number(value: float | None, width: int) -> str:
        return f"{'-':>{width}}" if value is None else f"{value:>{width}.4f}"

    return (
        f"{event.epoch:>5} {number(event.loss, 7)} {number(event.accuracy, 9)} "
        f"{number(event.val_loss, 14)} {number(event.val_accuracy, 9)} {event.seconds:>8.2f}  "
        f"{event.observation}"
    )
