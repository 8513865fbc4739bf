"""Learners without a browser: websocket clients that walk the lesson as Streamlit's page does.

A client sends what the browser sends when a page is chosen and reads every message until the
script has run. Nothing is drawn, so a switch is the server's part of one: script and bytes.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.serving import Server
from ui.contents import CONTENTS

PAGES = tuple(entry.path for entry in CONTENTS)
LARGEST_MESSAGE = 2**26


@dataclass
class Learner:
    """One session. `switches` are milliseconds from choosing a page to its last message."""

    server: Server
    seed: int
    switches: list[float] = field(default_factory=list)
    received: int = 0
    failed: int = 0

    async def learn(self, pause: float, until: asyncio.Event, opened: asyncio.Event) -> None:
        """Open the first page, then turn pages, `pause` seconds apart on average."""
        chance = random.Random(self.seed)
        async with _line(self.server) as line:
            await self.open(line, "")
            opened.set()
            for number in range(1_000_000):
                wait = chance.uniform(0.5, 1.5) * pause * (chance.random() if not number else 1)
                try:
                    await asyncio.wait_for(until.wait(), wait)
                    return
                except TimeoutError:
                    began = time.perf_counter()
                    await self.open(line, PAGES[(number + 1) % len(PAGES)])
                    self.switches.append(1000 * (time.perf_counter() - began))

    async def open(self, line: websockets.ClientConnection, page: str) -> None:
        """Choose a page, with its query if it has one, and read until its script has run."""
        asked = BackMsg()
        name, _, query = page.partition("?")
        asked.rerun_script.page_name, asked.rerun_script.query_string = name, query
        await line.send(asked.SerializeToString())
        while True:
            data = await line.recv()
            assert isinstance(data, bytes)
            self.received += len(data)
            message = ForwardMsg.FromString(data)
            if message.WhichOneof("type") != "script_finished":
                continue
            if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self.failed += message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY
                return


async def alone(server: Server, page: str, rounds: int = 8) -> tuple[float, int]:
    """Median milliseconds and bytes of opening `page` again and again, with nobody else there."""
    learner = Learner(server, 0)
    took: list[float] = []
    async with _line(server) as line:
        for number in range(rounds + 1):
            await learner.open(line, "")
            before, began = learner.received, time.perf_counter()
            await learner.open(line, page)
            if number:
                took.append(1000 * (time.perf_counter() - began))
    assert not learner.failed, f"{page} failed"
    return statistics.median(took), learner.received - before


def _line(server: Server) -> websockets.connect:
    return websockets.connect(
        f"ws://localhost:{server.port}/_stcore/stream",
        subprotocols=[websockets.Subprotocol("streamlit")],
        max_size=LARGEST_MESSAGE,
    )
