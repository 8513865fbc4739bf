"""The app's own HTTP: the event stream of a run, the chart library, and whose browser this is.

No page is drawn here. `app.py` hands `routes()` and `LearnerCookie` to Streamlit's server.
"""

from __future__ import annotations

import functools
import gc
import secrets
import socket
from collections.abc import AsyncIterator

import vl_convert
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipeline.runs import UnknownRun
from ui import services
from ui.learner import COOKIE, COOKIE_SECONDS

VEGA_URL = "/assets/vega.js"


def routes() -> list[Route]:
    """The routes beside Streamlit's own."""
    return [
        Route("/runs/{run_id}/events", run_events),
        Route(VEGA_URL, vega),
    ]


def send_small_answers_at_once() -> None:
    """Switch Nagle's algorithm off on the sockets that this process listens on.

    Streamlit binds its socket itself, without naming the protocol, so asyncio does not do it: the
    body of every small answer then waits 40 ms for the browser to acknowledge its head (uvicorn's
    issue 3149), and the page is a hundred small files. Accepted sockets inherit the setting.
    """
    for made in gc.get_objects():
        if (
            isinstance(made, socket.socket)
            and made.family in (socket.AF_INET, socket.AF_INET6)
            and made.type == socket.SOCK_STREAM
            and made.fileno() != -1
            and made.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        ):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


async def run_events(request: Request) -> Response:
    """Server-sent events of one run; `Last-Event-ID` (or `?after=`) is where to go on from."""
    run_id = request.path_params["run_id"]
    after = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    try:
        services.runs().get(run_id)
    except UnknownRun as error:
        return JSONResponse({"error": str(error)}, status_code=404)
    start = int(after) if after.isdecimal() and len(after) < 16 else 0
    return StreamingResponse(
        _stream(run_id, start),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _stream(run_id: str, after: int) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    async for message in services.feed().follow(run_id, after):
        yield f"id: {message.offset}\ndata: {message.data}\n\n"


async def vega(_request: Request) -> Response:
    """Vega, Vega-Lite and Vega-Embed as one script, from the installed package: no internet."""
    return Response(
        vega_bundle(),
        media_type="text/javascript",
        headers={"Cache-Control": "public, max-age=86400"},
    )


@functools.cache
def vega_bundle() -> bytes:
    """The script. Putting it together takes over a second in which nothing else runs."""
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return bundle.encode()


class LearnerCookie:
    """Give every browser an unguessable HttpOnly cookie: it owns the runs started there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry."""
        if scope["type"] != "http" or COOKIE in Request(scope).cookies:
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append(
                    "Set-Cookie",
                    f"{COOKIE}={secrets.token_urlsafe(24)}; Path=/; HttpOnly; SameSite=Lax; "
                    f"Max-Age={COOKIE_SECONDS}",
                )
            await send(message)

        await self._app(scope, receive, send_with_cookie)


CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Vega compiles its expressions, Streamlit's page has inline scripts and its components
        # are loaded from blobs: without these three the page stays blank.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    # Addresses name runs and settings: they stay on this server.
    "Referrer-Policy": "same-origin",
}


class PageHeaders:
    """Let the browser load nothing from elsewhere, and let nobody frame the lesson.

    A page also names the chart library, which is otherwise asked for by the first picture only.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Link"] = f"<{VEGA_URL}>; rel=modulepreload"
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
