"""Counters that all processes share, in PostgreSQL: for an installation without Redis.

Only the rate limits use the cache, and only to count. Rows are those of the sign-in counters, which
beat removes once their time is over.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.core.cache.backends.base import BaseCache

from exchange.core.database import fetch_one

# A counter's window is in its key, so it only has to outlive that.
_KEPT_SECONDS = 120
_COUNT = """
INSERT INTO exchange_signintries AS t (key, tries, ends_at)
VALUES (%s, %s, statement_timestamp() + make_interval(secs => %s))
ON CONFLICT (key) DO UPDATE SET tries = t.tries + excluded.tries
RETURNING tries"""


class DatabaseCounters(BaseCache):
    """A cache that counts and does nothing else; a counter begins at 0."""

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add to a counter and give what it came to, in one statement."""
        name = hashlib.sha256(self.make_key(key, version=version).encode()).hexdigest()
        row = fetch_one(_COUNT, [name, delta, _KEPT_SECONDS])
        if row is None:
            raise RuntimeError("counting returned no row")
        return int(row[0])
