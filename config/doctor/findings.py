"""Findings of the checks, and running the checks in bounded time.

A check is a function that yields findings. A check that raises or does not end becomes a finding
itself, and no finding contains a secret of the settings.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, connections

from exchange.core.database import sqlstate

SECONDS = 15.0
_SHORTEST_SECRET = 4
# Undefined table, insufficient privilege: a database before `migrate`.
_UNMIGRATED = {"42P01", "42501"}


class Level(StrEnum):
    """How good or bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a check saw, and what to do about it in one line (nothing when ok)."""

    level: Level
    check: str
    seen: str
    remedy: str = ""


Check = Callable[[], Iterable[Diagnosis]]


def ok(check: str, seen: str) -> Diagnosis:
    """Return a finding that needs nothing."""
    return Diagnosis(Level.OK, check, seen)


def warning(check: str, seen: str, remedy: str) -> Diagnosis:
    """Return a finding that needs attention at some time."""
    return Diagnosis(Level.WARNING, check, seen, remedy)


def problem(check: str, seen: str, remedy: str) -> Diagnosis:
    """Return a finding that needs attention now."""
    return Diagnosis(Level.PROBLEM, check, seen, remedy)


def run_checks(
    groups: dict[str, Sequence[Check]], seconds: float = SECONDS
) -> dict[str, list[Diagnosis]]:
    """Run the groups at the same time, and return the findings of each after `seconds` at most."""
    found: dict[str, list[Diagnosis]] = {name: [] for name in groups}
    threads = [
        threading.Thread(target=_run, args=(checks, found[name]), name=name, daemon=True)
        for name, checks in groups.items()
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            found[thread.name].append(
                problem("time", f"no answer within {seconds:g} seconds", "See the checks before it")
            )
    hide = _secret_remover()
    return {
        name: [replace(each, seen=hide(each.seen), remedy=hide(each.remedy)) for each in findings]
        for name, findings in found.items()
    }


def _run(checks: Sequence[Check], found: list[Diagnosis]) -> None:
    skipped: dict[str, list[str]] = {}
    try:
        for check in checks:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                for finding in check():
                    found.append(finding)
            except NotChecked as error:
                skipped.setdefault(str(error), []).append(name)
            except Exception as error:  # noqa: BLE001 - the other checks go on
                if isinstance(error, DatabaseError) and sqlstate(error) in _UNMIGRATED:
                    skipped.setdefault("tables, or rights to them, are missing", []).append(name)
                    continue
                seen = f"could not be checked: {describe_error(error)}"
                found.append(problem(name, seen, "Correct that, or report a fault"))
        for reason, names in skipped.items():
            seen = f"{', '.join(names)}: {reason}"
            found.append(warning("not checked", seen, "Correct that, then run doctor again"))
    finally:
        connections.close_all()


class NotChecked(Exception):
    """A check that needs something else first; the text says what."""


def describe_error(error: BaseException) -> str:
    """Return type and text of an error on one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200] if text else type(error).__name__


def _secret_remover() -> Callable[[str], str]:
    # The longest first: one secret may be part of another.
    secrets = sorted(_secrets(), key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "***")
        return text

    return hide


def _secrets() -> set[str]:
    """Return every secret of the settings, as it is and as URLs write it."""
    found: set[Any] = {
        settings.SECRET_KEY,
        *getattr(settings, "SECRET_KEY_FALLBACKS", []),
        *settings.FIELD_ENCRYPTION_KEYS,
        settings.PAYMENT_PROVIDER["secret_key"],
        settings.PAYMENT_PROVIDER["webhook_hash"],
        *(database.get("PASSWORD") for database in settings.DATABASES.values()),
        *(
            (database.get("OPTIONS") or {}).get("sslpassword")
            for database in settings.DATABASES.values()
        ),
    }
    for url in (settings.CELERY_BROKER_URL, *(cache.get("LOCATION") for cache in _caches())):
        found.add(urlsplit(str(url or "")).password)
    texts = {str(each) for each in found if each}
    variants = {form(text) for text in texts for form in (str, quote, unquote, _quote_all)}
    return {text for text in variants if len(text) >= _SHORTEST_SECRET}


def _caches() -> Iterable[dict[str, Any]]:
    return caches.settings.values()


def _quote_all(text: str) -> str:
    return quote(text, safe="")
