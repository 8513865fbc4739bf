"""A server that is asked for nonsense, or by too many, goes on and says so in plain words."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.machine import private_megabytes
from pipeline.recordings import CONFIGS, DEFAULT
from tests.hostile import values
from tests.serving import Server, healthy, start_server
from ui.web import SECURITY_HEADERS, VEGA_URL

pytestmark = pytest.mark.browser


def get(server: Server, path: str) -> http.client.HTTPResponse:
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(server.url + path, timeout=30)
    except urllib.error.HTTPError as refused:
        return refused  # type: ignore[return-value]
    return answer


@pytest.mark.parametrize("path", ["/", "/train", VEGA_URL, "/runs/nobody/events"])
def test_every_answer_forbids_framing_sniffing_and_scripts_from_elsewhere(
    server: Server, path: str
) -> None:
    with get(server, path) as answer:
        for name, value in SECURITY_HEADERS.items():
            assert answer.headers[name] == value


def ask_for_nonsense(server: Server, seed: int, count: int) -> None:
    for value in values(seed, count):
        path = urllib.parse.quote(value, safe="")[:6_000]
        with get(server, f"/runs/{path}/events") as answer:
            # A dot, a slash or nothing makes it another address: the lesson's page may answer.
            kind = answer.headers.get("content-type", "")
            known = value in CONFIGS or answer.status in (400, 404)
            assert known or "text/html" in kind, value
            assert b"Traceback" not in answer.read()
        # As a place to go on from it is worth as much as nothing: the whole run follows.
        with get(server, f"/runs/{DEFAULT}/events?after={path}") as answer:
            assert answer.status == 200, value
            assert b"finished" in answer.read()
    assert healthy(server)


def test_a_run_that_cannot_be_is_not_found_whatever_it_is_called(server: Server) -> None:
    ask_for_nonsense(server, seed=3, count=40)


@pytest.mark.soak
def test_two_thousand_nonsense_runs_are_not_found(server: Server) -> None:
    ask_for_nonsense(server, seed=4, count=2_000)


def open_and_drop(server: Server, count: int) -> None:
    """Ask for the stream of a run, read nothing or a little, hang up without a word."""
    host = urllib.parse.urlsplit(server.url)
    for number in range(count):
        with socket.create_connection((str(host.hostname), host.port or 80), timeout=30) as line:
            line.sendall(f"GET /runs/{DEFAULT}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            if number % 3:
                line.recv(100 * (number % 3))


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    started = start_server(tmp_path / "data")
    yield started
    started.stop()


def test_viewers_who_hang_up_leave_nothing_behind(server: Server) -> None:
    open_and_drop(server, 100)
    assert healthy(server)


@pytest.mark.soak
def test_ten_thousand_viewers_who_hang_up_leave_the_memory_as_it_was(own_server: Server) -> None:
    open_and_drop(own_server, 500)
    before = private_megabytes(own_server.process.pid)
    open_and_drop(own_server, 10_000)
    assert healthy(own_server)
    assert private_megabytes(own_server.process.pid) - before < 20
