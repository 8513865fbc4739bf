"""A plain TCP proxy on this machine whose connections a test can cut and restore."""

from __future__ import annotations

import contextlib
import socket
import threading


class CuttableProxy:
    """Forwards 127.0.0.1:`port` to `target`; while cut, every connection is refused or dropped."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._cut = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Drop all connections and take no new ones."""
        with self._lock:
            self._cut = True
            for connection in self._open:
                _drop(connection)
            self._open.clear()

    def restore(self) -> None:
        """Take connections again."""
        self._cut = False

    def close(self) -> None:
        """End the proxy."""
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._cut:
                    _drop(client)
                    continue
                upstream = socket.create_connection(("127.0.0.1", self._target))
                with self._lock:
                    self._open |= {client, upstream}
                for pair in ((client, upstream), (upstream, client)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                sink.sendall(data)
        with self._lock:
            self._open -= {source, sink}
        _drop(source)
        _drop(sink)


def _drop(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
