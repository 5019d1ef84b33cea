"""A single post of a body to a URL, bounded in time and size.

The environment is ignored (proxies would bypass the address check), redirects are not followed, and
only the first KiB of a response is read. The post ends by its deadline however the receiver
behaves: a socket timeout bounds only the silence between two bytes, so the post runs in a thread of
its own, and its socket is shut down when time is up.
"""

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests_hardened.ip_filter import InvalidIPAddress
from requests_hardened.ip_filter_adapter import IPFilterAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from exchange.events.webhooks.addresses import is_public

MAX_RESPONSE_BYTES = 1024
_NOT_PUBLIC = "the URL does not resolve to a public address over https"
USER_AGENT = "TokenizedInvestmentExchange-Webhooks/1"
_HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class PostOutcome:
    """The outcome of a post. `status_code` is None without a response; `error` then says why."""

    status_code: int | None
    milliseconds: int
    answer: str = ""
    error: str = ""
    retry_after_seconds: float | None = None

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted it: a 2xx status within the deadline."""
        return self.status_code is not None and 200 <= self.status_code < 300

    @property
    def kind(self) -> str:
        """`delivered`, `rejected` by the receiver's status, or `no response`."""
        if self.status_code is None:
            return "no response"
        return "delivered" if self.delivered else "rejected"


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    deadline_seconds: float,
    allow_local: bool,
) -> PostOutcome:
    """Post `body` as JSON; never raises for the receiver's errors.

    With `allow_local` any address and plain http are allowed. Name resolution, connecting, the
    TLS handshake, sending and reading share `deadline_seconds`.
    """
    if not allow_local and not url.lower().startswith("https://"):
        return PostOutcome(status_code=None, milliseconds=0, error=_NOT_PUBLIC)
    exchange = _PostAttempt()
    started = time.monotonic()
    request = {
        "url": url,
        "data": body,
        "headers": {**headers, **_HEADERS},
        "timeout": deadline_seconds,
    }
    thread = threading.Thread(
        target=exchange.run, args=(request, allow_local), name="webhook-post", daemon=True
    )
    thread.start()
    with contextlib.suppress(queue.Empty):
        exchange.finished.get(timeout=deadline_seconds)
    exchange.abort()
    took = round((time.monotonic() - started) * 1000)
    return exchange.outcome(took, deadline_seconds)


class _PostAttempt:
    """The state shared by the posting thread and its deadline, under one lock."""

    def __init__(self) -> None:
        self.finished: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_closed = False
        self._socket: socket.socket | None = None
        self._status: int | None = None
        self._retry_after: float | None = None
        self._answer = b""
        self._error = ""

    def attach(self, connected: socket.socket) -> None:
        """Register a new connection. Raises TimeoutError after the deadline."""
        with self._lock:
            if self._is_closed:
                connected.close()
                raise TimeoutError("the deadline has passed")
            if self._socket is not None:
                self._socket.close()
            # A TLS socket takes over the descriptor; a duplicate still reaches the connection.
            self._socket = connected.dup()

    def abort(self) -> None:
        """Shut the connection down; what has been read so far is kept."""
        with self._lock:
            self._is_closed = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)
                self._socket.close()
                self._socket = None

    def outcome(self, milliseconds: int, deadline_seconds: float) -> PostOutcome:
        with self._lock:
            error = self._error
            if self._status is None and not error:
                error = f"no response within {deadline_seconds:g} seconds"
            return PostOutcome(
                status_code=self._status,
                milliseconds=milliseconds,
                answer=_decode(self._answer),
                error=error,
                retry_after_seconds=self._retry_after,
            )

    def run(self, request: Mapping[str, Any], allow_local: bool) -> None:
        _current_attempt.set(self)
        try:
            with (
                _session(allow_local=allow_local) as session,
                session.post(**request, allow_redirects=False, stream=True) as response,
            ):
                self._read_response(response)
        except InvalidIPAddress:
            self._fail(_NOT_PUBLIC)
        except requests.exceptions.SSLError:
            self._fail("the TLS connection could not be made")
        except requests.ReadTimeout:
            pass  # as for an exceeded deadline, `outcome` reports it
        except requests.ConnectionError:
            self._fail("connection failed or was closed")
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            self._fail(f"no readable response ({type(error).__name__})")
        finally:
            self.finished.put(None)

    def _read_response(self, response: requests.Response) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._status = response.status_code
            self._retry_after = _parse_retry_after(response.headers.get("Retry-After", ""))
            if 300 <= response.status_code < 400:
                self._error = "redirects are not followed"
        self._read_body(response)

    def _read_body(self, response: requests.Response) -> None:
        """Read the first bytes as they arrive, so that a slow response is stored in part."""
        received = 0
        with contextlib.suppress(HTTPError, OSError, ValueError):
            while received < MAX_RESPONSE_BYTES:
                piece: bytes = response.raw.read1(
                    MAX_RESPONSE_BYTES - received, decode_content=False
                )
                if not piece:
                    return
                received += len(piece)
                with self._lock:
                    if self._is_closed:
                        return
                    self._answer += piece

    def _fail(self, error: str) -> None:
        with self._lock:
            # After the deadline the error is only a result of our own shutdown.
            if not self._is_closed and self._status is None:
                self._error = error


_current_attempt: ContextVar[_PostAttempt] = ContextVar("webhook_exchange")


class _TrackedHTTPConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        _current_attempt.get().attach(connected)
        return connected


class _TrackedHTTPSConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        _current_attempt.get().attach(connected)
        return connected


class _TrackedHTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _TrackedHTTPConnection


class _TrackedHTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TrackedHTTPSConnection


class _TrackedAdapter(HTTPAdapter):
    """An adapter whose connections the deadline can shut down."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            "http": _TrackedHTTPPool,
            "https": _TrackedHTTPSPool,
        }


class _PublicAdapter(IPFilterAdapter, _TrackedAdapter):
    """Resolve, filter and pin the address as the library does, then apply our own list.

    The library's filter misses some embedded and reserved IPv6 addresses.
    """

    def build_connection_pool_key_attributes(
        self,
        request: requests.PreparedRequest,
        verify: bool | str,
        cert: str | tuple[str, str] | None = None,
    ) -> Any:
        attributes = super().build_connection_pool_key_attributes(request, verify, cert)
        pinned = str(attributes[0]["host"]).strip("[]")
        if not is_public(pinned):
            raise InvalidIPAddress(pinned)
        return attributes


def _session(*, allow_local: bool) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    if allow_local:
        session.mount("http://", _TrackedAdapter())
        session.mount("https://", _TrackedAdapter())
    else:
        session.mount("https://", _PublicAdapter(is_https_proto=True))
        session.adapters.pop("http://")
    return session


def _parse_retry_after(value: str) -> float | None:
    """Return the seconds of a Retry-After header, in either form; None if absent or invalid."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _decode(answer: bytes) -> str:
    # PostgreSQL stores no NUL in text.

    return answer.decode("utf-8", "replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
