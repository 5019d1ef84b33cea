"""When SQL has to be installed, and the locks of an installer."""

from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction

from exchange.core import sqlfiles
from tests.environment.owner import as_owner

pytestmark = pytest.mark.django_db

_HELD = """
SELECT classid::bigint << 32 | objid::bigint, current_setting('lock_timeout') FROM pg_locks
WHERE locktype = 'advisory' AND pid = pg_backend_pid()
"""


def test_every_file_is_declared_once_and_every_declared_file_exists() -> None:
    assert [config.label for config in sqlfiles.sql_apps()] == [
        "exchange",
        "wallets",
        "credit",
        "orders",
    ]
    for config in sqlfiles.sql_apps():
        files = sorted(Path(config.path).glob("*/sql/*.sql"))
        assert sorted(config.sql_files) == files, config.label


def test_an_installer_excludes_those_of_every_release_and_waits_half_a_minute() -> None:
    with as_owner() as cursor:
        assert not sqlfiles.install("default")
        cursor.execute(_HELD)
        assert cursor.fetchall() == [(0x53514C, "30s")]


def test_a_new_column_of_a_join_table_is_detected() -> None:
    with as_owner() as cursor:
        cursor.execute("ALTER TABLE exchange_staffuser_groups ADD COLUMN motto text")
        assert not sqlfiles.is_installed()


def test_locks_are_waited_for_and_errors_are_raised() -> None:
    """An error names its file; a lock timeout is retried."""
    busy = "DO $$BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = 'lock_not_available'; END$$"
    for statement, refused, message in (
        (busy, OperationalError, "^busy"),
        ("SELECT 1 / 0", sqlfiles.InstallError, "^a/sql/b.sql: division by zero"),
    ):
        with (
            connection.cursor() as cursor,
            pytest.raises(refused, match=message),
            transaction.atomic(),
        ):
            sqlfiles._execute(cursor, "a/sql/b.sql", statement)
