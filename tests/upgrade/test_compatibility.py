"""No new migration or SQL function stops a running process of the previous release.

The migrations run on the last release's database and are observed there (`compatibility`). Further
tests plant each kind of fault.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connections, migrations, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState
from django.db.models.functions import Now
from pytest_django import DjangoDbBlocker

from exchange.core import sqlfiles
from exchange.core.sqlfiles import Uninstalled
from tests.environment.database import django_connected_to, extra_database, server_url
from tests.upgrade.compatibility import Observer, read_release
from tests.upgrade.dumps import latest_dump, restore

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Migrated:
    """The migrated database of the last release, what was observed, and its models now."""

    observer: Observer
    state: ProjectState


@pytest.fixture(scope="module")
def migrated(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Migrated]:
    """Restore the last release's database, and observe its migrations one by one."""
    with extra_database("compatible") as name, django_db_blocker.unblock():
        restore(latest_dump(), server_url(name))
        with django_connected_to(name):
            connection = connections["owner"]
            executor = MigrationExecutor(connection)
            graph = executor.loader.graph
            applied = [node for node in executor.loader.applied_migrations if node in graph.nodes]
            connection.ensure_connection()
            release = read_release(connection.connection, executor.loader.project_state(applied))
            observer = Observer(connection, release)
            executor.progress_callback = _observing(observer)
            executor.migrate(graph.leaf_nodes())
            sqlfiles.install("owner")
            observer.compare_routines()
            yield Migrated(observer, executor.loader.project_state())


def _observing(observer: Observer) -> Any:
    """Return a callback of the executor that observes each migration from its start to its end."""
    observed = contextlib.ExitStack()

    def progress(action: str, migration: Any = None, _fake: bool = False) -> None:
        if action == "apply_start":
            observed.enter_context(observer.migration(migration))
        elif action == "apply_success":
            observed.close()

    return progress


def test_running_processes_of_the_last_release_survive_every_new_migration(migrated):
    """See CONTRIBUTING.md, "Change the database", for the two steps of a change."""
    assert not migrated.observer.findings, "\n".join(map(str, ["", *migrated.observer.findings]))


# --- each kind of fault is found ------------------------------------------------------------------


FAULTS: dict[str, tuple[str, list[Any], str]] = {
    "a column with a volatile default": (
        "wallets",
        [
            migrations.RunSQL(
                "ALTER TABLE wallets_withdrawal ADD note uuid NOT NULL DEFAULT gen_random_uuid()"
            )
        ],
        "rewrites wallets_withdrawal",
    ),
    "an index that blocks writes": (
        "orders",
        [migrations.AddIndex("order", models.Index(fields=["price"], name="planted"))],
        "reads all of orders_order while it blocks writes",
    ),
    "a constraint that reads all rows": (
        "orders",
        [
            migrations.AddConstraint(
                "order", models.CheckConstraint(condition=models.Q(price__gte=0), name="planted")
            )
        ],
        "reads all of orders_order while it blocks writes",
    ),
    "a foreign key that reads all rows": (
        "exchange",
        [
            migrations.RunSQL(
                "ALTER TABLE exchange_event ADD CONSTRAINT planted"
                " FOREIGN KEY (organisation_id) REFERENCES exchange_organisation (id)"
            )
        ],
        "reads all of exchange_event while it blocks writes",
    ),
    "a rule that the previous release does not know": (
        "orders",
        [
            migrations.RunSQL(
                "ALTER TABLE orders_order ADD CONSTRAINT planted CHECK (price >= 0) NOT VALID"
            )
        ],
        "orders_order has a new rule, CHECK ((price >= (0)::numeric))",
    ),
    "rows changed in one transaction": (
        "wallets",
        [migrations.RunSQL("UPDATE wallets_account SET closed = closed")],
        "changes rows of wallets_account in one transaction",
    ),
    "a column removed": (
        "orders",
        [migrations.RunSQL("ALTER TABLE orders_order DROP price CASCADE")],
        "orders_order.price is gone",
    ),
    "a column renamed": (
        "exchange",
        [migrations.RunSQL("ALTER TABLE exchange_webhookendpoint RENAME url TO address")],
        "exchange_webhookendpoint.url is gone",
    ),
    "a table removed": (
        "exchange",
        [migrations.RunSQL("DROP TABLE exchange_signinattempts CASCADE")],
        "exchange_signinattempts.ends_at is gone",
    ),
    "a column made longer": (
        "exchange",
        [migrations.RunSQL("ALTER TABLE exchange_signinattempts ALTER key TYPE varchar(90)")],
        "exchange_signinattempts.key has another type",
    ),
    "a required column without a default": (
        "wallets",
        [migrations.AddField("withdrawal", "planted", models.CharField(max_length=9, default="x"))],
        "wallets_withdrawal.planted is required",
    ),
    "a column that takes null no more": (
        "exchange",
        [migrations.RunSQL("ALTER TABLE exchange_token ALTER words SET NOT NULL")],
        "does not take null any more",
    ),
    "rights taken": (
        "exchange",
        [migrations.RunSQL("REVOKE UPDATE ON exchange_member FROM exchange_runtime")],
        "takes rights of the previous release: exchange_member: UPDATE",
    ),
    "the installed SQL removed": (
        "exchange",
        [Uninstalled()],
        "removes the installed SQL",
    ),
}


def _observe(migrated: Migrated, app: str, operations: list[Any], *, atomic: bool = True) -> str:
    """Apply a planted migration, observe it, and return the findings as text."""
    connection = connections["owner"]
    parts = {"operations": operations, "atomic": atomic}
    migration = type("Migration", (migrations.Migration,), parts)("planted", app)
    observer = replace(migrated.observer, findings=[])
    with observer.migration(migration), connection.schema_editor(atomic=atomic) as editor:
        migration.apply(migrated.state.clone(), editor)
    return "\n".join(map(str, observer.findings))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(migrated, fault):
    app, operations, problem = FAULTS[fault]
    with transaction.atomic(using="owner"):
        found = _observe(migrated, app, operations)
        transaction.set_rollback(True, using="owner")
    assert problem in found
    assert f"{app}.planted" in found


def test_a_function_with_another_signature_is_found(migrated):
    with transaction.atomic(using="owner"):
        with connections["owner"].cursor() as cursor:
            cursor.execute("ALTER FUNCTION id_stem(uuid) RENAME TO planted")
            cursor.execute("ALTER TYPE order_request DROP ATTRIBUTE price CASCADE")
        observer = replace(migrated.observer, findings=[])
        observer.compare_routines()
        transaction.set_rollback(True, using="owner")
    found = {finding.where for finding in observer.findings}
    assert found == {"function id_stem(uuid)", "type order_request.price"}


def test_the_safe_ways_are_accepted(migrated):
    """Each remedy that the findings recommend passes: expand now, contract a release later."""
    nullable = models.CharField(max_length=9, null=True)
    steps = [
        migrations.AddField("withdrawal", "planted", nullable),
        migrations.AddField("withdrawal", "planted_at", models.DateTimeField(db_default=Now())),
        AddIndexConcurrently("withdrawal", models.Index(fields=["planted"], name="planted")),
        migrations.RunSQL("UPDATE wallets_withdrawal SET planted = 'x'"),
        migrations.RunSQL(
            "ALTER TABLE wallets_withdrawal ADD CONSTRAINT planted CHECK (planted <> '') NOT VALID"
        ),
        migrations.RunSQL("ALTER TABLE wallets_withdrawal VALIDATE CONSTRAINT planted"),
        migrations.CreateModel(
            "Planted",
            [
                ("id", models.BigAutoField(primary_key=True)),
                ("withdrawal", models.ForeignKey("wallets.Withdrawal", models.PROTECT)),
            ],
        ),
    ]
    try:
        assert _observe(migrated, "wallets", steps, atomic=False) == ""
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS wallets_planted")
            cursor.execute(
                "ALTER TABLE wallets_withdrawal DROP COLUMN IF EXISTS planted,"
                " DROP COLUMN IF EXISTS planted_at"
            )
