"""Checks of the connection to PostgreSQL, and of the server's safety.

`examine_session` and `examine_role` are also for the replica.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.migrations.loader import MigrationLoader

from config.doctor.findings import Diagnosis, NotChecked, ok, problem, warning
from config.doctor.session import (
    ALIAS,
    connect,
    connection_failure,
    is_production,
    require_database,
    rows,
    value,
)
from config.local.preflight import MINIMUM_MAJOR
from exchange.core import sqlfiles

_MIGRATE = "Run manage.py migrate where DATABASE_OWNER_URL is set"
_ROLES = "Follow Database roles in docs/operations/install.md"


def check_connection() -> Iterator[Diagnosis]:
    """Connect, and report version, state, pooler and encryption of the connection."""
    try:
        connect()
    except DatabaseError as error:
        failure = connection_failure(error)
        role_missing = f'role "{settings.DATABASE_RUNTIME_ROLE}" does not exist' in failure
        remedy = _ROLES if role_missing else "Start the server, or correct DATABASE_URL"
        yield problem("connection", failure, remedy)
        return
    version = connections[ALIAS].connection.info.server_version
    if version < MINIMUM_MAJOR * 10_000:
        yield problem(
            "version", f"PostgreSQL {version // 10_000}", f"Upgrade to {MINIMUM_MAJOR} or newer"
        )
    else:
        yield ok("version", f"PostgreSQL {version // 10_000}.{version % 10_000}")
    if value("SELECT pg_is_in_recovery()"):
        yield problem(
            "primary", "a standby, which takes no writes", "Point DATABASE_URL at the primary"
        )
    yield from examine_session(ALIAS, "DATABASE_URL")


def examine_session(alias: str, variable: str) -> Iterator[Diagnosis]:
    """Report pooler and encryption of the open connection `alias` to the URL of `variable`."""
    raw: psycopg.Connection[Any] = connections[alias].connection
    # A pooler answers with a process id of its own.
    yield _pooler(raw.info.backend_pid != value("SELECT pg_backend_pid()", alias=alias), variable)
    yield _encryption(raw, variable)


def _pooler(pooled: bool, variable: str) -> Diagnosis:
    declared = bool(getattr(settings, "DATABASE_POOLER", ""))
    if pooled and not declared:
        return problem(
            "pooler",
            "the connection goes through a pooler, which DATABASE_POOLER does not name",
            f"Set DATABASE_POOLER=pgbouncer, or point {variable} at PostgreSQL",
        )
    if declared and not pooled:
        return warning(
            "pooler",
            "DATABASE_POOLER is set, but the connection is direct: nothing is prepared",
            f"Remove DATABASE_POOLER, or point {variable} at PgBouncer",
        )
    return ok("pooler", "PgBouncer" if pooled else "none")


def _encryption(raw: psycopg.Connection[Any], variable: str) -> Diagnosis:
    mode = raw.info.get_parameters().get("sslmode", "prefer")
    if is_local(raw.info.host):
        return ok("encryption", "not needed: the server is on this machine")
    if not raw.pgconn.ssl_in_use:
        return problem(
            "encryption",
            "passwords and data cross the network in plain text",
            f"Turn on ssl in PostgreSQL, and add ?sslmode=verify-full to {variable}",
        )
    if mode != "verify-full":
        return warning(
            "encryption",
            f"sslmode={mode} does not check which server answers",
            f"Add ?sslmode=verify-full&sslrootcert=/file to {variable}",
        )
    return ok("encryption", "TLS, certificate verified")


def is_local(host: str) -> bool:
    """Return whether `host` is a socket's folder or this machine."""
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_role() -> Iterator[Diagnosis]:
    """Report whether the service acts as the runtime role, and its settings."""
    require_database()
    yield from examine_role(ALIAS)


def examine_role(alias: str) -> Iterator[Diagnosis]:
    """Report whether the connection `alias` acts as the runtime role, and its settings."""
    [(current, login, superuser, zone, jit, lock_wait)] = rows(
        "SELECT current_user::text, session_user::text, rolsuper, current_setting('TimeZone'),"
        " current_setting('jit'), current_setting('lock_timeout')"
        " FROM pg_roles WHERE rolname = session_user",
        alias=alias,
    )
    expected = settings.DATABASE_RUNTIME_ROLE
    remedy = _ROLES
    if getattr(settings, "DATABASE_POOLER", ""):
        remedy = "Give the login its settings, as in docs/cluster/roles.sql"
    if current != expected:
        yield problem("role", f"acts as {current}, not as {expected}", remedy)
    elif superuser:
        yield problem("role", f"the login {login} is a superuser", remedy)
    elif owned := value(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relowner = (SELECT oid FROM pg_roles WHERE rolname = session_user)",
        alias=alias,
    ):
        yield problem("role", f"the login {login} owns {owned} tables and indexes", remedy)
    else:
        yield ok("role", f"{login} acts as {current}")
    for name, found, wanted in (
        ("TimeZone", zone, "UTC"),
        ("jit", jit, "off"),
        ("lock_timeout", lock_wait, settings.DATABASE_LOCK_WAIT),
    ):
        if found != wanted:
            yield problem(
                "role", f"{name} is {found}", f"ALTER ROLE {login} SET {name} = '{wanted}'"
            )


def check_migrations() -> Iterator[Diagnosis]:
    """Report whether migrations and SQL are those of this version."""
    require_database()
    own = set(MigrationLoader(None).disk_migrations or ())
    applied = set(rows("SELECT app, name FROM django_migrations"))
    if missing := own - applied:
        names = ", ".join(".".join(each) for each in sorted(missing)[:3])
        yield problem("migrations", f"{len(missing)} are missing: {names} …", _MIGRATE)
        return
    yield ok("migrations", f"all {len(own)} are applied")
    if sqlfiles.is_installed(ALIAS):
        yield ok("sql", "functions, triggers and rights are those of this version")
    else:
        yield problem("sql", "functions, triggers and rights are of another version", _MIGRATE)


def check_durability() -> Iterator[Diagnosis]:
    """Report settings that decide whether a committed transaction can be lost."""
    require_database()
    found = _server_settings(
        "fsync",
        "full_page_writes",
        "synchronous_commit",
        "synchronous_standby_names",
        "data_checksums",
    )
    unsafe = [name for name in ("fsync", "full_page_writes") if found[name] != "on"]
    for name in unsafe:
        yield problem(name, "off: a crash of the machine corrupts the database", f"Set {name} = on")
    commit = found["synchronous_commit"]
    if commit == "off":
        yield problem(
            "synchronous_commit",
            "off: a crash loses payments that were acknowledged",
            "Set synchronous_commit = on",
        )
    elif not unsafe:
        yield ok("durability", f"fsync, full_page_writes, synchronous_commit = {commit}")
    if found["data_checksums"] != "on":
        yield warning(
            "checksums", "off: damage of the disk is not noticed", "Run pg_checksums --enable"
        )
    yield from _replication(commit, found["synchronous_standby_names"])


def _replication(commit: str, standby_names: str) -> Iterator[Diagnosis]:
    connected = value("SELECT count(*) FROM pg_stat_replication")
    if standby_names and commit in {"local", "off"}:
        yield problem(
            "standbys",
            f"synchronous_commit = {commit} does not wait for {standby_names}",
            "Set synchronous_commit = on, also where a role or the database sets it",
        )
    elif standby_names:
        yield ok("standbys", f"{connected} connected, synchronous: {standby_names}")
    elif connected:
        yield warning(
            "standbys",
            f"{connected} connected, none synchronous: a failover loses the last payments",
            "Set synchronous_standby_names, or Patroni's synchronous_mode",
        )
    elif is_production():
        yield warning(
            "standbys",
            "none: the loss of this server loses what its last backup does not have",
            "Add a synchronous standby (docs/cluster/README.md)",
        )


def check_text() -> Iterator[Diagnosis]:
    """Report encoding and collation."""
    require_database()
    [(encoding, collation, recorded, actual)] = rows(
        "SELECT pg_encoding_to_char(encoding), datcollate, datcollversion,"
        " pg_database_collation_actual_version(oid)"
        " FROM pg_database WHERE datname = current_database()"
    )
    if encoding != "UTF8":
        yield problem(
            "encoding", encoding, "Create the database with ENCODING 'UTF8' and restore it"
        )
    # A database of PostgreSQL 14 has none recorded.
    if recorded and recorded != actual:
        yield problem(
            "collation",
            f"{collation} changed from {recorded} to {actual}: indexes of text may be wrong",
            "Run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION",
        )
    else:
        yield ok("text", f"{encoding}, collation {collation}")


def check_books() -> Iterator[Diagnosis]:
    """Report the last proof of books."""
    require_database()
    found = rows(
        "SELECT passed, extract(epoch FROM now() - ran_at)::float8 / 3600"
        " FROM wallets_booksproof ORDER BY ran_at DESC LIMIT 1"
    )
    if not found:
        yield warning("books", "never proven", "See that beat and a worker run, which prove them")
        return
    [(passed, hours)] = found
    if not passed:
        yield problem(
            "books",
            f"do not hold ({hours:.0f} hours ago)",
            "Stop the workers and follow Proof of books in docs/operations/watch.md",
        )
    elif hours > 26:
        yield warning(
            "books", f"hold, but proven {hours:.0f} hours ago", "See that beat and a worker run"
        )
    else:
        yield ok("books", f"hold, proven {hours:.0f} hours ago")


def _server_settings(*names: str) -> dict[str, str]:
    found: dict[str, str] = dict(
        rows("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(names)])
    )
    if missing := set(names) - set(found):
        raise NotChecked(f"the server does not show {', '.join(sorted(missing))}")
    return found


CHECKS = (check_connection, check_role, check_migrations, check_durability, check_text, check_books)
