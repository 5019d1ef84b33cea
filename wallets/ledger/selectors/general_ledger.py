"""The general ledger: one account of the exchange over a period, from opening to closing balance.

One statement reads the entries since the period's start or since the totals of the last proof of
books, whichever is earlier: at most `MAX_SUMMED_ENTRIES`. The opening balance is those totals, plus
the entries between them and the period, or less those in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection

from exchange.core.errors import InvalidRequest
from exchange.core.ids import first_id_at
from wallets.ledger.models import AccountKind
from wallets.ledger.selectors.ledger import MAX_SUMMED_ENTRIES
from wallets.ledger.selectors.trial_balance import Side

MAX_DAYS = 31
# System accounts of currencies.
KINDS = (
    AccountKind.CLEARING,
    AccountKind.TREASURY,
    AccountKind.FEES,
    AccountKind.EXPENSES,
    AccountKind.UNMATCHED,
    AccountKind.DISTRIBUTION,
    AccountKind.TAX,
    AccountKind.POSITION,
    AccountKind.LOANS,
)
# An id is made within an hour of its transaction (docs/ledger.md, Time order of ids).
_MARGIN, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LedgerMovement:
    """An entry of the account; `balance` is the account's balance after it, with its sign."""

    created_at: datetime
    transfer_id: UUID
    kind: str
    reference: str
    subject_id: UUID | None
    amount: Decimal
    balance: Decimal

    @property
    def side(self) -> Side:
        """The amount as debit or credit."""
        return Side.of(self.amount)


@dataclass(frozen=True, slots=True)
class GeneralLedger:
    """The movements of an account from day `first` to day `last` (UTC), oldest first."""

    kind: AccountKind
    currency: str
    first: date
    last: date
    as_of: datetime
    opening: Decimal
    movements: Sequence[LedgerMovement]

    @property
    def closing(self) -> Decimal:
        """The balance at the end of the period, or as of now within it."""
        return self.movements[-1].balance if self.movements else self.opening

    @property
    def debit(self) -> Decimal:
        """The sum of debits of the period."""
        return sum((each.side.debit for each in self.movements), Decimal(0))

    @property
    def credit(self) -> Decimal:
        """The sum of credits of the period."""
        return sum((each.side.credit for each in self.movements), Decimal(0))


def read_general_ledger(kind: AccountKind, currency: str, first: date, last: date) -> GeneralLedger:
    """Return the general ledger of an account, from the primary database.

    Raises `InvalidRequest` for a period that is reversed, too long, or begins too many entries ago.
    """
    if last < first:
        raise InvalidRequest.for_field("last", "The last day must not be before the first")
    if last - first >= MAX_DAYS * _DAY:
        raise InvalidRequest.for_field("last", f"The period must be at most {MAX_DAYS} days")
    begins = datetime.combine(first, time(), UTC)
    ends = datetime.combine(last, time(), UTC) + _DAY
    parameters: dict[str, Any] = {
        "kind": kind,
        "currency": currency,
        "earliest": first_id_at(begins - _MARGIN),
        "from": begins,
        "to": ends,
        "limit": MAX_SUMMED_ENTRIES,
    }
    with connection.cursor() as cursor:
        cursor.execute(_GENERAL_LEDGER, parameters)
        rows = cursor.fetchall()
    as_of, complete, opening = rows[0][:3]
    if not complete:
        raise InvalidRequest.for_field(
            "first",
            f"More than {MAX_SUMMED_ENTRIES:,} entries of this account since this day or since the"
            " last ledger integrity check. Choose a later day, or export the account's entries",
        )
    movements = []
    balance = opening
    for _, _, _, *facts, amount in rows:
        if amount is not None:
            balance += amount
            known = dict(zip(_FACTS, facts, strict=True))
            movements.append(LedgerMovement(**known, amount=amount, balance=balance))
    return GeneralLedger(kind, currency, first, last, as_of, opening, movements)


# Columns of a movement before its amount.
_FACTS = ("created_at", "transfer_id", "kind", "reference", "subject_id")
_GENERAL_LEDGER = """
    WITH proof AS MATERIALIZED (
        SELECT totals, totals_before FROM wallets_booksproof
        WHERE totals_before IS NOT NULL ORDER BY ran_at DESC, id DESC LIMIT 1
    ), account AS MATERIALIZED (
        SELECT a.id,
               coalesce((SELECT (totals ->> a.id::text)::numeric FROM proof), 0) AS total,
               coalesce((SELECT totals_before FROM proof),
                        '00000000-0000-0000-0000-000000000000') AS since
        FROM wallets_account a
        WHERE a.owner_id IS NULL AND a.asset_id = %(currency)s AND a.kind = %(kind)s
    ), recent AS MATERIALIZED (
        SELECT e.id, e.transfer_id, e.amount, e.id < a.since AS in_total
        FROM account a JOIN wallets_entry e ON e.account_id = a.id
        AND e.id >= least(a.since, %(earliest)s::uuid)
        LIMIT %(limit)s + 1
    ), movement AS MATERIALIZED (
        SELECT r.id, r.in_total, t.created_at, t.id AS transfer_id, t.kind, t.reference,
               t.subject_id, r.amount
        FROM recent r CROSS JOIN LATERAL (
            -- By its key, whatever the estimate of rows.
            SELECT * FROM wallets_transfer WHERE id = r.transfer_id OFFSET 0
        ) t
    ), head AS MATERIALIZED (
        SELECT statement_timestamp() AS as_of,
               (SELECT count(*) FROM recent) <= %(limit)s AS complete,
               coalesce((SELECT total FROM account), 0)
               + coalesce((SELECT sum(amount) FROM movement
                           WHERE NOT in_total AND created_at < %(from)s), 0)
               - coalesce((SELECT sum(amount) FROM movement
                           WHERE in_total AND created_at >= %(from)s), 0) AS opening
    )
    SELECT h.as_of, h.complete, h.opening, m.created_at, m.transfer_id, m.kind, m.reference,
           m.subject_id, m.amount
    FROM head h
    LEFT JOIN movement m ON h.complete AND m.created_at >= %(from)s AND m.created_at < %(to)s
    -- In an upgraded database ids of loans' entries are not in the order of time (docs/ledger.md).
    ORDER BY m.created_at, m.id
"""
