"""HTTP connections with a deadline for the whole call.

A socket time-out bounds the silence between two bytes, so a server that sends one byte a second
can hold its client for ever. Here every read of a response, headers included, gets only the time
left until the deadline. Only name resolution is not covered. Used by `transport`.
"""

import io
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http.client import HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

_deadline: ContextVar[float | None] = ContextVar("provider_call_deadline", default=None)


@contextmanager
def deadline_in(seconds: float) -> Iterator[None]:
    """Limit all reads in this block to `seconds` from now."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_seconds() -> float:
    """Return the seconds left until the deadline; negative when it has passed."""
    deadline = _deadline.get()
    return float("inf") if deadline is None else deadline - time.monotonic()


class _DeadlineReader(io.RawIOBase):
    """A raw socket reader that limits the socket time-out to the time left."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self._sock = sock
        self._silence_seconds = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = remaining_seconds()
        if left <= 0:
            raise TimeoutError("deadline passed")
        silence = self._silence_seconds
        if left != float("inf"):
            self._sock.settimeout(left if silence is None else min(silence, left))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _DeadlineResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_DeadlineReader(raw, sock))


class _DeadlineHTTPConnection(HTTPConnection):
    response_class = _DeadlineResponse


class _DeadlineHTTPSConnection(HTTPSConnection):
    response_class = _DeadlineResponse


class _DeadlineHTTPPool(HTTPConnectionPool):
    ConnectionCls = _DeadlineHTTPConnection


class _DeadlineHTTPSPool(HTTPSConnectionPool):
    ConnectionCls = _DeadlineHTTPSConnection


class DeadlineAdapter(HTTPAdapter):
    """A requests adapter whose responses obey `deadline_in`. It never retries."""

    def __init__(self) -> None:
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            "http": _DeadlineHTTPPool,
            "https": _DeadlineHTTPSPool,
        }
