"""A barrier in the database that requests and workers reach before any of them continues.

Callers that start together seldom reach their lock together. The barrier holds each of them right
before it locks its row and releases all at the same moment. The product does not know about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import sql

from tests.environment.database import server_url, worker_database
from tests.environment.processes import wait_until


class LockBarrier:
    """While held, sessions that are about to lock or write a row of `table` wait; readers pass."""

    def __init__(self, table: str, runners: int) -> None:
        self._table, self._runners = table, runners

    def __enter__(self) -> LockBarrier:
        self._owner: psycopg.Connection[Any] = psycopg.connect(server_url(worker_database()))
        self._watch: psycopg.Connection[Any] = psycopg.connect(
            server_url(worker_database()), autocommit=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._owner.close()
        self._watch.close()

    def hold(self) -> None:
        """Make sessions wait from now on."""
        # Conflicts with the ROW SHARE of SELECT ... FOR UPDATE, not with a plain SELECT.
        self._owner.execute(
            sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.Identifier(self._table))
        )

    def release(self) -> None:
        """Release all sessions once the last one waits; AssertionError if one does not in time."""
        try:
            wait_until(
                lambda: self._waiting() == self._runners,
                f"{self._runners} wait for {self._table}",
            )
        finally:
            self._owner.rollback()

    def after_first(self, function: Callable[[], Any]) -> Any:
        """Call `function` once another session waits: who waits first is mostly served first."""
        wait_until(lambda: self._waiting() > 0, "the first one waits")
        return function()

    def _waiting(self) -> int:
        row = self._watch.execute(
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = current_database() AND l.relation = %s::regclass AND NOT l.granted",
            [self._table],
        ).fetchone()
        assert row is not None
        return int(row[0])
