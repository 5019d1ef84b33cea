"""The roles of docs/operations/install.md: an owner without superuser rights, and a login."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.config.test_production import COMPLETE
from tests.environment.database import server_url, worker_database
from tests.environment.processes import CHECKOUT

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PASSWORD = "only-for-this-test"


@pytest.fixture
def roles(owner_connection: psycopg.Connection) -> Iterator[dict[str, str]]:
    """A new database, with the URLs of its owner and the service's login."""
    base = f"{worker_database()}_roles"
    names = {"owner": f"{base}_owner", "app": f"{base}_app"}
    database, owner, app = (sql.Identifier(name) for name in (base, *names.values()))
    execute = owner_connection.execute
    execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(owner, PASSWORD))
    execute(
        sql.SQL("CREATE ROLE {} LOGIN NOINHERIT PASSWORD {} IN ROLE exchange_runtime").format(
            app, PASSWORD
        )
    )
    execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, owner))
    given = conninfo_to_dict(server_url(base))
    place = f"host={given['host']}" + (f"&port={given['port']}" if given.get("port") else "")
    yield {
        which: f"postgresql:///{base}?{place}&user={name}&password={PASSWORD}"
        for which, name in names.items()
    }
    execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))
    execute(sql.SQL("DROP ROLE {}").format(owner))
    execute(sql.SQL("DROP ROLE {}").format(app))


def manage(*arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
    home = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env={**home, **COMPLETE, **given},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_an_owner_that_cannot_grant_the_runtime_role_can_migrate(roles):
    urls = {"DATABASE_URL": roles["app"], "DATABASE_OWNER_URL": roles["owner"]}
    migrated = manage("migrate", "--no-input", **urls)
    assert migrated.returncode == 0, migrated.stderr

    proven = manage("prove_books", DATABASE_URL=roles["app"])
    assert proven.returncode == 0, proven.stdout + proven.stderr
    assert "The books hold" in proven.stdout

    with psycopg.connect(roles["app"], options="-c role=exchange_runtime") as connection:
        for statement in ("UPDATE wallets_account SET balance = 1", "DELETE FROM wallets_entry"):
            with (
                pytest.raises(psycopg.errors.InsufficientPrivilege),
                connection.transaction(),
            ):
                connection.execute(statement)

    for command in ("migrate", "retention"):
        refused = manage(command, DATABASE_URL=roles["app"])
        assert refused.returncode == 1
        assert "set DATABASE_OWNER_URL" in refused.stderr
    kept = manage("retention", "--dry-run", "--drop", **urls, RETENTION_AUDIT_MONTHS="60")
    assert kept.returncode == 0, kept.stderr
    assert "exchange_change: keeps rows since" in kept.stdout
