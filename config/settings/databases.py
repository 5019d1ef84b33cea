"""Converts a libpq database URL to Django's connection settings."""

from __future__ import annotations

from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

_NAMES = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


def from_url(url: str, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Return the settings for `url` (`postgresql://user:password@host:port/name?sslmode=…`).

    A socket's folder is percent-encoded as the host, or `?host=/folder`. Raises
    ImproperlyConfigured, without the URL since it may contain a password.
    """
    if not url.startswith(("postgresql://", "postgres://")):
        raise ImproperlyConfigured(f"{variable} must begin with postgresql://")
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ImproperlyConfigured(f"{variable} is not a valid PostgreSQL URL.") from None
    settings: dict[str, Any] = {
        "ENGINE": "django.db.backends.postgresql",
        **{django: str(parts.pop(libpq, "") or "") for libpq, django in _NAMES.items()},
        "OPTIONS": {name: value for name, value in parts.items() if value is not None},
    }
    if not settings["NAME"]:
        raise ImproperlyConfigured(f"{variable} names no database.")
    return settings
