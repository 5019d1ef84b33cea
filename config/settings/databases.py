"""Converts a libpq database URL to Django's connection settings."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from config.settings.environment import refusal

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
