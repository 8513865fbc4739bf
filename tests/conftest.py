"""Servers of the app, for every test that needs one; and which tests go to one worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.serving import Serve, Server, start_server

REAL_RUNS = {"trained", "printed", "observed"}
"""Fixtures made of minutes of TensorFlow: whatever uses them should run in one process."""


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in its own
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files go to workers whole, because their tests share a server, a browser or a run.

    Those that share the real runs go to one worker together, and first: what is quick fills the
    gaps at the end.
    """
    if not hasattr(config, "workerinput"):  # no worker of xdist
        return

    def shares(item: pytest.Item) -> bool:
        return bool(REAL_RUNS.intersection(getattr(item, "fixturenames", ())))

    for item in items:
        group = "real runs" if shares(item) else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=shares, reverse=True)


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
