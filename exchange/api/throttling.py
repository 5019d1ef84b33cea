"""Rate limits per key: fixed windows of a minute, counted atomically in the cache.

The cache counts for every process that shares it: Redis, or PostgreSQL on a single machine
without one. Off costs nothing.

While the cache cannot be reached, each process counts by itself. POSTs that move money and the
token endpoint are refused (503): whoever can make the cache fail would otherwise be rid of the
limits on moving money and on guessing secrets, as far as they hold over all processes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from exchange.api.authentication import Caller
from exchange.api.operations import get_operation
from exchange.core.errors import NotReady

logger = structlog.get_logger(__name__)

WINDOW_SECONDS = 60
# How long a process leaves a cache alone that it could not reach.
PAUSE_SECONDS = 1.0


class CounterUnavailable(NotReady):
    """The cache is out of reach, so requests cannot be counted."""


class CacheCircuitBreaker:
    """Whether this process reaches the cache. While it does not, one request a second tries; the
    others do without at once, since waiting for the cache they would hold up the threads that
    the back office needs too. Each try that fails is one line in the log.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._retry_at: float | None = None

    def check(self) -> None:
        """Raises `Uncounted` when it is not yet time to try again."""
        if self._retry_at is None:
            return
        with self._lock:
            now = time.monotonic()
            if self._retry_at is not None and now < self._retry_at:
                raise CounterUnavailable
            self._retry_at = now + PAUSE_SECONDS

    def record_failure(self, error: Exception) -> None:
        """Notes that a try failed."""
        self._retry_at = time.monotonic() + PAUSE_SECONDS
        logger.error("api.cache_unavailable", error=str(error))

    def record_success(self) -> None:
        """Notes that a try came through."""
        if self._retry_at is not None:
            self._retry_at = None
            logger.warning("api.cache_back")


_breaker = CacheCircuitBreaker()
# Where this process counts while the cache is out of reach.
_local_counts = LocMemCache("rate-limits", {"MAX_ENTRIES": 10_000})


@dataclass(frozen=True, slots=True)
class RateLimitUsage:
    """What is left of a limit in its window; `reset` is the seconds until the next window."""

    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """Requests still allowed in the window."""
        return max(0, self.limit - self.used)

    @property
    def headers(self) -> dict[str, str]:
        """The answer's rate limit headers."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset),
        }


def count_request(kind: str, subject: str, *, count_locally: bool = False) -> RateLimitUsage | None:
    """Counts one request of `subject` against the limit `kind`; None when limits are off.

    While the cache is out of reach, this process counts where `count_locally` is true; otherwise
    `Uncounted` is raised.
    """
    limit = settings.RATE_LIMITS.get(kind) if settings.RATE_LIMITS_ENABLED else None
    if limit is None:
        return None
    now = time.time()
    window = int(now // WINDOW_SECONDS)
    reset = WINDOW_SECONDS - int(now % WINDOW_SECONDS)
    key = f"rate:{kind}:{subject}:{window}"
    try:
        used = _count_in_cache(key)
    except CounterUnavailable:
        if not count_locally:
            raise
        used = _increment(_local_counts, key)
    return RateLimitUsage(limit, used, reset)


def _count_in_cache(key: str) -> int:
    _breaker.check()
    try:
        used = _increment(cache, key)
    except (RedisError, OSError) as error:
        _breaker.record_failure(error)
        raise CounterUnavailable from error
    _breaker.record_success()
    return used


def _increment(counts: BaseCache, key: str) -> int:
    try:
        return int(counts.incr(key))
    except ValueError:
        # The window's name is in the key, so living longer than the window does no harm.
        if counts.add(key, 1, timeout=2 * WINDOW_SECONDS):
            return 1
        return int(counts.incr(key))


class KeyThrottle(BaseThrottle):
    """All requests of a key, and within them those that move money."""

    _wait: int | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether no budget is overspent; the tightest is put on `request` for the headers."""
        caller = request.auth
        if not settings.RATE_LIMITS_ENABLED or not isinstance(caller, Caller):
            return True
        operation = get_operation(view)
        moves_money = operation is not None and operation.moves_money
        kinds = ["requests", "money"] if moves_money else ["requests"]
        subject = str(caller.key_id)
        usages = [
            b
            for kind in kinds
            if (b := count_request(kind, subject, count_locally=not moves_money))
        ]
        if not usages:
            return True
        request.rate_limit_usage = min(usages, key=lambda b: b.remaining)  # type: ignore[attr-defined]
        overspent = [b.reset for b in usages if b.used > b.limit]
        self._wait = max(overspent, default=None)
        return not overspent

    def wait(self) -> int | None:
        """Seconds until the request may be repeated."""
        return self._wait
