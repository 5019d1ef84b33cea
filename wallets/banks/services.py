"""Bank lists of the provider (fresh for 24 hours), and lookup of banks and account names.

The list of a currency is stored in one row, shared by all processes; each process caches it,
indexed, for half a minute. Never call these functions in a transaction: any of them may call the
provider.
"""

import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.utils import timezone

from exchange.core.currencies import NAME_RESOLVING_CURRENCIES, payout_currencies, resolves_names
from exchange.core.models import Currency
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.banks.bank_names import match_keys, suggest_names
from wallets.banks.errors import (
    AccountLookupUnavailable,
    AccountNotFound,
    BankListUnavailable,
    BankNotFound,
    NoBankList,
    ResolutionNotSupported,
)
from wallets.banks.models import BankList
from wallets.providers.base import AccountNotResolved, BankEntry, ProviderError, ProviderUnavailable
from wallets.providers.registry import payment_provider

log = structlog.get_logger(__name__)

# After this many seconds a process reads the stored list again.
_CACHE_SECONDS = 30.0
# The longest wait for another request that fetches the first list.
_TURN_SECONDS = 2.0


@dataclass(frozen=True)
class BankDirectory:
    """Banks of one currency, indexed by the match keys of their names."""

    banks: tuple[BankEntry, ...]
    by_spelling: dict[str, BankEntry]
    fetched_at: datetime

    @property
    def is_fresh(self) -> bool:
        """Return whether the list can be used without fetching it again."""
        return is_fresh(self.fetched_at)

    def find(self, name: str) -> BankEntry | None:
        """Return the bank of this name, preferring the exact spelling, or None."""
        for bank in self.banks:
            if bank.name == name:
                return bank
        for key in match_keys(name):
            if key in self.by_spelling:
                return self.by_spelling[key]
        return None


@dataclass(frozen=True, slots=True)
class Payee:
    """Bank and account name of a payee."""

    bank: BankEntry
    account_name: str
    resolved: bool


_cache: dict[str, tuple[float, BankDirectory]] = {}
_locks: dict[str, threading.Lock] = {}


def is_fresh(fetched_at: datetime) -> bool:
    """Return whether a list fetched then can be used without fetching it again."""
    return timezone.now() - fetched_at < timedelta(hours=settings.BANK_LIST_FRESH_HOURS)


def find_cached_bank(currency: str, name: str) -> BankEntry | None:
    """Return the bank from the cache of this process, without database or network.

    None when the cache is empty or stale, or lacks the name; then use `find_bank`.
    """
    cached = _cache.get(currency)
    if cached is None or time.monotonic() - cached[0] > _CACHE_SECONDS or not cached[1].is_fresh:
        return None
    return cached[1].find(name)


def bank_directory(currency: str) -> BankDirectory:
    """Return the banks of `currency`, fetched again unless the stored list is fresh.

    Raises `NoBankList` for a currency without payouts, `BankListUnavailable` when the provider
    fails and no list may be served.
    """
    if currency not in payout_currencies():
        raise NoBankList(currency)
    directory = _load(currency)
    if directory is not None and directory.is_fresh:
        return directory
    stale = directory if settings.BANK_LIST_SERVE_STALE else None
    lock = _locks.setdefault(currency, threading.Lock())
    # One request waits for the provider, the others not for that long.
    if not lock.acquire(timeout=0 if stale else _TURN_SECONDS):
        return _or_unavailable(stale)
    try:
        directory = _load(currency)  # another thread may have fetched it meanwhile
        if directory is not None and directory.is_fresh:
            return directory
        return refresh_bank_list(currency)
    except BankListUnavailable:
        return _or_unavailable(stale)
    finally:
        lock.release()


def _or_unavailable(stale: BankDirectory | None) -> BankDirectory:
    if stale is None:
        raise BankListUnavailable
    return stale


def refresh_bank_list(currency: str) -> BankDirectory:
    """Fetch and store the list. Raises `BankListUnavailable`, leaving the stored list as it is."""
    try:
        banks = payment_provider().list_banks(currency)
    except ProviderError as error:
        log.warning("bank_list_failed", currency=currency, error=str(error))
        raise_alert(
            "bank_list",
            subject=currency,
            message=f"The {currency} bank list could not be fetched: {error}",
        )
        raise BankListUnavailable from error
    BankList.objects.update_or_create(
        currency_id=currency,
        defaults={
            "banks": [{"id": bank.id, "name": bank.name, "code": bank.code} for bank in banks],
            "fetched_at": timezone.now(),
        },
    )
    resolve_alert("bank_list", subject=currency)
    _cache.pop(currency, None)
    directory = _load(currency)
    if directory is None:
        raise BankListUnavailable
    return directory


def find_bank(currency: str, name: str) -> BankEntry:
    """Return the bank of this name. Raises `BankNotFound`, or as `bank_directory`."""
    directory = bank_directory(currency)
    bank = directory.find(name)
    if bank is None:
        # Another process may have fetched a newer list.
        _cache.pop(currency, None)
        directory = bank_directory(currency)
        bank = directory.find(name)
    if bank is None:
        suggestions = suggest_names(name, (bank.name for bank in directory.banks))
        raise BankNotFound(bank_name=name, currency=currency, suggestions=suggestions)
    return bank


def find_payee(*, currency: str, bank: BankEntry, account_number: str, provided_name: str) -> Payee:
    """Return the payee; for NGN the name that the provider resolves replaces the given one.

    If resolution fails, the given name stays and the payee is not `resolved`, which approvers see.
    """
    if not resolves_names(currency):
        return Payee(bank, provided_name, resolved=False)
    try:
        account = payment_provider().resolve_account(
            account_number=account_number, bank_code=bank.code, currency=currency
        )
    except ProviderError as error:
        log.info("account_name_unavailable", currency=currency, error=str(error))
        return Payee(bank, provided_name, resolved=False)
    return Payee(bank, account.account_name[:200], resolved=True)


def resolve_account_name(*, currency: str, bank_name: str, account_number: str) -> Payee:
    """Resolve the holder of an account, for a client before it withdraws.

    Raises `ResolutionNotSupported` where the provider resolves no names, `BankNotFound`,
    `AccountNotFound`, `BankListUnavailable` or `AccountLookupUnavailable`.
    """
    if not resolves_names(currency):
        raise ResolutionNotSupported(currency=currency, supported=sorted(NAME_RESOLVING_CURRENCIES))
    bank = find_bank(currency, bank_name)
    try:
        account = payment_provider().resolve_account(
            account_number=account_number, bank_code=bank.code, currency=currency
        )
    except AccountNotResolved as error:
        raise AccountNotFound from error
    except ProviderUnavailable as error:
        raise AccountLookupUnavailable from error
    return Payee(bank, account.account_name, resolved=True)


def clear_bank_cache() -> None:
    """Empty the cache of this process."""
    _cache.clear()


def _load(currency: str) -> BankDirectory | None:
    cached = _cache.get(currency)
    if cached is not None and time.monotonic() - cached[0] <= _CACHE_SECONDS:
        return cached[1]
    row = BankList.objects.filter(currency_id=currency).first()
    if row is None:
        return None
    if cached is not None and cached[1].fetched_at == row.fetched_at:
        directory = cached[1]
    else:
        directory = _index_banks(row.banks, row.fetched_at)
    _cache[currency] = (time.monotonic(), directory)
    return directory


def _index_banks(rows: list[dict[str, Any]], fetched_at: datetime) -> BankDirectory:
    banks = tuple(BankEntry(id=row["id"], name=row["name"], code=row["code"]) for row in rows)
    by_spelling: dict[str, BankEntry] = {}
    for bank in banks:
        for key in match_keys(bank.name):
            by_spelling.setdefault(key, bank)
    return BankDirectory(banks, by_spelling, fetched_at)


# Lists are fetched again this long before they become stale.
_REFRESH_AHEAD = timedelta(hours=4)


def refresh_bank_lists() -> dict[str, bool]:
    """Fetch the lists that become stale soon, and return by currency whether it succeeded."""
    limit = timezone.now() - timedelta(hours=settings.BANK_LIST_FRESH_HOURS) + _REFRESH_AHEAD
    fresh = set(BankList.objects.filter(fetched_at__gt=limit).values_list("currency_id", flat=True))
    outcome: dict[str, bool] = {}
    for code in Currency.objects.exclude(country="").values_list("code", flat=True):
        if code in fresh:
            continue
        try:
            refresh_bank_list(code)
        except BankListUnavailable:
            outcome[code] = False
        else:
            outcome[code] = True
    return outcome
