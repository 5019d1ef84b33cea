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
from exchange.api.operations import operation_of
from exchange.core.errors import NotReady

logger = structlog.get_logger(__name__)

WINDOW_SECONDS = 60
# How long a process leaves a cache alone that it could not reach.
PAUSE_SECONDS = 1.0


class Uncounted(NotReady):
    """The cache is out of reach, so requests cannot be counted."""


class Reach:
    """Whether this process reaches the cache. While it does not, one request a second tries; the
    others do without at once, since waiting for the cache they would hold up the threads that
    the back office needs too. Each try that fails is one line in the log.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._try_at: float | None = None

    def ask(self) -> None:
        """Raises `Uncounted` when it is not yet time to try again."""
        if self._try_at is None:
            return
        with self._lock:
            now = time.monotonic()
            if self._try_at is not None and now < self._try_at:
                raise Uncounted
            self._try_at = now + PAUSE_SECONDS

    def lost(self, error: Exception) -> None:
        """Notes that a try failed."""
        self._try_at = time.monotonic() + PAUSE_SECONDS
        logger.error("api.cache_unavailable", error=str(error))

    def found(self) -> None:
        """Notes that a try came through."""
        if self._try_at is not None:
            self._try_at = None
            logger.warning("api.cache_back")


_reach = Reach()
# Where this process counts while the cache is out of reach.
_own_counts = LocMemCache("rate-limits", {"MAX_ENTRIES": 10_000})


@dataclass(frozen=True, slots=True)
class Budget:
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


def spend(kind: str, who: str, *, in_process: bool = False) -> Budget | None:
    """Counts one request of `who` against the limit `kind`; None when limits are off.

    While the cache is out of reach, this process counts where `in_process` is true; otherwise
    `Uncounted` is raised.
    """
    limit = settings.RATE_LIMITS.get(kind) if settings.RATE_LIMITS_ENABLED else None
    if limit is None:
        return None
    now = time.time()
    window = int(now // WINDOW_SECONDS)
    reset = WINDOW_SECONDS - int(now % WINDOW_SECONDS)
    key = f"rate:{kind}:{who}:{window}"
    try:
        used = _count(key)
    except Uncounted:
        if not in_process:
            raise
        used = _increment(_own_counts, key)
    return Budget(limit, used, reset)


def _count(key: str) -> int:
    _reach.ask()
    try:
        used = _increment(cache, key)
    except (RedisError, OSError) as error:
        _reach.lost(error)
        raise Uncounted from error
    _reach.found()
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
        operation = operation_of(view)
        moves_money = operation is not None and operation.moves_money
        kinds = ["requests", "money"] if moves_money else ["requests"]
        who = str(caller.key_id)
        budgets = [b for kind in kinds if (b := spend(kind, who, in_process=not moves_money))]
        if not budgets:
            return True
        request.rate_budget = min(budgets, key=lambda b: b.remaining)  # type: ignore[attr-defined]
        overspent = [b.reset for b in budgets if b.used > b.limit]
        self._wait = max(overspent, default=None)
        return not overspent

    def wait(self) -> int | None:
        """Seconds until the request may be repeated."""
        return self._wait
