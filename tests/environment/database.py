"""A PostgreSQL database for every test process, cloned from one migrated template.

Without DATABASE_URL an embedded server runs in a temporary directory for the whole run, with the
template from `template_cache`. With it that server is used (its user must be able to create
databases), and the first process makes the template. Tests act as the runtime role; the alias
`owner` connects as the owner of the schema.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connections
from django.test import TransactionTestCase
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from pytest_django import DjangoDbBlocker
from pytest_django.plugin import blocking_manager_key

from config.local.embedded.layout import DATABASE, database_url
from config.local.embedded.sharing import running_server
from config.settings.databases import from_url
from tests.environment import seed_rows as seed
from tests.environment import template_cache
from tests.environment.reaper import reaping

# Environment variables that tell xdist's workers about the run's server.
_SERVER = "TEST_SERVER_URL"
_RUN = "TEST_RUN_NAME"
_TEMPLATE = "TEST_TEMPLATE_NAME"
_LOCK_KEY = 0x7E57_0001

# The data does not outlive the run, so commits need not wait for the disk. Tables are short:
# starting processes for a query, or compiling it, takes longer than the query.
_SETTINGS: tuple[LiteralString, ...] = (
    "synchronous_commit = off",
    "max_parallel_workers_per_gather = 0",
    "jit = off",
)

# Resets what outlives a transaction: role, settings, temporary tables, locks, cursors.
_RESET_SESSION = (
    "CLOSE ALL; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; UNLISTEN *; DISCARD TEMP;"
    " SELECT pg_advisory_unlock_all()"
)

Connection = psycopg.Connection[Any]

_run_resources = contextlib.ExitStack()
# The restorer of this process's database, once it exists.
_restorers: list[seed.Restorer] = []


def start_run(config: pytest.Config) -> None:
    """Start the run's server and name the run, in pytest's main process."""
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    os.environ[_RUN] = f"test_{os.getpid()}_{os.urandom(3).hex()}"
    given = os.environ.get("DATABASE_URL")
    if given:
        _run_resources.enter_context(reaping(_RUN))
        os.environ[_SERVER] = given
        os.environ[_TEMPLATE] = f"{os.environ[_RUN]}_template"
        return
    folder = Path(tempfile.mkdtemp(prefix="exchange-tests-"))
    _run_resources.enter_context(reaping(_RUN, folder))
    os.environ[_SERVER] = database_url(folder, "exchange_owner", "postgres")
    os.environ[_TEMPLATE] = "test_template"
    name = template_cache.template_hash(template_cache.sources())
    if not template_cache.restore_template(name, folder):
        with (
            config.stash[blocking_manager_key].unblock(),
            running_server(folder, durable=False),
        ):
            _make_template(installation=DATABASE)
        template_cache.store_template(name, folder)
    _run_resources.enter_context(running_server(folder, durable=False))


def end_run(config: pytest.Config) -> None:
    """Drop the databases of the run and stop its server."""
    if hasattr(config, "workerinput") or _SERVER not in os.environ:
        return
    try:
        if "DATABASE_URL" in os.environ:
            _drop_databases_of_run()
    finally:
        _run_resources.close()
        del os.environ[_SERVER]


def server_url(database: str) -> str:
    """Return the owner's URL of `database` on the run's server."""
    given = os.environ[_SERVER]
    if given.startswith(("postgresql://", "postgres://")):
        head, _, query = given.partition("?")
        scheme, _, rest = head.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}/{database}" + (query and f"?{query}")
    return make_conninfo(given, dbname=database)


def worker_database() -> str:
    """Return the name of this process's database."""
    return f"{os.environ[_RUN]}_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Clone this process's database from the run's template; replaces pytest-django's fixture."""
    name = worker_database()
    with django_db_blocker.unblock():
        _make_template()
        with _maintenance() as connection:
            connection.execute(_clone(os.environ[_TEMPLATE], name))
            # A clone does not inherit the privileges of its template.
            connection.execute(
                sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name))
            )
            for setting in _SETTINGS:
                connection.execute(
                    sql.SQL("ALTER DATABASE {} SET {}").format(
                        sql.Identifier(name), sql.SQL(setting)
                    )
                )
        _point_django_at(name)
    _restorers.append(seed.Restorer(server_url(name)))
    # The hook that Django's TestCase uses to keep connections.
    TransactionTestCase._should_reload_connections = _keep_connections  # type: ignore[attr-defined]
    yield
    _restorers.pop().close()
    with django_db_blocker.unblock():
        connections.close_all()
        with _maintenance() as connection:
            connection.execute(_drop(name))


@pytest.fixture
def owner_connection(django_db_setup: None) -> Iterator[Connection]:
    """Yield the schema owner's connection to this process's database, in autocommit mode."""
    with psycopg.connect(server_url(worker_database()), autocommit=True) as connection:
        yield connection


@contextlib.contextmanager
def session(role: str) -> Iterator[Connection]:
    """Connect as the owner, or with the runtime role as the application does."""
    options = "-c role=exchange_runtime" if role == "runtime" else ""
    with psycopg.connect(server_url(worker_database()), options=options) as connection:
        yield connection


@contextlib.contextmanager
def extra_database(suffix: str, *, migrated: bool = False, copy_of: str = "") -> Iterator[str]:
    """Create a second database and yield its name: empty, or a copy of the run's template.

    With `copy_of` it is a copy of that one, to which nothing is connected.
    """
    name = f"{worker_database()}_{suffix}"
    source = copy_of or (os.environ[_TEMPLATE] if migrated else "template0")
    with _maintenance() as connection:
        connection.execute(_clone(source, name))
    try:
        yield name
    finally:
        with _maintenance() as connection:
            connection.execute(_drop(name))


@contextlib.contextmanager
def django_connected_to(database: str) -> Iterator[None]:
    """Connect Django to `database` inside the block."""
    _point_django_at(database)
    ContentType.objects.clear_cache()  # ids differ between databases
    try:
        yield
    finally:
        _point_django_at(worker_database())
        ContentType.objects.clear_cache()


def restore_seed() -> None:
    """Restore every table to the rows that migrations made, in one transaction."""
    _restorers[-1].restore()


def restore_bloated_tables() -> None:
    """Restore the tables if one has grown so long that later tests would be slow."""
    for restorer in _restorers:
        restorer.restore_if_bloated()


def _make_template(installation: str = "") -> None:
    """Migrate the template if there is none yet; other processes wait for the first one.

    The database `installation`, if named, becomes a copy of it.
    """
    template = os.environ[_TEMPLATE]
    with _maintenance() as lock:
        lock.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [_LOCK_KEY, template])
        if lock.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            return
        draft = f"{template}_draft"
        lock.execute(_clone("template0", draft))
        _point_django_at(draft)
        call_command("migrate", verbosity=0, interactive=False, database="owner")
        connections.close_all()
        if installation:
            lock.execute(_drop(installation))
            lock.execute(_clone(draft, installation))
        with psycopg.connect(server_url(draft), autocommit=True) as connection:
            seed.snapshot_rows(connection)
        lock.execute(
            sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                sql.Identifier(draft), sql.Identifier(template)
            )
        )


def _keep_connections(_: TransactionTestCase) -> bool:
    """Keep connections open, which Django would close after every test that commits.

    As in the running service our SQL functions stay compiled and planned. Session state is reset.
    """
    for connection in connections.all(initialized_only=True):
        raw = connection.connection
        if raw is None:
            continue
        clean = not (connection.in_atomic_block or connection.needs_rollback)
        if clean and raw.info.transaction_status == TransactionStatus.IDLE:
            try:
                raw.execute(_RESET_SESSION)
            except psycopg.OperationalError:  # a test made the server end it
                connection.close()
        else:  # closed, or inside a transaction
            connection.close()
    return False


def _point_django_at(database: str) -> None:
    given = from_url(server_url(database))
    for alias in ("default", "owner"):
        connection = connections[alias]
        connection.close()
        for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT"):
            connection.settings_dict[key] = given[key]
        connection.settings_dict["OPTIONS"].update(
            {key: value for key, value in given["OPTIONS"].items() if key != "options"}
        )


@contextlib.contextmanager
def _maintenance() -> Iterator[Connection]:
    given = conninfo_to_dict(os.environ[_SERVER]).get("dbname") or "postgres"
    with psycopg.connect(server_url(str(given)), autocommit=True) as connection:
        yield connection


def _clone(template: str, name: str) -> sql.Composed:
    return sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
        sql.Identifier(name), sql.Identifier(template)
    )


def _drop(name: str) -> sql.Composed:
    return sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))


def _drop_databases_of_run() -> None:
    with _maintenance() as connection:
        pattern = os.environ[_RUN].replace("_", r"\_") + r"\_%"
        for (name,) in connection.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE %s", [pattern]
        ).fetchall():
            connection.execute(_drop(name))
