"""HTTP/1.1 for one process of the web server: an event loop, and a few threads that run Django.

A request occupies a thread only from its complete body to its response; the event loop reads
requests and sends responses, each within a deadline. So slow clients hold a socket and some memory,
but no thread (decision record 3). llhttp, in strict mode, parses the protocol; `config.webserver`
starts the processes.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from queue import SimpleQueue
from typing import Any, BinaryIO

import httptools
import structlog
from django.conf import settings

from config.kept_connections import disconnect_signals, take_request
from config.metrics import pools
from config.wsgi import application
from config.wsgi_server import (
    DRAINING,
    FIXED_ENVIRON,
    FileResponse,
    InvalidRequestError,
    build_environ,
    collect_chunks,
    status_line,
)
from exchange.api.middleware import BODY_SECONDS, BODY_STATE, LATE, RECEIVED_AT
from exchange.core.metrics import CONNECTIONS, REQUESTS_WAITING

__all__ = ["Server", "application"]

logger = structlog.get_logger(__name__)

# For a complete head, the next request of a kept connection, and the client's close.
_HEAD_SECONDS = 10.0
# A client that reads nothing of its response for this long is disconnected.
_STALLED_SECONDS = 60.0
# Connections of one process; more wait in the listen queue.
_MAX_CONNECTIONS = 512
# The pause after accepting one: else one process could accept all that arrive together.
_ACCEPT_SECONDS = 0.001
_MAX_HEAD_BYTES = 64 * 1024
_MAX_HEADERS = 100
# Pipelined requests of one connection; more are rejected.
_MAX_PIPELINED = 16
# Larger bodies, which only back-office forms may have, are read a few at a time.
_LARGE_BYTES = 64 * 1024
_MAX_LARGE_BODIES = 16
_CHUNK_BYTES = 64 * 1024

Headers = list[tuple[str, str]]
WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Any]


@dataclass(slots=True)
class _Request:
    """A request being read; `keep` tells whether the connection stays open."""

    fault: str = ""
    url: bytes = b""
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    environ: dict[str, Any] = field(default_factory=dict)
    chunked: bool = False
    length: int = 0
    body: bytearray = field(default_factory=bytearray)
    keep: bool = False
    response: asyncio.Future[_Response] | None = None


@dataclass(slots=True)
class _Response:
    """The bytes to send, followed by the content of the file, if any."""

    content: bytes
    file: BinaryIO | None
    keep: bool


class Connection:
    """One client; its requests are processed one after another."""

    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    def __init__(self, server: Server, client: socket.socket, address: str) -> None:
        self._server = server
        self._parser = httptools.HttpRequestParser(self)
        self._request = _Request()  # being read
        self._complete: deque[_Request] = deque()
        host, port = client.getsockname()[:2]
        self._environ = {
            **FIXED_ENVIRON,
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "REMOTE_ADDR": address,
        }
        self.reading = True  # without a request in progress it may be dropped
        self.task = asyncio.create_task(self._run(client))

    async def _run(self, client: socket.socket) -> None:
        """Serve requests until the client, the server or a deadline ends the connection."""
        self._reader, self._writer = await asyncio.open_connection(sock=client)
        try:
            with suppress(OSError, TimeoutError, asyncio.CancelledError):
                await self._serve_requests()
            self._writer.close()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(_HEAD_SECONDS):
                    await self._writer.wait_closed()
        finally:
            self._writer.transport.abort()

    async def _serve_requests(self) -> None:
        keep = True
        while keep and (request := await self._next_request()):
            self.reading = False
            response = await self._server.response(request)
            await self._send(response)
            if self._server.stopping:
                return
            self.reading = True
            keep = response.keep
        if not keep and not self._writer.transport.is_closing():
            # The client closes first, else the response could be lost.
            self._writer.write_eof()
            async with asyncio.timeout(_HEAD_SECONDS):
                while await self._reader.read(_CHUNK_BYTES):
                    pass

    # --- reading ----------------------------------------------------------------------------------

    async def _next_request(self) -> _Request | None:
        """Return the next request with its body, or None when none arrives in time."""
        if not self._complete:
            async with asyncio.timeout(_HEAD_SECONDS):
                size = 0
                while not self._complete and not self._request.environ:
                    if not (received := await self._read()):
                        return None
                    size += received
                    if size > _MAX_HEAD_BYTES and not self._request.environ:
                        self._complete.append(_Request("its head is too long"))
        if not self._complete:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    if not await self._read_body():
                        return None
            except TimeoutError:
                self._request.environ[BODY_STATE] = LATE
                self._request.body.clear()
                self._finish_unread()
        return self._complete.popleft()

    async def _read_body(self) -> bool:
        if self._request.environ.get("HTTP_EXPECT", "").lower() == "100-continue":
            self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        large = self._request.length > _LARGE_BYTES
        async with self._server.large if large else nullcontext():
            while not self._complete and await self._read():
                pass
        return bool(self._complete)

    async def _read(self) -> int:
        """Read and parse the available bytes; return their number, 0 at the end."""
        data = await self._reader.read(_CHUNK_BYTES)
        self._parse(data)
        return len(data)

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            # httptools treats what follows as the other protocol. We support none, so it is the
            # body: a new parser that has seen no upgrade reads it.
            request = self._request
            length = f"Content-Length: {request.length}"
            framing = "Transfer-Encoding: chunked" if request.chunked else length
            self._parser = httptools.HttpRequestParser(self)
            head = f"POST / HTTP/1.1\r\n{framing}\r\n\r\n".encode()
            self._parse(head + data[upgrade.args[0] :])
        except httptools.HttpParserError as error:
            self._complete.append(_Request(str(error.__context__ or error)))

    def _finish_unread(self) -> None:
        """Process the request without the rest of its body."""
        self._request.keep = False
        self.on_message_complete()

    def on_message_begin(self) -> None:
        """Handle the parser's callback, like the methods below."""
        if len(self._complete) >= _MAX_PIPELINED:
            raise InvalidRequestError(
                f"more than {_MAX_PIPELINED} requests were sent without waiting for a response"
            )

    def on_url(self, url: bytes) -> None:
        self._request.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._request.headers.append((name, value))
        if len(self._request.headers) > _MAX_HEADERS:
            raise InvalidRequestError(f"it has more than {_MAX_HEADERS} headers")

    def on_headers_complete(self) -> None:
        request, parser = self._request, self._parser
        if request.environ:  # set before an upgrade
            return
        environ = build_environ(self._environ, parser, request.url, request.headers)
        request.keep = parser.should_keep_alive() and environ["SERVER_PROTOCOL"] == "HTTP/1.1"
        coding = environ.pop("HTTP_TRANSFER_ENCODING", None)
        request.chunked = coding is not None
        if coding and coding.lower() != "chunked":
            raise InvalidRequestError("its Transfer-Encoding must be chunked")
        request.length = int(environ.get("CONTENT_LENGTH") or 0)
        request.environ = environ
        if request.length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            self._finish_unread()

    def on_body(self, piece: bytes) -> None:
        request = self._request
        if not request.environ:  # finished unread
            return
        request.body += piece
        if request.chunked and len(request.body) > settings.API_BODY_LIMIT_BYTES:
            # Too long for every path that accepts a body of unknown length.
            self._finish_unread()

    def on_message_complete(self) -> None:
        request = self._request
        if not request.environ or self._parser.should_upgrade():  # finished unread, or not read yet
            return
        if request.chunked:
            request.environ["CONTENT_LENGTH"] = str(len(request.body))
        request.environ["wsgi.input"] = io.BytesIO(request.body)
        self._complete.append(request)
        self._request = _Request()

    # --- sending ----------------------------------------------------------------------------------

    async def _send(self, response: _Response) -> None:
        """Send the response at the client's pace."""
        self._write(response.content)
        with response.file or nullcontext() as file:
            while file and (piece := file.read(_CHUNK_BYTES)):
                await self._drain()
                self._write(piece)
        await self._drain()

    def _write(self, data: bytes) -> None:
        if self._writer.transport.is_closing():  # where uvloop raises no OSError
            raise ConnectionResetError("the client has gone")
        self._writer.write(data)

    async def _drain(self) -> None:
        if self._writer.transport.get_write_buffer_size() > _CHUNK_BYTES:
            async with asyncio.timeout(_STALLED_SECONDS):
                await self._writer.drain()


class Server:
    """Serves a WSGI application on a listening socket, until SIGTERM and `drain_seconds` more.

    SIGQUIT ends these seconds.
    """

    def __init__(
        self, application: WsgiApplication, listener: socket.socket, drain_seconds: float = 0
    ) -> None:
        self._application = application
        self._listener = listener
        self._drain_seconds = drain_seconds
        self._loop = asyncio.get_running_loop()
        self._date = formatdate(usegmt=True)
        self._connections: set[Connection] = set()
        self._waiting: SimpleQueue[_Request | None] = SimpleQueue()
        self._stop_requested = asyncio.Event()
        self._stop_at_once = asyncio.Event()
        self.stopping = False
        self.large = asyncio.Semaphore(_MAX_LARGE_BODIES)

    async def serve(self) -> None:
        """Serve with one thread per connection to the database."""
        disconnect_signals()
        parent = os.getppid()
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._stop_requested.set)
        self._loop.add_signal_handler(signal.SIGQUIT, self._stop_at_once.set)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        threads = [
            threading.Thread(target=self._work, name=f"request-{number}", daemon=True)
            for number in range(settings.DATABASE_POOL_SIZE)
        ]
        for thread in threads:
            thread.start()
        while os.getppid() == parent and not self._stop_requested.is_set():
            await self._serve_until(self._stop_requested, 1)
        drained_at = self._loop.time() + self._drain_seconds
        while os.getppid() == parent and (left := drained_at - self._loop.time()) > 0:
            if self._stop_at_once.is_set():
                break
            await self._serve_until(self._stop_at_once, min(left, 1))
        await self._stop()
        for _ in threads:
            self._waiting.put(None)
        for thread in threads:
            thread.join()

    async def _serve_until(self, event: asyncio.Event, seconds: float) -> None:
        self._date = formatdate(usegmt=True)
        self._listen()
        CONNECTIONS.set(len(self._connections))
        REQUESTS_WAITING.set(self._waiting.qsize())
        pools.record()
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)

    def _listen(self) -> None:
        if len(self._connections) < _MAX_CONNECTIONS and not self.stopping:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accept one connection, then let another process accept the next."""
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_ACCEPT_SECONDS, self._listen)
        try:
            client, address = self._listener.accept()
        except OSError:  # another process took it, or there are too many open files
            return
        client.setblocking(False)  # noqa: FBT003
        connection = Connection(self, client, address[0])
        self._connections.add(connection)
        connection.task.add_done_callback(lambda _: self._forget(connection))

    def _forget(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._listen()

    async def _stop(self) -> None:
        """Stop accepting connections and finish the requests in progress."""
        self.stopping = True
        self._loop.remove_reader(self._listener)
        for connection in self._connections:
            if connection.reading:
                connection.task.cancel()
        while self._connections:
            await asyncio.wait([connection.task for connection in self._connections])

    async def response(self, request: _Request) -> _Response:
        """Return the response of a thread, or the error for an invalid request."""
        if request.fault:
            message = f"The request is not valid HTTP: {request.fault}"
            body = json.dumps({"status": "failed", "message": message}).encode()
            headers = [("Content-Type", "application/json"), ("X-Error-Code", "invalid_request")]
            head = self._head(HTTPStatus.BAD_REQUEST, headers, len(body), keep=False)
            return _Response(head + body, None, keep=False)
        request.response = self._loop.create_future()
        request.environ[RECEIVED_AT] = time.monotonic()
        self._waiting.put(request)
        return await request.response

    # --- in the threads ---------------------------------------------------------------------------

    def _work(self) -> None:
        """Process requests in one thread, until a None in the queue."""
        while (request := take_request(self._waiting)) is not None:
            try:
                response = self._call_application(request)
            except Exception:
                logger.exception("web.fault")
                keep = request.keep
                head = self._head(HTTPStatus.INTERNAL_SERVER_ERROR, [], 0, keep=keep)
                response = _Response(head, None, keep)
            self._loop.call_soon_threadsafe(_finish, request, response)
            del request, response  # free the memory while waiting for the next request

    def _call_application(self, request: _Request) -> _Response:
        status, headers = 500, Headers()
        request.environ[DRAINING] = self._stop_requested.is_set()

        def start_response(line: str, given: Headers, _error: object = None) -> None:
            nonlocal status, headers
            status, headers = int(line[:3]), given

        response = self._application(request.environ, start_response)
        try:
            if isinstance(response, FileResponse) and response.plain:
                # A descriptor of its own: Django closes the other one in this thread.
                body: bytes | BinaryIO = os.fdopen(os.dup(response.file.fileno()), "rb", 0)
            else:
                body = (
                    response.content if hasattr(response, "content") else collect_chunks(response)
                )
        finally:
            try:
                response.close()
            except Exception:
                logger.exception("web.fault")  # the response is sent all the same
        closes = self._stop_requested.is_set() or any(
            name.lower() == "connection" for name, _ in headers
        )
        keep = request.keep and not closes
        length = len(body) if isinstance(body, bytes) else os.fstat(body.fileno()).st_size
        head = self._head(status, headers, length, keep=keep)
        if request.environ["REQUEST_METHOD"] == "HEAD":
            return _Response(head, None, keep)
        if isinstance(body, bytes) and length <= _CHUNK_BYTES:
            return _Response(head + body, None, keep)
        return _Response(head, io.BytesIO(body) if isinstance(body, bytes) else body, keep)

    def _head(self, status: int, headers: Headers, length: int, *, keep: bool) -> bytes:
        """Return the head of a response, with the server's own headers."""
        lines = [status_line(status), f"Date: {self._date}"]
        lines += [
            f"{name}: {value}"
            for name, value in headers
            if name.lower() not in {"content-length", "connection"}
        ]
        if status not in {204, 304}:
            lines.append(f"Content-Length: {length}")
        if not keep:
            lines.append("Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _finish(request: _Request, response: _Response) -> None:
    if request.response and not request.response.done():
        request.response.set_result(response)
