"""Lock-out against guessing of passwords and codes, per account and per network address.

A known device, a browser the user signed in from before, has its own counter: attempts elsewhere do
not lock it out, and its attempts count nowhere else.

An attempt is counted before it is checked, in one atomic statement, so that concurrent attempts all
count, across processes and restarts. Successful attempts are subtracted. Unknown accounts lock out
too. Names are stored as keyed hashes only, since people type passwords into the wrong field.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from exchange.staff.models import SignInAttempts, StaffUser

PASSWORD, CODE = "password", "code"
_SALT = "exchange.services.lockout"

# Locks in the order of the keys, always account before address.
_COUNT = """
INSERT INTO exchange_signinattempts AS t (key, attempts, ends_at)
SELECT key, 1, statement_timestamp() + make_interval(mins => %s)
FROM unnest(%s::text[]) WITH ORDINALITY AS given (key, place) ORDER BY place
ON CONFLICT (key) DO UPDATE SET
    attempts = CASE WHEN t.ends_at > statement_timestamp() THEN t.attempts + 1 ELSE 1 END,
    ends_at = CASE WHEN t.ends_at > statement_timestamp() THEN t.ends_at ELSE excluded.ends_at END
RETURNING key, attempts"""
# Further attempts do not extend a lock-out.
_LOCK = """
UPDATE exchange_signinattempts
SET locked_until = CASE WHEN locked_until > statement_timestamp() THEN locked_until
    ELSE statement_timestamp() + make_interval(mins => %s) END
WHERE key = %s RETURNING locked_until"""
_LOCKED = """
SELECT max(locked_until) FROM exchange_signinattempts
WHERE key = ANY (%s) AND locked_until > statement_timestamp()"""
_DECREMENT = """
UPDATE exchange_signinattempts SET attempts = attempts - 1 WHERE key = %s AND attempts > 0"""
_PURGE = """
DELETE FROM exchange_signinattempts WHERE key IN (
    SELECT key FROM exchange_signinattempts
    WHERE greatest(ends_at, locked_until) < statement_timestamp()
    LIMIT %s FOR UPDATE SKIP LOCKED)"""
_BATCH = 1000
_PREFIX_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Device:
    """A browser the user signed in from before."""

    user_id: UUID
    id: str


class LockedOut(Exception):
    """Raised while no attempts are accepted, until `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.message = (
            f"Too many failed attempts. Try again after {until.astimezone(UTC):%H:%M:%S} UTC."
        )


@dataclass(frozen=True, slots=True)
class _Counter:
    """The attempt counter of one account, device or address."""

    scope: str
    key: str

    @property
    def limit(self) -> int:
        return int(settings.SIGN_IN_ATTEMPTS[self.scope])

    def lock(self) -> datetime | None:
        return _fetch_time(_LOCK, [_lock_minutes(), self.key])


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """A counted attempt; report its outcome."""

    counters: Sequence[_Counter]
    counts: Sequence[int]

    def mark_succeeded(self) -> None:
        """Clear the counter of the account or device, and uncount the address."""
        account, *addresses = self.counters
        SignInAttempts.objects.filter(key=account.key).delete()
        with connection.cursor() as cursor:
            for address in addresses:
                cursor.execute(_DECREMENT, [address.key])

    def mark_failed(self) -> None:
        """Raise `LockedOut` if the limit is reached."""
        counters = zip(self.counters, self.counts, strict=True)
        _lock([counter for counter, count in counters if count >= counter.limit])


def begin_attempt(
    kind: str, *, account: str, address: str, device: Device | None = None
) -> LoginAttempt:
    """Count an attempt of `kind` (`PASSWORD`, `CODE`); a known `device` counts separately.

    Raises `LockedOut`.
    """
    if device is not None:
        counters = [_device_counter(kind, device)]
    else:
        counters = [_counter(kind, "account", account), _counter(kind, "address", address)]
    keys = [counter.key for counter in counters]
    if end := _fetch_time(_LOCKED, [keys]):
        raise LockedOut(end)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [_lock_minutes(), keys])
        found = dict(cursor.fetchall())
    counts = [found[counter.key] for counter in counters]
    _lock([c for c, count in zip(counters, counts, strict=True) if count > c.limit])
    return LoginAttempt(counters, counts)


def locked_until(user: StaffUser) -> datetime | None:
    """Return the end of the lock-out of the user's account or devices, or None."""
    ends = _counters_of(user).filter(locked_until__gt=Now()).aggregate(end=Max("locked_until"))
    found: datetime | None = ends["end"]
    return found


def clear_attempts(user: StaffUser) -> bool:
    """Clear the counters of the user's account and devices; return whether any was locked.

    Addresses stay locked.
    """
    locked = locked_until(user) is not None
    _counters_of(user).delete()
    return locked


def purge_expired() -> int:
    """Delete expired counters; return how many."""
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


def _device_counter(kind: str, device: Device) -> _Counter:
    """Build the counter of a device; its key starts with a prefix per user, for clearing."""
    mark = salted_hmac(_SALT, f"{kind}:device:{device.id}", algorithm="sha256").hexdigest()
    return _Counter("account", _device_key_prefix(device.user_id) + mark[:_PREFIX_LENGTH])


def _device_key_prefix(user_id: UUID) -> str:
    return salted_hmac(_SALT, f"devices:{user_id}", algorithm="sha256").hexdigest()[:_PREFIX_LENGTH]


def _counters_of(user: StaffUser) -> QuerySet[SignInAttempts]:
    keys = [
        _counter(PASSWORD, "account", user.username).key,
        _counter(CODE, "account", str(user.pk)).key,
    ]
    return SignInAttempts.objects.filter(
        Q(key__in=keys) | Q(key__startswith=_device_key_prefix(user.pk))
    )


def _fetch_time(sql: str, parameters: Sequence[Any]) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        row = cursor.fetchone()
    return row[0] if row else None


def _lock_minutes() -> int:
    return int(settings.SIGN_IN_LOCKED_MINUTES)
