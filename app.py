"""Lockstep's entry: `streamlit run app.py`.

Wires Streamlit's server to the app's own routes, starts the trainer when the server starts, and
leaves no process behind when it stops. Pages begin in `pages/main.py`.

pandas is imported here because Streamlit otherwise does so in the first learner's page: Altair
looks for it in `sys.modules`, and a second page then met it half imported and failed.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

import pandas  # noqa: F401
import streamlit as st
from altair.utils import schemapi
from starlette.middleware import Middleware

import ui.charts  # noqa: F401
from ui import services, web


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Start the trainer, open the database; at the end stop every run."""
    if why := services.startup_problem():
        print(why, file=sys.stderr)
        os._exit(1)  # anything milder ends in a traceback of the server's
    runs = services.runs()
    _end_streams_on_signal()
    web.send_small_answers_at_once()
    web.vega_bundle()  # now, or everybody waits for it when the first page is opened
    # Charts are checked by the tests, not again for every learner: it is most of a page's time.
    schemapi.disable_debug_mode()
    # Streamlit collects garbage after every script run; what is loaded by now never is garbage.
    gc.collect()
    gc.freeze()
    yield {}
    runs.close()


def _end_streams_on_signal() -> None:
    """Let a signal end the event streams: the server waits for them before it ends the lifespan."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop, feed = asyncio.get_running_loop(), services.feed()
    for number in (signal.SIGINT, signal.SIGTERM):
        servers = signal.getsignal(number)

        def end_streams(number: int, frame: FrameType | None, servers: Any = servers) -> None:
            loop.call_soon_threadsafe(feed.close)
            if callable(servers):
                servers(number, frame)

        signal.signal(number, end_streams)


app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    routes=web.routes(),
    middleware=[Middleware(web.PageHeaders), Middleware(web.LearnerCookie)],
)
