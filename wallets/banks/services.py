"""Bank lists of the provider, kept 24 hours, and finding the bank and account name of a request.

The list of a currency lives in one row, so that all processes share it and it survives a restart;
each process also keeps it indexed in memory and looks at the row again every half minute. Nothing
here may be called inside a transaction: any call may have to ask the provider.
"""

from __future__ import annotations

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

# Each process looks at the stored list again after this many seconds.
_CACHE_SECONDS = 30.0


@dataclass(frozen=True)
class BankDirectory:
    """One currency's banks, indexed by every spelling of their names."""

    banks: tuple[BankEntry, ...]
    by_spelling: dict[str, BankEntry]
    fetched_at: datetime

    @property
    def is_fresh(self) -> bool:
        """Whether the list may still be used without asking the provider."""
        return is_fresh(self.fetched_at)

    def find(self, name: str) -> BankEntry | None:
        """The bank of this name, or None. The exact spelling wins over an equivalent one."""
        for bank in self.banks:
            if bank.name == name:
                return bank
        for key in match_keys(name):
            if key in self.by_spelling:
                return self.by_spelling[key]
        return None


@dataclass(frozen=True, slots=True)
class Payee:
    """Bank and account name a withdrawal will be paid to."""

    bank: BankEntry
    account_name: str
    resolved: bool


_cache: dict[str, tuple[float, BankDirectory]] = {}
_locks: dict[str, threading.Lock] = {}


def is_fresh(fetched_at: datetime) -> bool:
    """Whether a list fetched then may still be used without asking the provider."""
    return timezone.now() - fetched_at < timedelta(hours=settings.BANK_LIST_FRESH_HOURS)


def find_cached_bank(currency: str, name: str) -> BankEntry | None:
    """The bank from this process's own memory, touching neither database nor network.

    None when the memory is cold or stale, or the name is not in it: then ask `find_bank`.
    """
    cached = _cache.get(currency)
    if cached is None or time.monotonic() - cached[0] > _CACHE_SECONDS or not cached[1].is_fresh:
        return None
    return cached[1].find(name)


def bank_directory(currency: str) -> BankDirectory:
    """The banks of `currency`; asks the provider when the stored list is not fresh.

    Raises `NoBankList` for a currency that is not paid out, `BankListUnavailable` when the
    provider fails and no list may be served.
    """
    if currency not in payout_currencies():
        raise NoBankList(currency)
    directory = _load(currency)
    if directory is not None and directory.is_fresh:
        return directory
    with _locks.setdefault(currency, threading.Lock()):
        directory = _load(currency)  # somebody else may have fetched it while we waited
        if directory is not None and directory.is_fresh:
            return directory
        try:
            return refresh_bank_list(currency)
        except BankListUnavailable:
            if directory is not None and settings.BANK_LIST_SERVE_STALE:
                return directory
            raise


def refresh_bank_list(currency: str) -> BankDirectory:
    """Fetches and stores the list. Raises `BankListUnavailable`, keeping what is stored."""
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
    """The bank of exactly this name. Raises `BankNotFound` with close names, or as above."""
    directory = bank_directory(currency)
    bank = directory.find(name)
    if bank is None:
        # Another process may have fetched a newer list since this one last looked.
        _cache.pop(currency, None)
        directory = bank_directory(currency)
        bank = directory.find(name)
    if bank is None:
        suggestions = suggest_names(name, (bank.name for bank in directory.banks))
        raise BankNotFound(bank_name=name, currency=currency, suggestions=suggestions)
    return bank


def find_payee(*, currency: str, bank: BankEntry, account_number: str, given_name: str) -> Payee:
    """Who will be paid: for NGN the provider's name of the account replaces the given one.

    When the name cannot be had (not found, or the provider does not answer), the given one stays
    and the payee is not `resolved`: the approver sees that.
    """
    if not resolves_names(currency):
        return Payee(bank, given_name, resolved=False)
    try:
        account = payment_provider().resolve_account(
            account_number=account_number, bank_code=bank.code, currency=currency
        )
    except ProviderError as error:
        log.info("account_name_unavailable", currency=currency, error=str(error))
        return Payee(bank, given_name, resolved=False)
    return Payee(bank, account.account_name[:200], resolved=True)


def resolve_account_name(*, currency: str, bank_name: str, account_number: str) -> Payee:
    """The holder of an account, asked for by a client before it withdraws.

    Raises `ResolutionNotSupported` where the provider tells no names, `BankNotFound`,
    `AccountNotFound`, `BankListUnavailable` or `AccountLookUpUnavailable`.
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
    """Empties this process's memory, so that the next look reads the stored lists."""
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


# Lists are fetched again this long before they stop being fresh.
_REFRESH_AHEAD = timedelta(hours=4)


def refresh_bank_lists() -> dict[str, bool]:
    """Fetches the lists that stop being fresh soon; per currency, whether it worked."""
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
