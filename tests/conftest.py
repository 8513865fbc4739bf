"""Servers of the app, for every test that needs one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.serving import Serve, Server, start_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The one server that most tests share."""
    started = start_server(tmp_path_factory.mktemp("browser") / "data")
    yield started
    started.stop()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`start_server` for a test that needs its own; each is stopped, however the test ends."""
    started: list[Server] = []

    def start(*given: Any, **named: Any) -> Server:
        started.append(start_server(*given, **named))
        return started[-1]

    yield start
    for server in started:
        server.stop()
