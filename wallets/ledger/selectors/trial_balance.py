"""The trial balance: debit and credit balances of all accounts in currencies, by kind and owner.

One statement reads it, so all balances are of one moment. Owners' accounts store theirs; those of
the exchange are the totals of the last proof of books and the entries since, of which it reads at
most `MAX_SUMMED_ENTRIES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection

from wallets.ledger.models import AccountKind
from wallets.ledger.selectors.ledger import MAX_SUMMED_ENTRIES


@dataclass(frozen=True, slots=True)
class Side:
    """An amount as debit or credit; the other one is zero.

    The ledger's signs are from the owner's side: what the exchange owes is positive, a credit.
    """

    debit: Decimal
    credit: Decimal

    @classmethod
    def of(cls, amount: Decimal) -> Side:
        """Return the side of an amount of the ledger."""
        return cls(max(-amount, Decimal(0)), max(amount, Decimal(0)))


@dataclass(frozen=True, slots=True)
class KindBalance:
    """The balance of all accounts of one currency and kind whose owners are of one type.

    `owner` is `exchange`, `organisation` or `user`.
    """

    currency: str
    kind: AccountKind
    owner: str
    side: Side


@dataclass(frozen=True, slots=True)
class CurrencyTotals:
    """The balances of one currency that are not zero, and their totals."""

    currency: str
    balances: Sequence[KindBalance]

    @property
    def debit(self) -> Decimal:
        """The sum of debit balances."""
        return sum((balance.side.debit for balance in self.balances), Decimal(0))

    @property
    def credit(self) -> Decimal:
        """The sum of credit balances."""
        return sum((balance.side.credit for balance in self.balances), Decimal(0))


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """The trial balance at `as_of`, by currency.

    `proved_at` is the time of the proof whose totals it starts from; None before the first one.
    Without `complete`, more entries follow the proof than are summed, and there are no balances.
    """

    as_of: datetime
    proved_at: datetime | None
    complete: bool
    currencies: Sequence[CurrencyTotals]


@dataclass(frozen=True, slots=True)
class ComparedBalance:
    """The balances of one kind and owner at the end of a period and of the one before it."""

    kind: AccountKind
    owner: str
    now: Decimal
    before: Decimal


def compare(now: TrialBalance, before: TrialBalance, currency: str) -> list[ComparedBalance]:
    """Return the balances of a currency in either trial balance, with the ledger's signs."""

    def amounts(found: TrialBalance) -> dict[tuple[AccountKind, str], Decimal]:
        return {
            (each.kind, each.owner): each.side.credit - each.side.debit
            for totals in found.currencies
            if totals.currency == currency
            for each in totals.balances
        }

    ours, theirs, order = amounts(now), amounts(before), list(AccountKind)
    keys = sorted(ours.keys() | theirs.keys(), key=lambda key: (order.index(key[0]), key[1]))
    zero = Decimal(0)
    return [ComparedBalance(*key, ours.get(key, zero), theirs.get(key, zero)) for key in keys]


def all_currencies(*found: TrialBalance) -> list[str]:
    """Return the currencies of trial balances, in their order."""
    return list(dict.fromkeys(each.currency for one in found for each in one.currencies))


def read_trial_balance() -> TrialBalance:
    """Return the trial balance as of now, from the primary database."""
    with connection.cursor() as cursor:
        cursor.execute(_TRIAL_BALANCE, {"limit": MAX_SUMMED_ENTRIES})
        return to_trial_balance(cursor.fetchall())


def to_trial_balance(rows: Sequence[Sequence[Any]]) -> TrialBalance:
    """Return the trial balance of rows: time, time of the proof, complete, and a balance each."""
    as_of, proved_at, complete = rows[0][:3]
    found: dict[str, list[KindBalance]] = {}
    for *_, currency, kind, owner, amount in rows:
        if currency is not None:
            balance = KindBalance(currency, AccountKind(kind), owner, Side.of(amount))
            found.setdefault(currency, []).append(balance)
    order = list(AccountKind)
    return TrialBalance(
        as_of,
        proved_at,
        complete,
        [
            CurrencyTotals(currency, sorted(balances, key=lambda each: order.index(each.kind)))
            for currency, balances in found.items()
        ],
    )


_TRIAL_BALANCE = """
    WITH proof AS MATERIALIZED (
        SELECT ran_at, totals, totals_before FROM wallets_booksproof
        WHERE totals_before IS NOT NULL ORDER BY ran_at DESC, id DESC LIMIT 1
    ), system AS MATERIALIZED (
        SELECT a.id, a.asset_id, a.kind
        FROM wallets_account a JOIN exchange_currency c ON c.code = a.asset_id
        WHERE a.owner_id IS NULL
    ), recent AS MATERIALIZED (
        SELECT s.id, e.amount
        FROM system s CROSS JOIN LATERAL (
            SELECT amount FROM wallets_entry
            WHERE account_id = s.id
            AND id >= coalesce((SELECT totals_before FROM proof),
                               '00000000-0000-0000-0000-000000000000')
            LIMIT %(limit)s + 1
        ) e
        LIMIT %(limit)s + 1
    ), head AS MATERIALIZED (
        SELECT statement_timestamp() AS as_of, (SELECT ran_at FROM proof) AS proved_at,
               (SELECT count(*) FROM recent) <= %(limit)s AS complete
    ), balance AS (
        SELECT s.asset_id, s.kind, 'exchange' AS owner,
               coalesce((p.totals ->> s.id::text)::numeric, 0) + coalesce(r.amount, 0) AS amount
        FROM system s
        LEFT JOIN proof p ON true
        LEFT JOIN (SELECT id, sum(amount) AS amount FROM recent GROUP BY id) r ON r.id = s.id
        WHERE (SELECT complete FROM head)
        UNION ALL
        SELECT a.asset_id, a.kind,
               CASE WHEN a.member_id IS NULL THEN 'organisation' ELSE 'user' END, sum(a.balance)
        FROM wallets_account a
        WHERE a.owner_id IS NOT NULL AND a.asset_id IN (SELECT code FROM exchange_currency)
        AND (SELECT complete FROM head)
        GROUP BY 1, 2, 3
    )
    SELECT h.as_of, h.proved_at, h.complete, b.asset_id, b.kind, b.owner, b.amount
    FROM head h
    LEFT JOIN (
        SELECT b.*, c.position FROM balance b JOIN exchange_currency c ON c.code = b.asset_id
        WHERE b.amount <> 0
    ) b ON true
    ORDER BY b.position, b.kind, b.owner
"""
