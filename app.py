"""Lockstep's entry: `streamlit run app.py`.

Wires Streamlit's server to the app's own routes, starts the trainer when the server starts, and
leaves no process behind when it stops. Pages begin in `pages/main.py`.
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

import ui.charts  # noqa: F401
from ui import services, web


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, Any]]:
    """Start the trainer; at the end stop every run."""
    runs = services.runs()
    services.feed()
    # Streamlit collects garbage after every script run; what is loaded by now never is garbage.
    gc.collect()
    gc.freeze()
    yield {}
    runs.close()


app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    routes=web.routes(),
    middleware=[Middleware(web.LearnerCookie)],
)
