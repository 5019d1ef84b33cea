"""A primary and a streaming replica of it, both embedded, that tests may pause and kill."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from config.local.embedded.cluster import Cluster
from config.local.embedded.layout import (
    OWNER,
    binary,
    database_url,
    postgres_dir,
    socket_dir,
)
from config.local.embedded.sharing import running_server
from tests.environment.processes import CHECKOUT, wait_until
from tests.environment.template_cache import place_migrated_server


class Replication:
    """The servers of the two data directories."""

    def __init__(self, primary: Path, standby: Path) -> None:
        self.primary = primary
        self.standby = standby
        self._cluster = Cluster(standby, durable=False)

    def on_primary(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute `statement` as the owner; return its rows."""
        return _execute(database_url(self.primary, OWNER), statement)

    def on_standby(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute `statement` on the replica as the owner; return its rows."""
        return _execute(database_url(self.standby, OWNER), statement)

    def migrate(self) -> None:
        """Migrate the primary, where no migrated files are stored."""
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=CHECKOUT,
            env={
                **os.environ,
                "DATA_DIR": str(self.primary),
                "DJANGO_SETTINGS_MODULE": "config.settings.local",
                "DATABASE_URL": "",
            },
            check=True,
            timeout=300,
        )

    def copy(self) -> None:
        """Create the replica as a copy of the primary."""
        home = postgres_dir(self.standby)
        home.mkdir(parents=True, mode=0o700)
        subprocess.run(
            [
                *(str(binary("pg_basebackup")), "--pgdata", str(home / "data")),
                *("--host", str(socket_dir(self.primary)), "--username", OWNER),
                *("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"),
            ],
            check=True,
            timeout=60,
        )

    def start(self) -> None:
        """Start the replica and wait until it has replayed what the primary has written."""
        self._cluster.start()
        self.catch_up()

    def stop(self) -> None:
        """Stop the replica."""
        self._cluster.stop()

    def kill(self) -> None:
        """Kill the replica's postmaster; its sessions end with it."""
        process = self._cluster.process
        assert process is not None
        process.kill()
        process.wait()

    @contextlib.contextmanager
    def hung(self) -> Iterator[None]:
        """Stop all processes of the replica inside the block, without ending a connection."""
        found = self.on_standby("SELECT pid FROM pg_stat_activity WHERE backend_type IS NOT NULL")
        process = self._cluster.process
        assert process is not None
        pids = [process.pid, *(pid for (pid,) in found)]
        _send(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            _send(pids, signal.SIGCONT)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Pause replay inside the block, so that the replica keeps its present contents."""
        self.catch_up()
        self.on_standby("SELECT pg_wal_replay_pause()")
        wait_until(
            lambda: self.on_standby("SELECT pg_get_wal_replay_pause_state()") == [("paused",)],
            "replay is paused",
        )
        try:
            yield
        finally:
            self.on_standby("SELECT pg_wal_replay_resume()")
            self.catch_up()

    @contextlib.contextmanager
    def disconnected(self) -> Iterator[None]:
        """Let the replica receive nothing inside the block."""
        [(address,)] = self.on_standby("SELECT quote_literal(current_setting('primary_conninfo'))")
        self._receive_from("''", connected=0)
        try:
            yield
        finally:
            self._receive_from(address, connected=1)
            self.catch_up()

    def _receive_from(self, address: str, connected: int) -> None:
        self.on_standby(f"ALTER SYSTEM SET primary_conninfo = {address}")
        self.on_standby("SELECT pg_reload_conf()")
        wait_until(
            lambda: self.on_standby("SELECT count(*) FROM pg_stat_wal_receiver") == [(connected,)],
            "the replica has followed its configuration",
            60,
        )

    def catch_up(self) -> None:
        """Wait until the replica has replayed what the primary has written."""
        # A record of its own also flushes those of asynchronous commits.
        self.on_primary("SELECT pg_logical_emit_message(true, 'tests', '')")
        [(position,)] = self.on_primary("SELECT pg_current_wal_flush_lsn()")
        wait_until(
            lambda: (
                self.on_standby(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == [(True,)]
            ),
            "the replica has caught up",
        )


@contextlib.contextmanager
def running_replication(folder: Path) -> Iterator[Replication]:
    """Run a migrated primary and a replica of it inside the block."""
    made = Replication(folder / "primary", folder / "standby")
    place_migrated_server(made.primary)
    with running_server(made.primary, durable=False):
        if made.on_primary("SELECT to_regclass('exchange_writeposition')") == [(None,)]:
            made.migrate()
        made.copy()
        made.start()
        try:
            yield made
        finally:
            made.stop()


def _execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
