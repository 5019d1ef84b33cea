"""Stops the guessing of passwords and codes: tries are counted for the account and the address.

A try is counted before it is checked, by the cache's atomic increment, so that a hundred tries at
once are a hundred tries. What succeeds is taken off again. An account is locked out whether it
exists or not. The cache is shared by all processes where there are several (`CACHE_URL`); without
it nobody signs in.
"""

from __future__ import annotations

import hashlib
import ipaddress
import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest


class LockedOut(Exception):
    """No more tries until `until`."""

    def __init__(self, until: float) -> None:
        super().__init__(until)
        when = datetime.fromtimestamp(until, UTC)
        self.message = f"Too many wrong tries. Please try again after {when:%H:%M:%S} UTC."


@dataclass(frozen=True, slots=True)
class _Counter:
    """The tries of one account or one address."""

    scope: str
    key: str

    @property
    def limit(self) -> int:
        return int(settings.SIGN_IN_TRIES[self.scope])

    @property
    def locked_until(self) -> float:
        return float(cache.get(f"{self.key}:until", 0))

    def count(self) -> int:
        try:
            return int(cache.incr(self.key))
        except ValueError:
            if cache.add(self.key, 1, timeout=_seconds()):
                return 1
            return int(cache.incr(self.key))

    def lock(self) -> float:
        # The tries are forgotten before the lock ends: they began earlier.
        cache.add(f"{self.key}:until", time.time() + _seconds(), timeout=_seconds())
        return self.locked_until

    def forget(self) -> None:
        cache.delete_many([self.key, f"{self.key}:until"])

    def take_off(self) -> None:
        with suppress(ValueError):  # its time was over meanwhile
            cache.decr(self.key)


@dataclass(frozen=True, slots=True)
class Try:
    """A try that was counted: say what came of it."""

    account: _Counter
    address: _Counter
    used: tuple[int, int]

    def succeeded(self) -> None:
        """The account begins anew; the address is as it was before."""
        self.account.forget()
        self.address.take_off()

    def failed(self) -> None:
        """Raises `LockedOut` when this was the last of the tries."""
        counters = (self.account, self.address)
        ends = [
            counter.lock()
            for counter, used in zip(counters, self.used, strict=True)
            if used >= counter.limit
        ]
        if ends:
            raise LockedOut(max(ends))


def begin(kind: str, *, account: str, address: str) -> Try:
    """Counts a try of `kind` (password, code). Raises `LockedOut` instead of letting it through."""
    counters = (_counter(kind, "account", account), _counter(kind, "address", address))
    end = max(counter.locked_until for counter in counters)
    if end > time.time():
        raise LockedOut(end)
    used = tuple(counter.count() for counter in counters)
    ends = [c.lock() for c, count in zip(counters, used, strict=True) if count > c.limit]
    if ends:
        raise LockedOut(max(ends))
    return Try(*counters, used=(used[0], used[1]))


def address_of(request: HttpRequest) -> str:
    """Where the request comes from: the address, of IPv6 the network of a household."""
    given = str(request.META.get("REMOTE_ADDR", ""))
    hops = settings.TRUSTED_PROXIES
    if hops:
        # The last entries are those that our own proxies wrote.
        forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        given = forwarded[-hops].strip() if len(forwarded) >= hops else given
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _counter(kind: str, scope: str, who: str) -> _Counter:
    name = unicodedata.normalize("NFKC", who).strip().casefold()
    return _Counter(scope, f"signin:{kind}:{scope}:{hashlib.sha256(name.encode()).hexdigest()}")


def _seconds() -> int:
    return int(settings.SIGN_IN_LOCKED_MINUTES) * 60
