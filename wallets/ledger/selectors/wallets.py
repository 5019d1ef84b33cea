"""Balances and statements of wallets."""

from datetime import datetime
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet, Sum

from wallets.ledger.models import Account, AccountKind, Entry

# The accounts that make up an owner's balance. What the owner owes counts against it. Proceeds of
# an open raise are not the issuer's yet.
WALLET_KINDS = (
    AccountKind.AVAILABLE,
    AccountKind.ESCROW,
    AccountKind.RESERVED,
    AccountKind.LIEN,
    AccountKind.UNCLEARED,
    AccountKind.RECEIVABLE,
)


class CurrencyBalance(TypedDict):
    """Balances of one currency, in its units. `receivable` is the amount owed, not negative."""

    currency: str
    available: Decimal
    escrow: Decimal
    reserved: Decimal
    lien: Decimal
    uncleared: Decimal
    receivable: Decimal
    total: Decimal


def available_balance(owner_id: UUID, currency: str) -> Decimal:
    """Return the owner's available balance of `currency`; zero without an account."""
    return account_balance(owner_id, currency, AccountKind.AVAILABLE)


def reserved_balance(owner_id: UUID, currency: str) -> Decimal:
    """Return what the owner's open buys reserve of `currency`."""
    return account_balance(owner_id, currency, AccountKind.RESERVED)


def account_balance(owner_id: UUID, currency: str, kind: AccountKind) -> Decimal:
    """Return the balance of the owner's account of a kind; zero without an account."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT balance FROM wallets_account"
            " WHERE owner_id = %s AND asset_id = %s AND kind = %s",
            [owner_id, currency, kind],
        )
        row = cursor.fetchone()
    return row[0] if row else Decimal(0)


def balance_before(account_id: UUID, moment: datetime | None) -> Decimal:
    """Return the sum of the account's entries before `moment`; zero for None."""
    if moment is None:
        return Decimal(0)
    earlier = Entry.objects.filter(account_id=account_id, transfer__created_at__lt=moment)
    total: Decimal | None = earlier.aggregate(total=Sum("amount"))["total"]
    return total or Decimal(0)


def wallet_balances(owner_id: UUID) -> list[CurrencyBalance]:
    """Return the owner's balances in all currencies, in the order of the API."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT c.code, {", ".join(_BALANCES)}
            FROM exchange_currency c
            LEFT JOIN wallets_account a ON a.asset_id = c.code AND a.owner_id = %s
            GROUP BY c.code, c.position ORDER BY c.position
            """,  # noqa: S608 - of the kinds above
            [owner_id],
        )
        rows = cursor.fetchall()
    return [
        {
            "currency": code,
            "available": available,
            "escrow": escrow,
            "reserved": reserved,
            "lien": lien,
            "uncleared": uncleared,
            "receivable": abs(receivable),
            "total": available + escrow + reserved + lien + uncleared + receivable,
        }
        for code, available, escrow, reserved, lien, uncleared, receivable in rows
    ]


_BALANCES = [
    f"coalesce(sum(a.balance) FILTER (WHERE a.kind = '{kind}'), 0)" for kind in WALLET_KINDS
]


def statement(owner_id: UUID, entries: QuerySet[Entry]) -> QuerySet[Any]:
    """Return the ids of those of `entries` that are of an owner's wallet, in the same order.

    In order of id, PostgreSQL merges the statements of the wallet's accounts from their index. In
    one query for all accounts it may read the entries of every owner until a page is full.
    """
    found = Account.objects.filter(
        owner_id=owner_id, kind__in=WALLET_KINDS, asset__currency__isnull=False
    )
    accounts = list(found.order_by("id").values_list("id", flat=True))
    order = [str(field) for field in entries.query.order_by]
    if not accounts or {field.lstrip("-") for field in order} != {"id"}:
        return entries.filter(account_id__in=accounts).values_list("id", flat=True)
    first, *others = (
        entries.filter(account_id=account).order_by().values_list("id", flat=True)
        for account in accounts
    )
    return (first.union(*others, all=True) if others else first).order_by(order[0])
