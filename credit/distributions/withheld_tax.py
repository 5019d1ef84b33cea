"""What tax was withheld of paid income: by issuer and month, and of one member in a year.

Income belongs to the month or year (UTC) of its payment. Remittances name a currency: they pay its
tax that was withheld first.
"""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.core.database import read_cursor
from exchange.core.querysets import get_or_raise
from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member


@dataclass(frozen=True, slots=True)
class WithheldTax:
    """The taxed income that an issuer paid in a month and currency, and what became of its tax."""

    month: dt.date
    issuer_id: UUID
    issuer: str
    country: str
    currency: str
    gross: Decimal
    tax: Decimal
    remitted: Decimal

    @property
    def outstanding(self) -> Decimal:
        """What is still to be remitted."""
        return self.tax - self.remitted


@dataclass(frozen=True, slots=True)
class TaxedIncome:
    """The paid income of one type and currency; `issuers` have `_id` and `name`."""

    currency: str
    type: str
    gross: Decimal
    tax: Decimal
    net: Decimal
    issuers: Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class TaxSummary:
    """The income that a member was paid in a year."""

    member: Member
    year: int
    income: Sequence[TaxedIncome]


def read_withheld_tax(year: int) -> list[WithheldTax]:
    """Return what was withheld in the months of a year, the oldest first, then by issuer."""
    with read_cursor() as cursor:
        cursor.execute(_WITHHELD, [dt.date(year, 1, 1), dt.date(year + 1, 1, 1)])
        return [WithheldTax(*row) for row in cursor.fetchall()]


def read_tax_summary(organisation_id: UUID, member_id: UUID, year: int) -> TaxSummary:
    """Return the summary of a member of the organisation. Raises `UserNotFound`."""
    members = Member.objects.filter(pk=member_id, organisation_id=organisation_id)
    member = get_or_raise(members, UserNotFound)
    parameters: list[Any] = [member_id, _start_of(year), _start_of(year + 1)]
    with read_cursor() as cursor:
        cursor.execute(_SUMMARY, parameters)
        rows = cursor.fetchall()
    income = [
        TaxedIncome(currency, kind, gross, tax, net, json.loads(issuers))
        for currency, kind, gross, tax, net, issuers in rows
    ]
    return TaxSummary(member, year, income)


def _start_of(year: int) -> dt.datetime:
    return dt.datetime(year, 1, 1, tzinfo=dt.UTC)


# The tax of a currency in the order of its months, and in a month of issuers: remittances so far
# pay it in this order. What was given back counts in its own month, and no remittance pays it.
_WITHHELD = """
    WITH withheld AS (
        SELECT date_trunc('month', t.created_at AT TIME ZONE 'UTC')::date AS month, k.issuer_id,
               d.currency_id, sum(i.gross) AS gross, sum(e.amount) AS tax
        FROM wallets_account a
        JOIN wallets_entry e ON e.account_id = a.id
        JOIN wallets_transfer t ON t.id = e.transfer_id
        JOIN credit_income i ON i.id = t.subject_id
        JOIN credit_distribution d ON d.id = i.distribution_id
        JOIN exchange_token k ON k.id = d.token_id
        WHERE a.kind = 'tax' AND t.kind IN ('distribution_pay', 'distribution_recover')
        GROUP BY 1, 2, 3
    ), placed AS (
        SELECT w.*, sum(greatest(w.tax, 0)) OVER (
            PARTITION BY w.currency_id ORDER BY w.month, w.issuer_id) - greatest(w.tax, 0) AS before
        FROM withheld w
    ), remitted AS (
        SELECT m.currency_id, sum(m.amount) AS amount FROM wallets_treasurymovement m
        WHERE m.kind = 'tax_remittance' AND m.status = 'Approved' GROUP BY m.currency_id
    )
    SELECT p.month, o.id, o.name, o.tax_residence, p.currency_id, p.gross, p.tax,
           least(greatest(p.tax, 0), greatest(coalesce(r.amount, 0) - p.before, 0))
    FROM placed p
    JOIN exchange_organisation o ON o.id = p.issuer_id
    LEFT JOIN remitted r ON r.currency_id = p.currency_id
    WHERE p.month >= %s AND p.month < %s
    ORDER BY p.month, o.name, o.id, p.currency_id
"""
_SUMMARY = """
    SELECT d.currency_id, d.type, sum(i.gross), sum(i.tax), sum(i.net),
           jsonb_agg(DISTINCT jsonb_build_object('_id', o.id, 'name', o.name))
    FROM credit_income i
    JOIN credit_distribution d ON d.id = i.distribution_id
    JOIN exchange_token k ON k.id = d.token_id
    JOIN exchange_organisation o ON o.id = k.issuer_id
    -- What is recovered counts once all of it is.
    CROSS JOIN LATERAL (
        SELECT max(t.created_at) AS at FROM wallets_transfer t WHERE t.subject_id = i.id) t
    WHERE i.owner_id = %s AND i.status IN ('Paid', 'Corrected') AND t.at >= %s AND t.at < %s
    GROUP BY d.currency_id, d.type
    ORDER BY d.currency_id, d.type
"""
