"""Events of the last release are numbered while its processes write more."""

from importlib import import_module

import psycopg
import pytest
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from exchange.core import sqlfiles
from exchange.core.ids import uuid7
from exchange.core.table_locks import LOCK_TIMEOUT, in_turns
from exchange.events.services.numbering import number_events
from tests.environment.concurrency import start_call
from tests.environment.database import Connection
from tests.environment.processes import wait_until

pytestmark = pytest.mark.slow

NUMBERS = "0006_event_feed"


def emit(process: Connection) -> str:
    """Write an event as the release does."""
    event = uuid7()
    process.execute(
        "SELECT emit_event(%s, (SELECT id FROM exchange_organisation LIMIT 1), 'webhook.test',"
        " %s, '{}')",
        [event, event],
    )
    return str(event)


def migrate() -> None:
    """Apply the migrations, waiting for locks as `manage.py migrate` does."""

    def migrate_once() -> None:
        executor = MigrationExecutor(connections["owner"])
        executor.migrate(executor.loader.graph.leaf_nodes())

    try:
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
        in_turns(migrate_once, effect="no migration")
    finally:
        connections.close_all()


def numbered(process: Connection) -> list[str]:
    rows = process.execute("SELECT event_id::text FROM exchange_eventnumber ORDER BY seq")
    return [event for (event,) in rows.fetchall()]


def is_waiting() -> bool:
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone() == (1,))


def test_events_are_numbered_by_id_and_those_written_meanwhile_after_them(
    release: Connection,
) -> None:
    rows = release.execute("SELECT id::text FROM exchange_event ORDER BY id")
    old = [event for (event,) in rows.fetchall()]
    assert len(old) > 20
    release.commit()
    with psycopg.connect(release.info.dsn, password=release.info.password) as slow:
        slow.execute("SET ROLE exchange_runtime")
        # Uncommitted while the migration starts, which waits for it in turns.
        first = emit(slow)
        running = start_call(migrate)
        wait_until(lambda: is_waiting() or running.done(), "the migration waits")
        second = emit(release)
        release.commit()
        slow.commit()
        running.result()
    # The previous SQL is still installed, and queues what it writes.
    third = emit(release)
    release.commit()
    assert sqlfiles.install("owner")
    assert numbered(release) == [*old, first, second]
    assert number_events() == 1
    release.commit()
    assert numbered(release) == [*old, first, second, third]
    assert number_events() == 0

    # A killed migration is repeated.
    migration = import_module(f"exchange.migrations.{NUMBERS}")
    with connections["owner"].schema_editor(atomic=False) as editor:
        editor.execute(migration.TABLES, None)
        migration.number_events(None, editor)
    release.commit()
    assert numbered(release) == [*old, first, second, third]
