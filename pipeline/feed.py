"""What a browser needs of a run to draw it, followed live: rows of two small tables.

`Feed.follow` yields messages for one viewer: first everything after the viewer's last offset
(long runs thinned, each bin keeping its lowest and highest loss), then each addition as it comes.
However many viewers a run has, its log is read once. A message is JSON; its id is the offset in
the log, which is what a reconnecting browser sends back.

Nothing here knows HTTP: `app.py` puts the messages on the wire as server-sent events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pipeline import run_log
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
from pipeline.runs import Runs

POLL_SECONDS = 0.005
BINS = 500
"""A catch-up of more than twice as many steps is thinned to this many bins."""
MEAN = "mean"
"""The series that stands for all replicas together."""

Row = dict[str, Any]


class Message(NamedTuple):
    """One message: the log offset it brings the viewer to, and its JSON."""

    offset: int
    data: str


class News(NamedTuple):
    """A message for every viewer, and the log offset it starts from."""

    start: int
    message: Message


class Feed:
    """Follows runs for any number of viewers. Use from one event loop."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._tails: dict[str, _Tail] = {}

    def close(self) -> None:
        """End every viewer's messages now. Call from the event loop."""
        for tail in self._tails.values():
            tail.tell(None)

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[Message, None]:
        """Messages from log offset `after` to the run's end. Raises UnknownRun.

        A log that was damaged ends with a message that says so, as a failed run's does.
        """
        self._runs.get(run_id)
        path = self._runs.log_path(run_id)
        tail = self._tails.setdefault(run_id, _Tail(path))
        queue = tail.join()
        try:
            over = run_log.terminal(path) is not None  # asked first: what follows is then all
            start = await asyncio.to_thread(_behind_a_line, path, after)
            try:
                entries, offset = await asyncio.to_thread(run_log.read, path, start)
            except run_log.LogError as error:
                yield Message(after, _encode([_unreadable(error)]))
                return
            events = [entry.event for entry in entries]
            yield Message(offset, _encode(thin(events)) if events else self._before(run_id))
            if over or run_log.ends(events):
                return
            told = "" if events else self._before(run_id)
            while True:
                try:
                    news = await asyncio.wait_for(queue.get(), 0.25 if told else 15)
                except TimeoutError:
                    now = self._before(run_id) if told else ""
                    if now != told or not told:
                        # A changed place in the queue, or a sign of life for the connection.
                        told = now
                        yield Message(offset, now or "{}")
                    continue
                if news is None:
                    return
                if news.message.offset <= offset:
                    continue
                if news.start < offset:  # its first part was in the catch-up
                    entries, _ = run_log.read(path, offset, news.message.offset - offset)
                    again = _encode(entry.event for entry in entries)
                    news = News(offset, Message(news.message.offset, again))
                told, offset = "", news.message.offset
                yield news.message
        finally:
            tail.leave(queue)
            if not tail.watched:
                self._tails.pop(run_id, None)

    def _before(self, run_id: str) -> str:
        """What to say of a run that has told nothing yet."""
        place = self._runs.get(run_id).place
        if place is None:
            return json.dumps({"phase": "starting"})
        return json.dumps({"phase": "waiting", "place": place})


class _Tail:
    """Reads one log as it grows and hands each addition to every viewer's queue."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queues: set[asyncio.Queue[News | None]] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def watched(self) -> bool:
        return bool(self._queues)

    def join(self) -> asyncio.Queue[News | None]:
        queue: asyncio.Queue[News | None] = asyncio.Queue()
        self._queues.add(queue)
        if self._task is None:
            start = self._path.stat().st_size if self._path.exists() else 0
            self._task = asyncio.create_task(self._read_on(start))
        return queue

    def leave(self, queue: asyncio.Queue[News | None]) -> None:
        self._queues.discard(queue)
        if not self._queues and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _read_on(self, start: int) -> None:
        offset = await asyncio.to_thread(_line_start, self._path, start)
        size = -1
        while True:
            now = self._path.stat().st_size if self._path.exists() else 0
            if now == size:
                await asyncio.sleep(POLL_SECONDS)
                continue
            size = now
            start = offset
            try:
                entries, offset = run_log.read(self._path, start)
            except run_log.LogError as error:
                self.tell(News(size, Message(size, _encode([_unreadable(error)]))))
                self.tell(None)
                return
            if entries:
                events = [entry.event for entry in entries]
                self.tell(News(start, Message(offset, _encode(events))))
                if run_log.ends(events):
                    self.tell(None)
                    return

    def tell(self, news: News | None) -> None:
        """Hand this to every viewer; None ends them."""
        for queue in self._queues:
            queue.put_nowait(news)


def _behind_a_line(path: Path, offset: int) -> int:
    """The offset if a line ends there, else 0: somebody made it up, so they get everything."""
    if offset <= 0 or not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(offset - 1)
        return offset if file.read(1) == b"\n" else 0


def _line_start(path: Path, offset: int) -> int:
    """The start of the line that `offset` lies in, so that a half-written line is read whole."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return file.read(offset).rfind(b"\n") + 1


def thin(events: list[Event]) -> list[Event]:
    """At most about 2 x BINS steps: the first, the last, each bin's lowest and highest loss."""
    steps = [event for event in events if isinstance(event, Step)]
    if len(steps) <= 2 * BINS:
        return events
    kept: set[int] = {steps[0].step, steps[-1].step}
    for index in range(BINS):
        part = steps[index * len(steps) // BINS : (index + 1) * len(steps) // BINS]
        known = [step for step in part if step.loss is not None] or part
        kept.add(min(known, key=_loss).step)
        kept.add(max(known, key=_loss).step)
    return [event for event in events if not isinstance(event, Step) or event.step in kept]


def _loss(step: Step) -> float:
    return step.loss if step.loss is not None else 0.0


def message(events: Iterable[Event]) -> dict[str, Any]:
    """What a chart draws of these events: `phase`, and rows of `steps` and `epochs`.

    Every row has `at`, the step it belongs to.
    """
    told: dict[str, Any] = {}
    steps: list[Row] = []
    epochs: list[Row] = []
    for event in events:
        match event:
            case RunStarted():
                told |= {"phase": "tracing", "total": event.steps}
            case Stage():
                told["phase"] = "tracing"
            case Step():
                told["phase"] = "training"
                steps += step_rows(event)
            case Epoch():
                told["phase"] = "training"
                numbers = {"epoch", "loss", "accuracy", "val_loss", "val_accuracy"}
                epochs.append({"at": event.last_step, **event.model_dump(include=numbers)})
            case RunFinished():
                told |= {"phase": "finished", "text": ""}
            case RunStopped():
                told |= {"phase": "stopped", "text": ""}
            case RunFailed():
                told |= {"phase": "failed", "text": event.error}
    if steps or epochs:
        told["rows"] = {"steps": steps, "epochs": epochs}
    return told


def step_rows(step: Step) -> list[Row]:
    """One row for all replicas together, and one for each replica if there are several."""
    parts = [(f"R{r.replica}", r.batch_shape[0], r.loss, r.accuracy) for r in step.replicas]
    whole = (MEAN, sum(rows for _, rows, _, _ in parts), step.loss, step.accuracy)
    return [_row(step, *part) for part in (whole, *(parts if len(parts) > 1 else ()))]


def _row(step: Step, who: str, rows: int, loss: float | None, accuracy: float | None) -> Row:
    return {
        "at": step.step,
        "epoch": step.epoch,
        "who": who,
        "rows": rows,
        "loss": None if loss is None else float(f"{loss:.5g}"),
        "accuracy": None if accuracy is None else float(f"{accuracy:.4g}"),
    }


def _unreadable(error: run_log.LogError) -> RunFailed:
    return RunFailed(error=f"The record of this run cannot be read on from here: {error}.")


def _encode(events: Iterable[Event]) -> str:
    return json.dumps(message(events), separators=(",", ":"))
