"""Pauses a process at a chosen write, so that a test can kill it exactly there.

A trigger that exists for the length of a test makes the writer of a row wait for an advisory lock
that the test holds. The product does not know about it.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from tests.environment.database import server_url, worker_database
from tests.environment.processes import wait_until

_KEY = 0x7E57_0002


class WritePause:
    """While open, a write of `table` (`INSERT` or `UPDATE`) that matches `when` waits.

    `when` is SQL over NEW and, for an update, OLD.
    """

    def __init__(self, event: str, table: str, when: str) -> None:
        self._event, self._table, self._when = event, table, when
        self._held = False

    def __enter__(self) -> WritePause:
        self._owner: psycopg.Connection[Any] = psycopg.connect(
            server_url(worker_database()), autocommit=True
        )
        self._owner.execute(
            "CREATE OR REPLACE FUNCTION pause_for_test() RETURNS trigger LANGUAGE plpgsql AS"
            f" 'BEGIN PERFORM pg_advisory_xact_lock_shared({_KEY}); RETURN NEW; END'"
        )
        self._owner.execute("SELECT pg_advisory_lock(%s)", [_KEY])
        self._held = True
        self._owner.execute(
            sql.SQL(
                f"CREATE TRIGGER aa_pause BEFORE {self._event} ON {{}} FOR EACH ROW"
                f" WHEN ({self._when}) EXECUTE FUNCTION pause_for_test()"
            ).format(sql.Identifier(self._table))
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._owner.execute(
            sql.SQL("DROP TRIGGER aa_pause ON {}").format(sql.Identifier(self._table))
        )
        self._owner.execute("DROP FUNCTION pause_for_test()")
        self._owner.close()

    def wait(self) -> None:
        """Wait until a session has reached the write."""
        wait_until(lambda: bool(self._waiting()), f"a session writes {self._table}")

    def release(self) -> None:
        """Let the waiting sessions continue, also those whose client is dead."""
        if self._held:
            self._owner.execute("SELECT pg_advisory_unlock(%s)", [_KEY])
            self._held = False

    def disconnect(self) -> None:
        """Terminate the waiting sessions, as the server does when a client's host is gone."""
        for pid in self._waiting():
            self._owner.execute("SELECT pg_terminate_backend(%s)", [pid])
        wait_until(lambda: not self._waiting(), "the sessions have ended")

    def _waiting(self) -> list[int]:
        rows = self._owner.execute(
            "SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE l.locktype = 'advisory' AND NOT l.granted AND l.objid = %s"
            " AND d.datname = current_database()",
            [_KEY],
        ).fetchall()
        return [pid for (pid,) in rows]
