"""`migrate` waits for tables in turns, so that requests pass in between, and refuses old data."""

import threading
from collections.abc import Iterator
from io import StringIO
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.postgres.operations import AddIndexConcurrently
from django.core.management import CommandError, call_command
from django.db import connections, migrations, models
from django.db.migrations.loader import MigrationLoader
from pytest_django import DjangoDbBlocker

from config.back_office.roles import FINANCE_APPROVER, apply_roles, are_roles_applied
from exchange.core import table_locks
from tests.environment.database import django_connected_to, extra_database, server_url
from tests.environment.processes import wait_until

_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'orders_order'::regclass"


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Connect Django to a migrated database of its own; yield its URL."""
    with (
        extra_database("in_turns", migrated=True) as name,
        django_db_blocker.unblock(),
        django_connected_to(name),
    ):
        yield server_url(name)
        connections["owner"].close()


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that adds one more migration to those of `orders`."""
    load = MigrationLoader.load_disk

    def add(name: str, operation: Any, *, atomic: bool = True) -> None:
        def load_disk(loader: MigrationLoader) -> None:
            load(loader)
            leaf = max(key for key in loader.disk_migrations if key[0] == "orders")
            parts = {"dependencies": [leaf], "operations": [operation], "atomic": atomic}
            planted = type("Migration", (migrations.Migration,), parts)
            loader.disk_migrations["orders", name] = planted(name, "orders")

        monkeypatch.setattr(MigrationLoader, "load_disk", load_disk)

    return add


def migrate() -> None:
    call_command("migrate", interactive=False, database="owner", stdout=StringIO())


def migrate_and_close() -> None:
    try:
        migrate()
    finally:
        connections["owner"].close()


def lock_timeout() -> str:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.slow
def test_a_migration_lets_requests_pass_while_a_table_is_in_use(database, plant):
    plant("9001_planted", migrations.RunSQL("ALTER TABLE orders_order ADD planted integer"))
    failed: list[CommandError] = []

    def run() -> None:
        try:
            migrate_and_close()
        except CommandError as error:
            failed.append(error)

    with psycopg.connect(database) as reader, psycopg.connect(database, autocommit=True) as other:
        reader.execute("SELECT count(*) FROM orders_order")
        thread = threading.Thread(target=run)
        thread.start()
        wait_until(lambda: other.execute(_WAITING).fetchone() == (1,), "the migration waits")
        # Behind the migration in the queue: it passes once the migration gives up its turn.
        other.execute("SET lock_timeout = '30s'")
        other.execute("SELECT count(*) FROM orders_order")
        assert other.execute("SELECT to_regclass('orders_order') IS NOT NULL").fetchone() == (True,)
        reader.rollback()
        thread.join(60)
        assert failed == []
        assert other.execute("SELECT planted FROM orders_order").fetchall() == []
    assert lock_timeout() == "0"


def test_after_a_minute_it_names_what_is_not_applied(database, plant, monkeypatch):
    plant("9002_planted", migrations.RunSQL("ALTER TABLE orders_order ADD refused integer"))
    ticks = iter([0.0, 61.0])
    clock = SimpleNamespace(monotonic=lambda: next(ticks), sleep=None)
    monkeypatch.setattr(table_locks, "time", clock)
    with psycopg.connect(database) as reader:
        reader.execute("SELECT count(*) FROM orders_order")
        with pytest.raises(CommandError) as refused:
            migrate()
    assert str(refused.value) == (
        "Tables were in use for 60 seconds; this migration is not applied, those before it are."
    )
    assert lock_timeout() == "0"


@pytest.mark.slow
def test_an_index_is_built_concurrently_without_a_limit(database, plant, monkeypatch):
    plant(
        "9003_planted",
        AddIndexConcurrently("order", models.Index(fields=["price"], name="planted_concurrently")),
        atomic=False,
    )
    with psycopg.connect(database) as writer, psycopg.connect(database, autocommit=True) as other:
        writer.execute("LOCK TABLE orders_order IN ROW EXCLUSIVE MODE")
        thread = threading.Thread(target=migrate_and_close)
        thread.start()
        building = "SELECT count(*) FROM pg_stat_progress_create_index"
        wait_until(lambda: other.execute(building).fetchone() == (1,), "the index is built")
        other.execute("SELECT pg_sleep(0.8)")  # longer than a turn
        assert other.execute(building).fetchone() == (1,)
        writer.rollback()
        thread.join(60)
        valid = (
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'planted_concurrently'::regclass"
        )
        assert other.execute(valid).fetchone() == (True,)


def test_a_database_of_an_earlier_version_is_refused(database):
    with psycopg.connect(database, autocommit=True) as owner:
        applied = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"
        owner.execute(applied, ["config", "0003_roles"])
        try:
            with pytest.raises(CommandError) as refused:
                migrate()
        finally:
            owner.execute("DELETE FROM django_migrations WHERE app = 'config'")
    assert str(refused.value) == (
        "The data is of a version before 1.0.0, not upgradable: use a new database."
    )


def test_roles_are_applied_once_and_again_after_a_change(database):
    lost = Permission.objects.using("owner").get(codename="decide_withdrawal")
    approvers = Group.objects.using("owner").get(name=FINANCE_APPROVER)
    assert not apply_roles("owner")
    approvers.permissions.remove(lost)
    assert not are_roles_applied("owner")
    migrate()
    assert are_roles_applied("owner")
    assert approvers.permissions.contains(lost)
