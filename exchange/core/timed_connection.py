"""A connection that does not wait forever: for the replica, whose absence must stop no request."""

from typing import Any

import psycopg
from psycopg.errors import _WaitTimeout


class TimedConnection(psycopg.Connection[Any]):
    """A connection that fails and closes when a response takes longer than `response_seconds`.

    The server or a pooler may be unreachable without the connection having ended.
    """

    response_seconds: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the response. Raises `psycopg.OperationalError` after `response_seconds`."""
        limit = self.response_seconds if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except _WaitTimeout:
            self.pgconn.finish()
            raise psycopg.OperationalError(f"No response within {limit:g} s") from None
