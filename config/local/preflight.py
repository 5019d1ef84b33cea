"""Checks a given PostgreSQL server before anything is started."""

import re

import psycopg

from config.settings.databases import from_url

MINIMUM_MAJOR = 15


class ServerUnusable(Exception):
    """The server cannot be used; the message is one line without the URL's password."""


def check_server(url: str, variable: str = "DATABASE_URL") -> None:
    """Connect to `url` and check its version.

    Raises ServerUnusable, or ImproperlyConfigured if `url` is not a PostgreSQL URL.
    """
    from_url(url, variable)
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            version = connection.info.server_version
    except psycopg.Error as error:
        raise ServerUnusable(f"{variable} cannot be used: {one_line(error)}") from error
    if version < MINIMUM_MAJOR * 10_000:
        raise ServerUnusable(
            f"{variable} is PostgreSQL {version // 10_000}; {MINIMUM_MAJOR} or newer is needed."
        )


def one_line(error: BaseException) -> str:
    """Return the error's text on one line, without passwords of URLs."""
    text = " ".join(str(error).split()) or type(error).__name__
    return re.sub(r"(://[^:/@\s]*:)[^@\s]*@", r"\1***@", text)
