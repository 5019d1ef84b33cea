"""Counters in PostgreSQL, shared by all processes: for an installation without Redis.

Only rate limits use the cache, and only to count. The rows are in the table of the sign-in
counters, which a scheduled task purges.
"""

import hashlib
from typing import Any

from django.core.cache.backends.base import BaseCache

from exchange.core.database import fetch_one

# Longer than any window, which is part of the key.
_LIFETIME_SECONDS = 120
_COUNT = """
INSERT INTO exchange_signinattempts AS t (key, attempts, ends_at)
VALUES (%s, %s, statement_timestamp() + make_interval(secs => %s))
ON CONFLICT (key) DO UPDATE SET attempts = t.attempts + excluded.attempts
RETURNING attempts"""


class DatabaseCounters(BaseCache):
    """A cache backend that only counts; a counter starts at 0."""

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add to a counter and return its new value, in one statement."""
        name = hashlib.sha256(self.make_key(key, version=version).encode()).hexdigest()
        row = fetch_one(_COUNT, [name, delta, _LIFETIME_SECONDS])
        if row is None:
            raise RuntimeError("counting returned no row")
        return int(row[0])
