"""An HTTP server that receives an organisation's webhooks.

Responds with 200 by default and records every request.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Received:
    """One request: its path, headers (names in lower case) and exact body."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """The response to send after `wait_seconds`, or when the receiver closes."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"taken"
    wait_seconds: float = 0.0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # With a full queue a client would retry its connection after a second.
    request_queue_size = 64


class Receiver:
    """Listens at `url` on loopback; `reply`, a Reply or a function, makes the responses."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.reply: Reply | Callable[[Received], Reply] = Reply()
        self.closing = threading.Event()
        self._arrived = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(length)
                if len(body) == length:  # otherwise the sender died while sending
                    receiver._respond(self, Received(self.path, headers, body))

            do_GET = do_POST

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Keep the test's output clean."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, count: int, seconds: float = 60.0) -> list[Received]:
        """Wait for `count` requests and return them; fail if they do not arrive in time."""
        with self._arrived:
            came = self._arrived.wait_for(lambda: len(self.received) >= count, timeout=seconds)
            assert came, f"{len(self.received)} of {count} requests arrived"
            return list(self.received)

    def _respond(self, handler: BaseHTTPRequestHandler, request: Received) -> None:
        with self._arrived:
            self.received.append(request)
            self._arrived.notify_all()
        reply = self.reply(request) if callable(self.reply) else self.reply
        if reply.wait_seconds:
            self.closing.wait(reply.wait_seconds)
        with contextlib.suppress(OSError):  # the sender may have hung up
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(reply.body)))
            handler.end_headers()
            handler.wfile.write(reply.body)


@contextlib.contextmanager
def raw_server(talk: Callable[[socket.socket], object]) -> Iterator[int]:
    """Run a TCP server that calls `talk` with each connection; yield its loopback port."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=speak, args=(connection,), daemon=True).start()

    def speak(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            talk(connection)
            # Closing before the whole request is read would reset the response.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def send_slowly(connection: socket.socket, text: bytes, *, every_seconds: float = 0.05) -> None:
    """Read the request, then send `text` repeatedly, a byte at a time, until disconnected."""
    connection.recv(65536)
    while True:
        for byte in text:
            connection.sendall(bytes([byte]))
            time.sleep(every_seconds)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that listens for the length of the test."""
    with Receiver() as running:
        yield running
