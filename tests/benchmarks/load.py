"""A small HTTP load generator: keep-alive connections, prepared requests, one thread.

The client shares the machine with what it measures, so it does as little as it can: it sends
ready bytes and reads status and Content-Length. Loopback only, bounded by time.
"""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Outcome:
    """The result of a run: responses by status, its duration, and latencies in seconds."""

    statuses: Counter[int]
    seconds: float
    latencies: list[float]

    def per_second(self, status: int) -> float:
        """Return the responses of `status` a second."""
        return self.statuses[status] / self.seconds

    def percentile(self, share: float) -> float:
        """Return the latency in milliseconds that `share` of the responses stayed within."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


class _Connection:
    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        self.buffer = b""
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> int | None:
        """Return the status once the whole response has arrived."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("the server closed the connection")
        self.buffer += chunk
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        lower = head.lower()
        at = lower.find(b"content-length:")
        if at < 0:
            raise ConnectionError("an answer without Content-Length")
        length = int(lower[at + 15 :].split(b"\r\n", 1)[0])
        return int(head[9:12]) if len(body) >= length else None


def post(url: str, body: bytes, authorization: str) -> bytes:
    """Return the bytes of a POST of JSON `body` to `url`."""
    parts = urlsplit(url)
    return (
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Authorization: {authorization}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def get(url: str, authorization: str) -> bytes:
    """Return the bytes of a GET of `url`."""
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return (
        f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: {authorization}\r\n\r\n"
    ).encode()


def run(
    url: str, next_request: Callable[[], bytes], *, connections: int, seconds: float
) -> Outcome:
    """Keep `connections` busy with requests for `seconds`."""
    parts = urlsplit(url)
    address = (parts.hostname or "127.0.0.1", parts.port or 80)
    statuses: Counter[int] = Counter()
    latencies: list[float] = []
    with selectors.DefaultSelector() as selector:
        opened = [_Connection(address) for _ in range(connections)]
        began = time.perf_counter()
        end = began + seconds
        for connection in opened:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(next_request())
        open_requests = connections
        while open_requests:
            for key, _ in selector.select(timeout=30):
                connection = key.data
                status = connection.receive()
                if status is None:
                    continue
                now = time.perf_counter()
                statuses[status] += 1
                latencies.append(now - connection.sent_at)
                if now < end:
                    connection.send(next_request())
                else:
                    open_requests -= 1
        finished = time.perf_counter()
        for connection in opened:
            selector.unregister(connection.socket)
            connection.socket.close()
    return Outcome(statuses, finished - began, latencies)
