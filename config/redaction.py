"""Removes secrets from log lines: by name, by value, and by the forms they have.

The last defence: code logs no secrets. But libraries quote what they process in their errors, and
PostgreSQL quotes rows and parameters.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from structlog.typing import EventDict, WrappedLogger

REMOVED = "[removed]"

_SECRET_WORDS = (
    "authorization",
    "secret",
    "password",
    "token",
    "cookie",
    "sessionid",
    "verif-hash",
    "account_number",
)
# Ids and times, which every line has.
_HARMLESS = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z"
)
_MAX_CACHED = 100
# Shorter values would match in ordinary words.
_MIN_LENGTH = 8

_NAMES = "|".join(_SECRET_WORDS)
_FORMS = [
    # Rows, keys, parameters and statements that PostgreSQL quotes, up to its next part.
    (
        re.compile(
            r"\b(DETAIL|CONTEXT|QUERY|STATEMENT|LINE \d+):\s.*?"
            r"(?=\n(?:DETAIL|HINT|CONTEXT|QUERY|STATEMENT|LINE \d+|Traceback|The above|During)|\Z)",
            re.DOTALL,
        ),
        rf"\1: {REMOVED}",
    ),
    (re.compile(r"(invalid input \w+ for [^:\n]{1,80}): .*"), rf"\1: {REMOVED}"),
    (re.compile(r"\b(Bearer|Basic)\s{1,3}[\w.~+/-]+=*", re.IGNORECASE), rf"\1 {REMOVED}"),
    (re.compile(r"\b(whsec_|FLWSECK)[\w+/=-]+"), REMOVED),
    (re.compile(r"(://[^/\s:@]*):[^/\s@]+@"), rf"\1:{REMOVED}@"),
    # The one-time link of an invitation.
    (re.compile(r"(/welcome/[^/\s]+)/[^/\s\"']+"), rf"\1/{REMOVED}"),
    # `'client_secret': 'value'` and `client_secret=value`, but not `token_id=value`. Bounded
    # repetitions: the time must not grow with the square of a text that a client sends.
    (
        re.compile(
            rf"((?:{_NAMES})(?![\w-]{{0,30}}_id\b)[\w-]{{0,30}}[\"']?\s{{0,3}}[:=]\s{{0,3}})"
            r"(?:\"[^\"]*\"|'[^']*'|[^\s,;&\"')}\]]+)",
            re.IGNORECASE,
        ),
        rf"\1{REMOVED}",
    ),
]


def drop_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove the values of keys for credentials and bank accounts, at any depth."""
    return {key: _drop(key, value) for key, value in event.items()}


def _drop(key: object, value: Any) -> Any:
    # The id of a token is the id of an investment.
    if (
        isinstance(key, str)
        and not key.endswith("_id")
        and any(word in key.lower() for word in _SECRET_WORDS)
    ):
        return REMOVED
    if isinstance(value, dict):
        return {name: _drop(name, item) for name, item in value.items()}
    return value


def remove_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove secrets from every text of the event, the traceback included."""
    return {key: _clean(value) for key, value in event.items()}


def _clean(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {name: _clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return clean_text(str(value))


def clean_text(text: str) -> str:
    """Return `text` without secrets."""
    if _HARMLESS.fullmatch(text):
        return text
    # Most lines consist of the same few words: names, routes, levels.
    return _clean_short(text) if len(text) <= _MAX_CACHED else _clean_uncached(text)


@lru_cache(maxsize=1024)
def _clean_short(text: str) -> str:
    return _clean_uncached(text)


def _clean_uncached(text: str) -> str:
    for form, replacement in _FORMS:
        text = form.sub(replacement, text)
    return _values().sub(REMOVED, text)


@lru_cache(maxsize=1)
def _values() -> re.Pattern[str]:
    """Return a pattern of the secrets of this installation."""
    found = {value for value in _settings_secrets() if len(value) >= _MIN_LENGTH}
    # Longer first, since one may be part of another. Without any, a pattern that never matches.
    return re.compile("|".join(map(re.escape, sorted(found, key=len, reverse=True))) or r"(?!)")


def _settings_secrets() -> Iterator[str]:
    yield settings.SECRET_KEY
    yield from settings.FIELD_ENCRYPTION_KEYS
    yield settings.PAYMENT_PROVIDER["secret_key"]
    yield settings.PAYMENT_PROVIDER["webhook_hash"]
    yield settings.EMAIL_HOST_PASSWORD
    for database in settings.DATABASES.values():
        yield str(database.get("PASSWORD") or "")
    locations = [cache.get("LOCATION", "") for cache in settings.CACHES.values()]
    for url in (settings.CELERY_BROKER_URL, *locations):
        password = urlsplit(str(url)).password or ""
        yield password
        yield unquote(password)
