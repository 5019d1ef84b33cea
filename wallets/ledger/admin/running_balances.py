"""Exports of entries with running balances."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import QueryDict

from exchange.exports.lists import read_records
from exchange.exports.sources import DateRange
from wallets.ledger.models import Entry
from wallets.ledger.selectors.wallets import balance_before

# Filters that keep whole accounts, so that a running balance is meaningful.
_WHOLE_ACCOUNT_FILTERS = frozenset(
    {
        "account__id__exact",
        "account__owner_id",
        "account_kind",
        "counts",
        "o",
    }
)


def oldest_first(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return `rows` in the order of a statement."""
    return rows.select_related("account__asset__token").order_by("id")


def statement_entries(rows: QuerySet[Any], query: str, span: DateRange) -> Iterator[Any]:
    """Return the entries, with running balances where whole accounts are exported."""
    entries = read_records(rows, query, span)
    if set(QueryDict(query)) - _WHOLE_ACCOUNT_FILTERS:
        return entries

    def opening(account_id: UUID) -> Decimal:
        return balance_before(account_id, span.begins)

    return add_running_balances(entries, opening)


def add_running_balances(
    entries: Iterator[Entry], opening: Callable[[UUID], Decimal]
) -> Iterator[Entry]:
    """Yield `entries` (oldest first) with the running balance of system accounts.

    `opening` returns an account's balance before its first entry.
    """
    running: dict[UUID, Decimal] = {}
    for entry in entries:
        if entry.balance_after is None:
            account = entry.account_id
            before = running[account] if account in running else opening(account)
            entry.balance_after = running[account] = before + entry.amount
        yield entry
