"""The general ledger: one account of the exchange over a period, from opening to closing balance.

One statement reads the entries since the totals of the last proof of books that ran before the
period: at most `MAX_SUMMED_ENTRIES`. The opening balance is those totals, plus the entries between
them and the period. The entries of the period before are summed, at most as many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection

from exchange.core.errors import InvalidRequest
from exchange.core.ids import first_id_at
from wallets.ledger.models import AccountKind
from wallets.ledger.periods import Period
from wallets.ledger.selectors.as_of import ID_MARGIN
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
_DAY = timedelta(days=1)


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
    """The movements of an account from day `first` to day `last` (UTC), oldest first.

    `before` are the sums of the period before; None where it has too many entries.
    """

    kind: AccountKind
    currency: str
    first: date
    last: date
    as_of: datetime
    opening: Decimal
    movements: Sequence[LedgerMovement]
    before: Side | None

    @property
    def period(self) -> Period:
        """The days."""
        return Period(self.first, self.last)

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
    period = Period(first, last)
    before, begins, ends = period.previous.begins, period.begins, period.ends
    parameters: dict[str, Any] = {
        "kind": kind,
        "currency": currency,
        "before": before,
        "from": begins,
        "to": ends,
        **{
            f"{name}_{bound}": first_id_at(moment + margin)
            for name, moment in (("before", before), ("from", begins), ("to", ends))
            for bound, margin in (("below", -ID_MARGIN), ("above", ID_MARGIN))
        },
        "from_id": first_id_at(begins),
        "limit": MAX_SUMMED_ENTRIES,
    }
    with connection.cursor() as cursor:
        cursor.execute(_GENERAL_LEDGER, parameters)
        rows = cursor.fetchall()
    as_of, complete, opening, known, debit, credit = rows[0][:6]
    if not complete:
        raise InvalidRequest.for_field(
            "first",
            f"More than {MAX_SUMMED_ENTRIES:,} entries of this account since this day or since the"
            " ledger integrity check before it. Choose fewer days, or export the account's entries",
        )
    movements = []
    balance = opening
    for row in rows:
        *facts, amount = row[6:]
        if amount is not None:
            balance += amount
            named = dict(zip(_FACTS, facts, strict=True))
            movements.append(LedgerMovement(**named, amount=amount, balance=balance))
    sums = Side(debit, credit) if known else None
    return GeneralLedger(kind, currency, first, last, as_of, opening, movements, sums)


# Columns of a movement before its amount.
_FACTS = ("created_at", "transfer_id", "kind", "reference", "subject_id")
_GENERAL_LEDGER = """
    WITH proof AS MATERIALIZED (
        SELECT totals, totals_before FROM wallets_booksproof
        WHERE id < %(from_id)s AND totals_before <= %(from_below)s ORDER BY id DESC LIMIT 1
    ), account AS MATERIALIZED (
        SELECT a.id,
               coalesce((SELECT (totals ->> a.id::text)::numeric FROM proof), 0) AS total,
               coalesce((SELECT totals_before FROM proof),
                        '00000000-0000-0000-0000-000000000000') AS since
        FROM wallets_account a
        WHERE a.owner_id IS NULL AND a.asset_id = %(currency)s AND a.kind = %(kind)s
    ), recent AS MATERIALIZED (
        SELECT e.id, e.transfer_id, e.amount
        FROM account a JOIN wallets_entry e ON e.account_id = a.id
        AND e.id >= a.since AND e.id < %(to_above)s
        LIMIT %(limit)s + 1
    ), movement AS MATERIALIZED (
        SELECT r.id, t.created_at, t.id AS transfer_id, t.kind, t.reference,
               t.subject_id, r.amount
        FROM recent r CROSS JOIN LATERAL (
            -- By its key, whatever the estimate of rows.
            SELECT * FROM wallets_transfer WHERE id = r.transfer_id OFFSET 0
        ) t
    ), previous AS MATERIALIZED (
        SELECT e.amount,
               e.id >= %(before_above)s AND e.id < %(from_below)s
               OR (SELECT t.created_at >= %(before)s AND t.created_at < %(from)s
                   FROM wallets_transfer t WHERE t.id = e.transfer_id) AS counts
        FROM account a JOIN wallets_entry e ON e.account_id = a.id
        AND e.id >= %(before_below)s AND e.id < %(from_above)s
        LIMIT %(limit)s + 1
    ), head AS MATERIALIZED (
        SELECT statement_timestamp() AS as_of,
               (SELECT count(*) FROM recent) <= %(limit)s AS complete,
               coalesce((SELECT total FROM account), 0)
               + coalesce((SELECT sum(amount) FROM movement WHERE created_at < %(from)s), 0)
               AS opening
    ), sums AS MATERIALIZED (
        SELECT count(*) <= %(limit)s AS known,
               coalesce(- sum(amount) FILTER (WHERE counts AND amount < 0), 0) AS debit,
               coalesce(sum(amount) FILTER (WHERE counts AND amount > 0), 0) AS credit
        FROM previous
    )
    SELECT h.as_of, h.complete, h.opening, s.known, s.debit, s.credit, m.created_at,
           m.transfer_id, m.kind, m.reference, m.subject_id, m.amount
    FROM head h CROSS JOIN sums s
    LEFT JOIN movement m ON h.complete AND m.created_at >= %(from)s AND m.created_at < %(to)s
    -- In an upgraded database ids of loans' entries are not in the order of time (docs/ledger.md).
    ORDER BY m.created_at, m.id
"""
