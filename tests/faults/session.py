"""A learner's tab without a browser: it speaks Streamlit's protocol over the same websocket.

It opens pages, reads what stands on them, chooses and presses, as the browser's code would. It
draws nothing and is cheap enough that a hundred of them fit into a test.
"""

from __future__ import annotations

import contextlib
import fnmatch
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

LARGEST_MESSAGE = 2**26
PATIENCE = 90.0
"""Seconds to wait for the end of a script: a busy machine may take its time."""


@dataclass
class Session:
    """One tab. `shown` is what the last script put on the page, by its place."""

    line: ClientConnection
    cookie: str
    page: str = ""
    query: str = ""
    shown: dict[tuple[int, ...], Any] = field(default_factory=dict)
    _page_hash: str = ""
    _chosen: dict[str, str] = field(default_factory=dict)

    @classmethod
    @contextlib.contextmanager
    def opened(cls, url: str, cookie: str = "") -> Iterator[Self]:
        """A tab on the server at `url`; without `cookie` it is somebody new."""
        cookie = cookie or new_cookie(url)
        line = connect(
            url.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": cookie},
            max_size=LARGEST_MESSAGE,
            open_timeout=PATIENCE,
        )
        with line:
            yield cls(line, cookie)

    def open(self, page: str, query: str = "") -> Self:
        """Go to a page, by its path."""
        self.page, self.query, self._page_hash = page, query, ""
        self._chosen.clear()
        return self._run()

    def press(self, key: str) -> Self:
        """Press the button with this key, which may have `*` in it."""
        return self._run(pressed=self._element("button", key).id)

    def choose(self, key: str, number: int) -> Self:
        """Choose an option of a radio in a form; nothing is sent before a button is pressed."""
        radio = self._element("radio", key)
        self._chosen[radio.id] = radio.options[number]
        return self

    def has(self, kind: str, key: str) -> bool:
        """Whether such an element is on the page."""
        return any(self._named(kind, key))

    def words(self) -> str:
        """Every text on the page, a line each, with alerts and errors."""
        lines = []
        for element in self.shown.values():
            kind = element.WhichOneof("type")
            part = getattr(element, kind) if kind else None
            lines += [
                str(getattr(part, name))
                for name in ("body", "label", "message")
                if getattr(part, name, "")
            ]
        return "\n".join(lines)

    def broken(self) -> list[str]:
        """What Streamlit shows in place of a part that raised."""
        return [
            element.exception.message
            for element in self.shown.values()
            if element.WhichOneof("type") == "exception"
        ]

    @property
    def run_id(self) -> str:
        """The run in the page's address."""
        return urllib.parse.parse_qs(self.query).get("run", [""])[0]

    def _named(self, kind: str, key: str) -> Iterator[Any]:
        for element in self.shown.values():
            if element.WhichOneof("type") != kind:
                continue
            if fnmatch.fnmatchcase(getattr(element, kind).id, f"*-{key}"):
                yield getattr(element, kind)

    def _element(self, kind: str, key: str) -> Any:
        found = next(self._named(kind, key), None)
        assert found is not None, f"no {kind} {key!r} on {self.page!r}:\n{self.words()}"
        assert not found.disabled, f"{kind} {key!r} on {self.page!r} is disabled"
        return found

    def ask(self, page: str, query: str = "", pressed: str = "") -> None:
        """Send what the browser sends, without waiting for what comes back."""
        asked = BackMsg()
        asked.rerun_script.page_name = "" if self._page_hash else page
        asked.rerun_script.page_script_hash = self._page_hash
        asked.rerun_script.query_string = query
        for name, option in self._chosen.items():
            asked.rerun_script.widget_states.widgets.add(id=name, string_value=option)
        if pressed:
            asked.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        self.line.send(asked.SerializeToString())

    def _run(self, pressed: str = "") -> Self:
        self.ask(self.page, self.query, pressed)
        while True:
            data = self.line.recv(timeout=PATIENCE)
            assert isinstance(data, bytes)
            if self._take(ForwardMsg.FromString(data)):
                return self

    def _take(self, message: ForwardMsg) -> bool:
        """Apply one message; whether the page is complete with it."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.shown.clear()
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self.shown[tuple(message.metadata.delta_path)] = message.delta.new_element
        return kind == "script_finished" and (
            message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        )


def new_cookie(url: str) -> str:
    """The cookie that a browser gets that has never been here."""
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]
