"""HTTP to the provider: a connection per thread, bounded time and size, no secrets in errors.

`Transport.once` sends a request once; `Transport.read` retries reads on transient failures. The
two are separate so that no setting can make a payment order repeat.
"""

import logging
import os
import random
import threading
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import requests
import urllib3.exceptions

from exchange.core.metrics import PROVIDER_CALL_SECONDS, PROVIDER_CALLS
from wallets.providers.base import NeverSent, ProviderUnavailable
from wallets.providers.flutterwave.deadline import (
    DeadlineAdapter,
    deadline_in,
    remaining_seconds,
)
from wallets.providers.flutterwave.fields import (
    MalformedResponse,
    ProviderEnvelope,
    printable,
    read_envelope,
)

logger = logging.getLogger(__name__)

# Proxies close idle connections after about a minute, and a request sent while one closes has no
# response. Connections idle for longer than this are not reused.
_IDLE_SECONDS = 15.0
_MAX_RETRY_AFTER = 24 * 3600.0
_CHUNK_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time-outs in seconds: connecting, silence while reading, and the whole call."""

    connect: float
    read: float
    total: float


@dataclass(frozen=True, slots=True)
class Retries:
    """Retries of reads: `attempts` in all, waiting `backoff` * 2^n seconds with jitter."""

    attempts: int
    backoff: float


@dataclass(frozen=True, slots=True)
class Call:
    """A request: `path` below the base URL, `query` and encoded `body`."""

    method: str
    path: str
    query: dict[str, str] | None = None
    body: bytes | None = None

    @property
    def operation(self) -> str:
        """The method and the resource, for metrics: `POST transfers`."""
        return f"{self.method} {self.path.split('/')[1]}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A parsed response: HTTP status and envelope."""

    status_code: int
    envelope: ProviderEnvelope


class _BearerKey(requests.auth.AuthBase):
    """Authentication that keeps the key out of the session's headers, which debug output prints."""

    def __init__(self, secret_key: str) -> None:
        self._header = f"Bearer {secret_key}"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._header
        return request


class Transport:
    """HTTP transport of one base URL and key. Safe to share between threads and forks."""

    def __init__(self, *, base_url: str, secret_key: str, max_bytes: int, retries: Retries) -> None:
        self._base_url = base_url.rstrip("/")
        self._secret_key = secret_key
        self._max_bytes = max_bytes
        self._retries = retries
        self._local = threading.local()

    def __repr__(self) -> str:
        return f"<Transport {self._base_url}>"

    def once(self, call: Call, timeouts: Timeouts) -> Reply:
        """Send a request once and read the response.

        Raises `NeverSent` when no connection was made, else `ProviderUnavailable` for no response,
        a malformed one, 401, 429 and 5xx.
        """
        with deadline_in(timeouts.total):
            return self._attempt(call, timeouts)

    def read(self, call: Call, timeouts: Timeouts) -> Reply:
        """Send a read request, with retries, within `timeouts.total`."""
        with deadline_in(timeouts.total):
            for attempt in range(1, self._retries.attempts + 1):
                try:
                    return self._attempt(call, timeouts)
                except _KeyRejected:
                    raise
                except ProviderUnavailable as failure:
                    wait = self._wait_seconds(attempt, failure.retry_after)
                    if attempt == self._retries.attempts or wait >= remaining_seconds():
                        raise
                    logger.warning(
                        "provider read failed, trying again: %s %s: %s",
                        call.method,
                        call.path,
                        failure,
                    )
                    time.sleep(wait)
        raise ProviderUnavailable("no attempt is allowed")

    def _wait_seconds(self, attempt: int, retry_after: float | None) -> float:
        backoff = self._retries.backoff * 2.0 ** (attempt - 1)
        jittered: float = backoff * random.uniform(0.5, 1.5)  # noqa: S311 - spreads load, guards nothing
        return jittered if retry_after is None else max(retry_after, jittered)

    def _attempt(self, call: Call, timeouts: Timeouts) -> Reply:
        outcome = "failed"
        try:
            with PROVIDER_CALL_SECONDS.labels(call.operation).time():
                reply = self._send(call, timeouts)
            outcome = "accepted" if reply.envelope.ok else "rejected"
            return reply
        finally:
            PROVIDER_CALLS.labels(call.operation, outcome).inc()

    def _send(self, call: Call, timeouts: Timeouts) -> Reply:
        # Errors of requests carry the request and with it the key: they are not chained, and the
        # new error is raised outside the handler so that they are not its context either.
        # Leaving the response early has closed its connection.
        failure: ProviderUnavailable
        try:
            return self._exchange(call, timeouts)
        except MalformedResponse as error:
            failure = ProviderUnavailable(f"malformed response: {error}")
        except requests.ConnectTimeout:
            failure = NeverSent("no connection within the time-out")
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            if _is_connection_failure(error):
                failure = NeverSent("no connection could be made")
            else:
                failure = ProviderUnavailable(f"no complete response ({type(error).__name__})")
        raise failure

    def _exchange(self, call: Call, timeouts: Timeouts) -> Reply:
        left = remaining_seconds()
        if left <= 0:
            raise ProviderUnavailable("no time is left")
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        with self._session().request(
            call.method,
            self._base_url + call.path,
            params=call.query,
            data=call.body,
            headers=headers,
            timeout=(min(timeouts.connect, left), min(timeouts.read, left)),
            allow_redirects=False,
            stream=True,
        ) as response:
            body = self._bounded_body(response)
            self._local.used_at = time.monotonic()
            return self._judge(response, body)

    def _bounded_body(self, response: requests.Response) -> bytes:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_content(_CHUNK_BYTES):
            size += len(chunk)
            if size > self._max_bytes:
                raise MalformedResponse("body is too long")
            chunks.append(chunk)
        return b"".join(chunks)

    def _judge(self, response: requests.Response, body: bytes) -> Reply:
        code = response.status_code
        if code == 401:
            raise _KeyRejected("the provider rejected the API key (401)")
        if code == 429:
            raise ProviderUnavailable(
                "the provider limits the request rate (429)", retry_after=_retry_after(response)
            )
        if code >= 500:
            raise ProviderUnavailable(
                f"the provider failed ({code})", retry_after=_retry_after(response)
            )
        if code // 100 not in {2, 4}:
            raise MalformedResponse(f"unexpected HTTP status {code}")
        envelope = read_envelope(body)
        if envelope.ok and not response.ok:
            raise MalformedResponse(f"success with HTTP status {code}")
        message = printable(envelope.message.replace(self._secret_key, "[key]"))
        return Reply(code, ProviderEnvelope(envelope.ok, message, envelope.data, envelope.meta))

    def _session(self) -> requests.Session:
        local = self._local
        session: requests.Session | None = getattr(local, "session", None)
        # A forked process must not share a socket with its parent.
        if session is not None and local.process == os.getpid():
            if time.monotonic() - local.used_at < _IDLE_SECONDS:
                return session
            session.close()
        session = requests.Session()
        session.trust_env = False  # no proxy and no .netrc from the environment
        session.auth = _BearerKey(self._secret_key)
        adapter = DeadlineAdapter()
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        local.session, local.process, local.used_at = session, os.getpid(), time.monotonic()
        return session


class _KeyRejected(ProviderUnavailable):
    """The provider rejects our key; a retry would not help."""


def _is_connection_failure(error: Any) -> bool:
    """Return whether no connection was made, so that no byte was sent."""
    cause = error.args[0] if getattr(error, "args", None) else None
    reason = getattr(cause, "reason", cause)
    return isinstance(reason, urllib3.exceptions.NewConnectionError)


def _retry_after(response: requests.Response) -> float | None:
    """Return the seconds of a Retry-After header (either form), or None."""
    value = response.headers.get("Retry-After", "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        seconds = float(value)
    else:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER)
