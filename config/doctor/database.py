"""Checks of PostgreSQL: connection, role, safety, clock, migrations; and of the replica.

They use connections like the service's, with short time-outs and without a pool.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.checks import is_local
from config.database_version import EarlierVersionError, require_upgradable
from config.doctor.findings import Diagnosis, describe_error, ok, problem, run_checks, warning
from config.doctor.machine import clock_finding, is_production
from config.doctor.staff import check_people
from exchange.core import replica, sqlfiles
from exchange.core.database import Row, fetch_all

ALIAS, REPLICA = "doctor", "doctor_replica"
_CONNECT_SECONDS = 3
_STATEMENT_SECONDS = 4
_MIGRATE = "Run manage.py migrate where DATABASE_OWNER_URL is set"
_ROLES = "Follow Database roles in docs/operations/install.md"
# What `off` causes, whether that is a problem, and its remedy.
_SERVER_SETTINGS = {
    "fsync": ("a crash of the machine corrupts the database", True, "Turn it on"),
    "full_page_writes": ("a crash of the machine corrupts the database", True, "Turn it on"),
    "synchronous_commit": ("a crash loses payments that were acknowledged", True, "Turn it on"),
    "autovacuum": ("tables grow and get slow", True, "Turn it on"),
    "track_counts": ("autovacuum cannot work: tables grow and get slow", True, "Turn it on"),
    "data_checksums": ("damage of the disk is not noticed", False, "Run pg_checksums --enable"),
    "archive_mode": (
        "only the moments of full backups can be restored",
        False,
        "Follow Set up the archive in docs/operations/back-up.md",
    ),
}
_IDENTITY = """
SELECT (SELECT system_identifier FROM pg_control_system()), current_database()::text
"""


def check_database() -> Iterator[Diagnosis]:
    """Connect, and report what stands in the database as far as it can be read."""
    try:
        raw = _connect(ALIAS, "default")
    except DatabaseError as error:
        failure = describe_error(error)
        role_missing = f'role "{settings.DATABASE_RUNTIME_ROLE}" does not exist' in failure
        remedy = _ROLES if role_missing else "Start the server, or correct DATABASE_URL"
        yield problem("database", failure, remedy)
        return
    yield ok("database", f"PostgreSQL {raw.info.server_version // 10_000}")
    yield _encryption(raw, "encryption", "DATABASE_URL")
    yield from run_checks((check_role, check_server, check_collation, check_clock, check_replica))
    migrations = list(run_checks([check_migrations]))
    yield from migrations
    if all(not each.remedy for each in migrations):
        yield from run_checks([lambda: check_people(ALIAS)])
    else:
        yield warning("staff", "not checked without its tables", "Run doctor after migrate")


def _connect(alias: str, examined: str) -> psycopg.Connection[Any]:
    """Return a connection to the database `examined`, which is `alias` from here on."""
    database = connections.settings[examined]
    options = {
        **{name: value for name, value in database["OPTIONS"].items() if name != "pool"},
        "connect_timeout": _CONNECT_SECONDS,
        # Also works through a pooler that DATABASE_POOLER does not name.
        "prepare_threshold": None,
    }
    if "options" in options:
        # PgBouncer takes no start-up options.
        options["options"] += f" -c statement_timeout={_STATEMENT_SECONDS}s"
    connections.settings[alias] = {**database, "OPTIONS": options}
    connections[alias].ensure_connection()
    raw: psycopg.Connection[Any] = connections[alias].connection
    return raw


def _rows(sql: str, parameters: Sequence[Any] = (), alias: str = ALIAS) -> list[Row]:
    return fetch_all(sql, parameters, using=alias)


def _encryption(raw: psycopg.Connection[Any], check: str, variable: str) -> Diagnosis:
    mode = raw.info.get_parameters().get("sslmode", "prefer")
    if is_local(raw.info.host):
        return ok(check, "not needed: the server is on this machine")
    if not raw.pgconn.ssl_in_use:
        return problem(
            check,
            "passwords and data cross the network in plain text",
            f"Turn on ssl in PostgreSQL, and add ?sslmode=verify-full to {variable}",
        )
    if mode != "verify-full":
        return warning(
            check,
            f"sslmode={mode} does not check which server answers",
            f"Add ?sslmode=verify-full&sslrootcert=/file to {variable}",
        )
    return ok(check, "TLS, certificate verified")


def check_role(alias: str = ALIAS, name: str = "role") -> Iterator[Diagnosis]:
    """Report whether the connection acts as the runtime role, and its settings."""
    [(current, login, superuser, owned, *found)] = _rows(
        "SELECT current_user::text, session_user::text, rolsuper,"
        " (SELECT count(*) FROM pg_class"
        "  WHERE relnamespace = 'public'::regnamespace AND relowner = r.oid),"
        " current_setting('TimeZone'), current_setting('jit'), current_setting('lock_timeout')"
        " FROM pg_roles r WHERE rolname = session_user",
        alias=alias,
    )
    expected = settings.DATABASE_RUNTIME_ROLE
    if current != expected:
        remedy = "Give the login its settings, as in docs/cluster/roles.sql"
        yield problem(
            name,
            f"acts as {current}, not as {expected}",
            remedy if settings.DATABASE_POOLER else _ROLES,
        )
    elif superuser:
        yield problem(name, f"the login {login} is a superuser", _ROLES)
    elif owned:
        yield problem(name, f"the login {login} owns {owned} tables and indexes", _ROLES)
    else:
        yield ok(name, f"{login} acts as {current}")
    wanted = {"TimeZone": "UTC", "jit": "off", "lock_timeout": settings.DATABASE_LOCK_WAIT}
    for (setting, value), given in zip(wanted.items(), found, strict=True):
        if given != value:
            remedy = f"ALTER ROLE {login} SET {setting} = '{value}'"
            yield problem(name, f"{setting} is {given}", remedy)


def check_server() -> Iterator[Diagnosis]:
    """Report settings of the server that decide whether money or its records can be lost."""
    found: dict[str, str] = dict(
        _rows(
            "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)",
            [[*_SERVER_SETTINGS, "synchronous_standby_names"]],
        )
    )
    for name, (effect, serious, remedy) in _SERVER_SETTINGS.items():
        if found[name] == "off" and (serious or is_production()):
            yield (problem if serious else warning)(name, f"off: {effect}", remedy)
    standbys = found["synchronous_standby_names"]
    if standbys and found["synchronous_commit"] == "local":
        yield problem(
            "standbys",
            f"synchronous_commit = local does not wait for {standbys}",
            "Set synchronous_commit = on, also where a role or the database sets it",
        )
    elif standbys:
        yield ok("standbys", f"synchronous: {standbys}")
    elif is_production():
        yield warning(
            "standbys",
            "none is synchronous: the loss of this server loses the last payments",
            "Add a synchronous standby (docs/cluster/README.md)",
        )


def check_collation() -> Iterator[Diagnosis]:
    """Report a system library that sorts otherwise than the indexes were built."""
    [(collation, recorded, actual)] = _rows(
        "SELECT datcollate, datcollversion, pg_database_collation_actual_version(oid)"
        " FROM pg_database WHERE datname = current_database()"
    )
    # A database of PostgreSQL 14 has none recorded.
    if recorded and recorded != actual:
        yield problem(
            "collation",
            f"{collation} changed from {recorded} to {actual}: indexes of text may be wrong",
            "Run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION",
        )


def check_clock() -> Iterator[Diagnosis]:
    """Compare this machine's clock with the database's."""
    before = datetime.now(UTC)
    [(there,)] = _rows("SELECT clock_timestamp()")
    after = datetime.now(UTC)
    yield clock_finding("database clock", (there - before - (after - before) / 2).total_seconds())


def check_replica() -> Iterator[Diagnosis]:
    """Report whether DATABASE_REPLICA_URL is a replica of DATABASE_URL, with the same rights."""
    if not replica.is_configured():
        return
    try:
        raw = _connect(REPLICA, replica.ALIAS)
    except DatabaseError as error:
        yield problem(
            "replica",
            f"{describe_error(error)}; the primary serves all lists",
            "Start the replica, or correct DATABASE_REPLICA_URL",
        )
        return
    standby = _rows("SELECT pg_is_in_recovery()", alias=REPLICA) == [(True,)]
    if standby and _rows(_IDENTITY) == _rows(_IDENTITY, alias=REPLICA):
        yield ok("replica", "replicates the database of DATABASE_URL")
    else:
        yield problem(
            "replica",
            "a replica of another database" if standby else "a primary, so no list is read from it",
            "Point DATABASE_REPLICA_URL at a streaming replica of the database of DATABASE_URL",
        )
    yield _encryption(raw, "replica encryption", "DATABASE_REPLICA_URL")
    yield from check_role(REPLICA, "replica role")


def check_migrations() -> Iterator[Diagnosis]:
    """Report whether migrations and SQL are those of this version."""
    try:
        require_upgradable(ALIAS)
    except EarlierVersionError as error:
        yield problem("migrations", str(error), _ROLES)
        return
    own = set(MigrationLoader(None).disk_migrations or ())
    if missing := own - set(MigrationRecorder(connections[ALIAS]).applied_migrations()):
        names = ", ".join(".".join(each) for each in sorted(missing)[:3])
        yield problem("migrations", f"{len(missing)} are missing: {names} …", _MIGRATE)
    elif not sqlfiles.is_installed(ALIAS):
        yield problem("sql", "functions, triggers and rights are of another version", _MIGRATE)
    else:
        yield ok("migrations", f"all {len(own)} are applied, and the SQL is of this version")
