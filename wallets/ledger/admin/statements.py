"""How files of entries are read: as statements, with a running balance of whole accounts."""

from __future__ import annotations

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

# By these the list of entries is narrowed to whole accounts, in which a balance can be carried on.
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
    """Give `rows` in the order of a statement."""
    return rows.select_related("account__asset__token").order_by("id")


def statement_entries(rows: QuerySet[Any], query: str, span: DateRange) -> Iterator[Any]:
    """Give the entries, with a running balance wherever whole accounts are exported."""
    entries = read_records(rows, query, span)
    if set(QueryDict(query)) - _WHOLE_ACCOUNT_FILTERS:
        return entries

    def opening(account_id: UUID) -> Decimal:
        return balance_before(account_id, span.begins)

    return add_running_balances(entries, opening)


def add_running_balances(
    entries: Iterator[Entry], opening: Callable[[UUID], Decimal]
) -> Iterator[Entry]:
    """`entries`, oldest first, with the balance that the exchange's own accounts do not keep.

    `opening` gives an account's balance before the first of them.
    """
    running: dict[UUID, Decimal] = {}
    for entry in entries:
        if entry.balance_after is None:
            account = entry.account_id
            before = running[account] if account in running else opening(account)
            entry.balance_after = running[account] = before + entry.amount
        yield entry
