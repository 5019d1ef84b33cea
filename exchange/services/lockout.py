"""Stops the guessing of passwords and codes: tries are counted for the account and the address.

A try is counted before it is checked, by one statement that adds and reads, so that a hundred tries
at once are a hundred tries, whichever processes they reach; nobody's restart forgets them. What
succeeds is taken off again. An account is locked out whether it exists or not. Of a name only a
keyed hash is kept, since people type passwords into the wrong field.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from exchange.models import SignInTries, StaffUser

PASSWORD, CODE = "password", "code"
_SALT = "exchange.services.lockout"

# In the order of the keys that it is given, which is the same everywhere: account, then address.
_COUNT = """
INSERT INTO exchange_signintries AS t (key, tries, ends_at)
SELECT key, 1, statement_timestamp() + make_interval(mins => %s)
FROM unnest(%s::text[]) WITH ORDINALITY AS given (key, place) ORDER BY place
ON CONFLICT (key) DO UPDATE SET
    tries = CASE WHEN t.ends_at > statement_timestamp() THEN t.tries + 1 ELSE 1 END,
    ends_at = CASE WHEN t.ends_at > statement_timestamp() THEN t.ends_at ELSE excluded.ends_at END
RETURNING key, tries"""
# Once locked out, more tries make it no longer.
_LOCK = """
UPDATE exchange_signintries
SET locked_until = CASE WHEN locked_until > statement_timestamp() THEN locked_until
    ELSE statement_timestamp() + make_interval(mins => %s) END
WHERE key = %s RETURNING locked_until"""
_LOCKED = """
SELECT max(locked_until) FROM exchange_signintries
WHERE key = ANY (%s) AND locked_until > statement_timestamp()"""
_TAKE_OFF = "UPDATE exchange_signintries SET tries = tries - 1 WHERE key = %s AND tries > 0"
_PURGE = """
DELETE FROM exchange_signintries WHERE key IN (
    SELECT key FROM exchange_signintries
    WHERE greatest(ends_at, locked_until) < statement_timestamp()
    LIMIT %s FOR UPDATE SKIP LOCKED)"""
_BATCH = 1000


class LockedOut(Exception):
    """No more tries until `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.message = (
            f"Too many wrong tries. Please try again after {until.astimezone(UTC):%H:%M:%S} UTC."
        )


@dataclass(frozen=True, slots=True)
class _Counter:
    """The tries of one account or one address."""

    scope: str
    key: str

    @property
    def limit(self) -> int:
        return int(settings.SIGN_IN_TRIES[self.scope])

    def lock(self) -> datetime | None:
        return _moment(_LOCK, [_minutes(), self.key])


@dataclass(frozen=True, slots=True)
class Try:
    """A try that was counted: say what came of it."""

    account: _Counter
    address: _Counter
    used: tuple[int, int]

    def succeeded(self) -> None:
        """The account begins anew; the address is as it was before."""
        SignInTries.objects.filter(key=self.account.key).delete()
        with connection.cursor() as cursor:
            cursor.execute(_TAKE_OFF, [self.address.key])

    def failed(self) -> None:
        """Raises `LockedOut` when this was the last of the tries."""
        counters = zip((self.account, self.address), self.used, strict=True)
        _lock([counter for counter, used in counters if used >= counter.limit])


def begin(kind: str, *, account: str, address: str) -> Try:
    """Counts a try of `kind` (`PASSWORD`, `CODE`). Raises `LockedOut` instead of letting it
    through.
    """
    counters = (_counter(kind, "account", account), _counter(kind, "address", address))
    keys = [counter.key for counter in counters]
    if end := _moment(_LOCKED, [keys]):
        raise LockedOut(end)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [_minutes(), keys])
        found = dict(cursor.fetchall())
    used = (found[counters[0].key], found[counters[1].key])
    over = [c for c, count in zip(counters, used, strict=True) if count > c.limit]
    _lock(over)
    return Try(*counters, used=used)


def locked_until(user: StaffUser) -> datetime | None:
    """Until when the person's account takes no password or no code; None when it takes both."""
    return _moment(_LOCKED, [_keys_of(user)])


def forget(user: StaffUser) -> bool:
    """Forgets the tries for the person's account; whether it was locked out. Addresses stay so."""
    locked = locked_until(user) is not None
    SignInTries.objects.filter(key__in=_keys_of(user)).delete()
    return locked


def purge() -> int:
    """Removes counters whose time is over; gives how many."""
    removed = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_PURGE, [_BATCH])
            count: int = cursor.rowcount
        removed += count
        if count < _BATCH:
            return removed


def _lock(counters: Sequence[_Counter]) -> None:
    ends = [end for counter in counters if (end := counter.lock())]
    if ends:
        raise LockedOut(max(ends))


def _counter(kind: str, scope: str, who: str) -> _Counter:
    name = unicodedata.normalize("NFKC", who).strip().casefold()
    key = salted_hmac(_SALT, f"{kind}:{scope}:{name}", algorithm="sha256").hexdigest()
    return _Counter(scope, key)


def _keys_of(user: StaffUser) -> list[str]:
    return [
        _counter(PASSWORD, "account", user.username).key,
        _counter(CODE, "account", str(user.pk)).key,
    ]


def _moment(sql: str, parameters: Sequence[Any]) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        row = cursor.fetchone()
    return row[0] if row else None


def _minutes() -> int:
    return int(settings.SIGN_IN_LOCKED_MINUTES)
