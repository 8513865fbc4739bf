"""What the app adds to Streamlit's HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.responses import HTMLResponse, JSONResponse, Response

from ui import web


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_accepted_sockets_send_small_answers_at_once(family: socket.AddressFamily) -> None:
    address = "127.0.0.1" if family == socket.AF_INET else "::1"
    with contextlib.ExitStack() as held:
        # As Streamlit binds it: without a protocol, for which asyncio would look.
        listening = held.enter_context(socket.socket(family))
        listening.bind((address, 0))
        listening.listen()
        web.send_small_answers_at_once()
        held.enter_context(socket.create_connection(listening.getsockname()[:2]))
        accepted = held.enter_context(listening.accept()[0])
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def headers_of(answer: Response) -> dict[str, str]:
    """The headers of an answer that went through `PageHeaders`."""
    sent = []

    async def send(message) -> None:
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    # In a thread of its own: in this one Playwright's loop may be running.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, web.PageHeaders(answer)(scope, receive, send)).result()
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_a_page_names_the_chart_library_and_other_answers_do_not() -> None:
    assert web.VEGA_URL in headers_of(HTMLResponse("<p>"))["link"]
    assert "link" not in headers_of(JSONResponse({}))
