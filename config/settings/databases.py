"""Connection settings of Django: from libpq URLs, for the runtime role, a replica and the owner."""

import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from config.settings.environment import env, refusal
from exchange.core.timed_connection import TimedConnection

RUNTIME_ROLE = "exchange_runtime"
# The longest wait of a statement for a lock: a waiting request holds a thread.
LOCK_WAIT = "10s"
# On one hot wallet more connections are slower, not faster (docs/operations/grow.md).
POOL_SIZE = env.integer("DATABASE_POOL_SIZE", default=8, low=1, high=200)

_NAMES = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
_FORM = "Give postgresql://user:password@host:port/name, with %XX for special characters"
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


def from_url(url: str, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Return the settings for `url` (`postgresql://user:password@host:port/name?sslmode=…`).

    A socket's folder is percent-encoded as the host, or `?host=/folder`. Raises
    ImproperlyConfigured, without the URL since it may contain a password.
    """
    if not url.startswith(("postgresql://", "postgres://")):
        raise refusal(variable, "does not begin with postgresql://", _FORM)
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise refusal(variable, "is not a valid PostgreSQL URL", _FORM) from None
    settings: dict[str, Any] = {
        "ENGINE": "django.db.backends.postgresql",
        **{django: str(parts.pop(libpq, "") or "") for libpq, django in _NAMES.items()},
        "OPTIONS": {name: value for name, value in parts.items() if value is not None},
    }
    if not settings["NAME"]:
        raise refusal(variable, "names no database", _FORM)
    if not settings["HOST"] and "hostaddr" not in parts:
        raise refusal(variable, "names no host", f"{_FORM}, or …/name?host=/folder for a socket")
    if not re.fullmatch(r"[0-9,]*", settings["PORT"]) or any(
        not 0 < int(port) < 65536 for port in settings["PORT"].split(",") if port
    ):
        raise refusal(variable, "has a port that is none", "Give a port from 1 to 65535")
    if (mode := parts.get("sslmode")) and mode not in _SSL_MODES:
        raise refusal(variable, "has an unknown sslmode", f"Give one of: {', '.join(_SSL_MODES)}")
    if "options" in parts:
        raise refusal(
            variable,
            "has options, which the service sets itself",
            "Remove them; ALTER ROLE … SET gives a login further settings",
        )
    return settings


def runtime_database(base: dict[str, Any], pooler: str = "") -> dict[str, Any]:
    """Return the `default` alias for `base`: pooled, with the runtime role.

    Threads of the web server keep their connections instead (`config.wsgi`).
    Behind the `pooler` PgBouncer the login has these options as its own settings.
    """
    options = {
        # Prepares the server-bound calls of `exchange.core.database` at first use.
        "prepare_threshold": 1,
        "connect_timeout": 5,
        **base.get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": POOL_SIZE, "timeout": 15},
        # JIT compilation takes longer than any query of ours.
        "options": f"-c role={RUNTIME_ROLE} -c timezone=UTC -c jit=off -c lock_timeout={LOCK_WAIT}",
    }
    if pooler == "pgbouncer":
        options["prepare_threshold"] = None
        del options["options"]
    return {**base, "OPTIONS": options, "CONN_MAX_AGE": 0}


def replica_database(primary: dict[str, Any], pooler: str = "") -> dict[str, Any] | None:
    """Return the `replica` alias for DATABASE_REPLICA_URL, or None without one.

    As the alias of the `primary`, but giving up soon.
    """
    url = env.database_url("DATABASE_REPLICA_URL")
    if not url:
        return None
    given = from_url(url, "DATABASE_REPLICA_URL")
    if all(given[name] == primary[name] for name in ("HOST", "PORT", "NAME")):
        raise refusal(
            "DATABASE_REPLICA_URL", "is the address of DATABASE_URL", "Give that of a replica"
        )
    database = runtime_database(given, pooler)
    options = database["OPTIONS"]
    options["pool"] = {
        "min_size": 0,
        "max_size": POOL_SIZE,
        "timeout": 1,
        "connection_class": TimedConnection,
    }
    options["connect_timeout"] = given["OPTIONS"].get("connect_timeout", 2)
    return {**database, "TEST": {"MIRROR": "default"}}


def owner_database(base: dict[str, Any]) -> dict[str, Any]:
    """Return the `owner` alias for `base`, without pool or role: for migrations and maintenance."""
    return {**base, "TEST": {"MIRROR": None}}
