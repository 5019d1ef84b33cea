"""Rate limits per key: fixed windows of a minute, counted atomically in the cache.

The cache is shared by all processes: Redis, or PostgreSQL on a single machine without one.

While the cache is unreachable, each process counts by itself. Money-moving POSTs and the token
endpoint are rejected (503): else an attacker who makes the cache fail would evade the shared limits
on moving money and guessing secrets.
"""

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
# The pause before a process retries an unreachable cache.
PAUSE_SECONDS = 1.0


class CounterUnavailable(NotReady):
    """The cache is unreachable, so requests cannot be counted."""


class CacheCircuitBreaker:
    """The circuit breaker of the cache.

    While it is open, one request per second retries; the others fail immediately, since waiting
    would block threads that the back office needs. Each failed attempt is logged.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._retry_at: float | None = None

    def check(self) -> None:
        """Raise `CounterUnavailable` until the next retry is due."""
        if self._retry_at is None:
            return
        with self._lock:
            now = time.monotonic()
            if self._retry_at is not None and now < self._retry_at:
                raise CounterUnavailable
            self._retry_at = now + PAUSE_SECONDS

    def record_failure(self, error: Exception) -> None:
        """Open the circuit after a failed attempt."""
        self._retry_at = time.monotonic() + PAUSE_SECONDS
        logger.error("api.cache_unavailable", error=str(error))

    def record_success(self) -> None:
        """Close the circuit after a successful attempt."""
        if self._retry_at is not None:
            self._retry_at = None
            logger.warning("api.cache_available")


_breaker = CacheCircuitBreaker()
# Counts of this process while the cache is unreachable.
_local_counts = LocMemCache("rate-limits", {"MAX_ENTRIES": 10_000})


@dataclass(frozen=True, slots=True)
class RateLimitUsage:
    """Use of a limit in its window; `reset` is the seconds until the next window."""

    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """The requests left in the window."""
        return max(0, self.limit - self.used)

    @property
    def headers(self) -> dict[str, str]:
        """The rate limit headers of the response."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset),
        }


def count_request(
    kind: str, subject: str, *, units: int = 1, count_locally: bool = False
) -> RateLimitUsage | None:
    """Count a request of `subject` against the limit `kind`; return None when limits are off.

    It counts for `units` requests, but never for more than the limit of a whole window.
    While the cache is unreachable, count in this process if `count_locally`; else raise
    `CounterUnavailable`.
    """
    limit = settings.RATE_LIMITS.get(kind) if settings.RATE_LIMITS_ENABLED else None
    if limit is None:
        return None
    now = time.time()
    window = int(now // WINDOW_SECONDS)
    reset = WINDOW_SECONDS - int(now % WINDOW_SECONDS)
    key = f"rate:{kind}:{subject}:{window}"
    units = min(units, limit)
    try:
        used = _count_in_cache(key, units)
    except CounterUnavailable:
        if not count_locally:
            raise
        used = _increment(_local_counts, key, units)
    return RateLimitUsage(limit, used, reset)


def _count_in_cache(key: str, units: int) -> int:
    _breaker.check()
    try:
        used = _increment(cache, key, units)
    except (RedisError, OSError) as error:
        _breaker.record_failure(error)
        raise CounterUnavailable from error
    _breaker.record_success()
    return used


def _increment(counts: BaseCache, key: str, units: int) -> int:
    try:
        return int(counts.incr(key, units))
    except ValueError:
        # The window is part of the key, so the entry may outlive it.
        if counts.add(key, units, timeout=2 * WINDOW_SECONDS):
            return units
        return int(counts.incr(key, units))


class KeyThrottle(BaseThrottle):
    """Limits the requests of a key, and of these the ones that move money."""

    _wait: int | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Return whether no limit is exceeded; set the tightest on `request` for the headers."""
        caller = request.auth
        if not settings.RATE_LIMITS_ENABLED or not isinstance(caller, Caller):
            return True
        operation = get_operation(view)
        moves_money = operation is not None and operation.moves_money
        kinds = ["requests", "money"] if moves_money else ["requests"]
        subject = str(caller.key_id)
        units = operation.units(request.query_params) if operation else 1
        usages = [
            b
            for kind in kinds
            if (b := count_request(kind, subject, units=units, count_locally=not moves_money))
        ]
        if not usages:
            return True
        request.rate_limit_usage = min(usages, key=lambda b: b.remaining)  # type: ignore[attr-defined]
        resets = [usage.reset for usage in usages if usage.used > usage.limit]
        self._wait = max(resets, default=None)
        return not resets

    def wait(self) -> int | None:
        """Return the seconds until the request may be repeated."""
        return self._wait
