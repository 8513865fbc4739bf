"""`python -m benchmarks.viewers`: what the event stream costs, for one viewer and for a hundred.

Viewers are plain HTTP connections of one process, the app's server is another. Bytes are counted
as they come over the connection, frames of HTTP included. The server's CPU time is its process's
own, all threads; the run it serves is a paced one, so no training is in it. Sessions of pages
(one websocket a browser) are not measured here.
"""

from __future__ import annotations

import asyncio
import bisect
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.drawing import percentile
from benchmarks.paced_run import Plan
from benchmarks.progress import say
from benchmarks.serving import PacedRun, Server, serve, start_run

VIEWERS = 100
BLOCKS = 2
"""At most; the second only when the first was not calm."""
WARM_UP = 8
"""Updates before the server's CPU time is looked at."""


@dataclass
class Viewer:
    """What one viewer received after its catch-up: time, offset in the log, bytes."""

    received: list[tuple[float, int, int]] = field(default_factory=list)
    caught_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self, server: Server, run_id: str) -> None:
        """Follow a run until the server ends the stream."""
        reader, writer = await asyncio.open_connection("localhost", server.port, limit=2**24)
        writer.write(
            f"GET /runs/{run_id}/events HTTP/1.1\r\nHost: localhost\r\n"
            "Accept: text/event-stream\r\nCookie: lockstep=benchmark\r\n\r\n".encode()
        )
        try:
            while True:
                message = await reader.readuntil(b"\n\n")
                moment = time.time()
                _, found, rest = message.partition(b"id: ")
                if not found:
                    continue
                if self.caught_up.is_set():
                    offset = int(rest.split(b"\n", 1)[0])
                    self.received.append((moment, offset, len(message)))
                self.caught_up.set()
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    def bytes_per_update(self, run: PacedRun) -> float:
        """All that came with the steps behind the backlog, over their number."""
        written = run.written()
        first, last = written[0][2], written[-1][2]
        sizes = [size for _, offset, size in self.received if first <= offset <= last]
        return sum(sizes) / len(written)

    def lags(self, run: PacedRun) -> list[float]:
        """Milliseconds from writing each step to its message."""
        offsets = [offset for _, offset, _ in self.received]
        return [
            1000 * (self.received[bisect.bisect_left(offsets, end)][0] - written)
            for _, written, end in run.written()
        ]


async def bytes_per_update(server: Server, data: Path, backlog: int) -> float:
    """For one viewer who has `backlog` steps and more on the screen."""
    plan = Plan(backlog=backlog, steps=100, rate=20)
    run = start_run(server, data, plan)
    viewer = Viewer()
    watching = asyncio.create_task(viewer.watch(server, run.run_id))
    await viewer.caught_up.wait()
    await asyncio.sleep(1)
    run.go()
    await watching
    return viewer.bytes_per_update(run)


async def crowd(server: Server, data: Path, viewers: int, seconds: float) -> dict[str, Any]:
    """Cores the server used, and every viewer's lags, at four updates a second."""
    plan = Plan(backlog=500, steps=round(4 * seconds) + WARM_UP, rate=4)
    run = start_run(server, data, plan)
    watchers = [Viewer() for _ in range(viewers)]
    watching = [asyncio.create_task(viewer.watch(server, run.run_id)) for viewer in watchers]
    await asyncio.gather(*(viewer.caught_up.wait() for viewer in watchers))
    await asyncio.sleep(2)
    run.go()
    await asyncio.sleep(WARM_UP / plan.rate)
    before, cpu = machine.Moment.now(), machine.process_cpu(server.pid)
    await asyncio.sleep(seconds - 1)
    after = machine.Moment.now()
    cores = (machine.process_cpu(server.pid) - cpu) / (after.wall - before.wall)
    await asyncio.gather(*watching)
    return {
        "cores": cores,
        "lags": [lag for viewer in watchers for lag in viewer.lags(run)],
        "foreign": before.foreign_load(after),
    }


async def measure() -> dict[str, Any]:
    """All figures of this file."""
    with tempfile.TemporaryDirectory(prefix="lockstep-benchmark-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        with serve("benchmarks/paced_app.py", data) as server:
            few, many = await asyncio.gather(
                bytes_per_update(server, data, 450), bytes_per_update(server, data, 4_950)
            )
            say(f"stream: {few:.0f} bytes an update at 500 steps, {many:.0f} at 5,000")
            idle = await crowd(server, data, 0, 4)
            blocks: list[dict[str, Any]] = []
            while len(blocks) < BLOCKS and not any(b["foreign"] <= machine.CALM for b in blocks):
                blocks.append(await crowd(server, data, VIEWERS, 10))
                told = percentile(blocks[-1]["lags"], 95)
                say(
                    f"viewers: {blocks[-1]['cores']:.2f} cores, lag p95 {told:.0f} ms, "
                    f"foreign {blocks[-1]['foreign']:.2f}"
                )
    calm = min(blocks, key=lambda block: block["foreign"])
    return {
        "bytes_per_update_500": few,
        "bytes_per_update_5000": many,
        "cpu_100_viewers": calm["cores"],
        "lag_p95_ms_100_viewers": percentile(calm["lags"], 95),
        "foreign_load": sum(block["foreign"] for block in blocks) / len(blocks),
        "detail": {
            "cpu_0_viewers": idle["cores"],
            "lag_p50_ms_100_viewers": percentile(calm["lags"], 50),
            "lag_worst_ms_100_viewers": max(calm["lags"]),
            "viewers_foreign": [round(block["foreign"], 2) for block in blocks],
        },
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure())))
