"""The figures of a month: trial balance, statements of clearing and treasury, breaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django.db import connection

from exchange.core.errors import StateConflict
from exchange.core.ids import first_id_at
from wallets.ledger.models import AccountKind, BooksProof
from wallets.ledger.periods import Period
from wallets.ledger.selectors.as_of import ID_MARGIN, read_trial_balances
from wallets.ledger.selectors.trial_balance import ComparedBalance, all_currencies, compare
from wallets.reconciliation.models import (
    BreakStatus,
    Reconciliation,
    ReconciliationBreak,
    ReportStatus,
)

_STATED = (AccountKind.CLEARING, AccountKind.TREASURY)


@dataclass(frozen=True, slots=True)
class StatementLine:
    """The transfers of one kind in a month: their number, debits and credits."""

    kind: str
    count: int
    debit: Decimal
    credit: Decimal


@dataclass(frozen=True, slots=True)
class AccountStatement:
    """An account of the exchange over a month, from opening to closing balance."""

    kind: AccountKind
    currency: str
    opening: Decimal
    lines: Sequence[StatementLine]
    closing: Decimal


@dataclass(frozen=True, slots=True)
class MonthFigures:
    """What is frozen of a month; `unreconciled` are days without a complete report."""

    period: Period
    balances: dict[str, list[ComparedBalance]]
    statements: list[AccountStatement]
    breaks: list[ReconciliationBreak]
    unreconciled: list[date]
    proof: BooksProof
    proposed_by: str


def read_month(period: Period, proof: BooksProof, proposed_by: str) -> MonthFigures:
    """Return the figures of a month.

    Raises `StateConflict` where debits and credits differ, or a statement does not add up.
    """
    now, before = read_trial_balances([period.ends, period.begins], in_full=True)
    for totals in now.currencies:
        if totals.debit != totals.credit:
            raise StateConflict(f"Debits and credits in {totals.currency} differ")
    balances = {
        currency: compare(now, before, currency) for currency in all_currencies(now, before)
    }
    breaks = ReconciliationBreak.objects.filter(day__gte=period.first, day__lte=period.last)
    return MonthFigures(
        period,
        balances,
        _statements(period, balances),
        list(breaks.prefetch_related("explanations__decided_by").order_by("day", "pk")),
        _unreconciled(period),
        proof,
        proposed_by,
    )


def count_unexplained(period: Period) -> int:
    """Return the number of breaks up to the end of the month that are not closed."""
    rows = ReconciliationBreak.objects.filter(day__lte=period.last)
    return rows.exclude(status=BreakStatus.CLOSED).count()


def _statements(
    period: Period, balances: dict[str, list[ComparedBalance]]
) -> list[AccountStatement]:
    with connection.cursor() as cursor:
        cursor.execute(
            _LINES,
            {
                "kinds": [kind.value for kind in _STATED],
                "from": period.begins,
                "to": period.ends,
                "from_below": first_id_at(period.begins - ID_MARGIN),
                "to_above": first_id_at(period.ends + ID_MARGIN),
            },
        )
        lines: dict[tuple[str, str], list[StatementLine]] = {}
        for currency, kind, *line in cursor.fetchall():
            lines.setdefault((currency, kind), []).append(StatementLine(*line))
    found = []
    for currency, rows in balances.items():
        known = {row.kind: row for row in rows}
        for kind in _STATED:
            moved = lines.get((currency, kind), [])
            opening = known[kind].before if kind in known else Decimal(0)
            closing = known[kind].now if kind in known else Decimal(0)
            if opening + sum((each.credit - each.debit for each in moved), Decimal(0)) != closing:
                raise StateConflict(f"The statement of {kind.label} {currency} does not add up")
            if kind in known or moved:
                found.append(AccountStatement(kind, currency, opening, moved, closing))
    return found


def _unreconciled(period: Period) -> list[date]:
    complete = set(
        Reconciliation.objects.filter(
            day__gte=period.first,
            day__lte=period.last,
            status__in=[ReportStatus.MATCHED, ReportStatus.DIFFERS],
            provisional=False,
        ).values_list("day", flat=True)
    )
    days = (period.last - period.first).days + 1
    return [day for n in range(days) if (day := period.first + timedelta(days=n)) not in complete]


_LINES = """
    SELECT a.asset_id, a.kind, t.kind, count(*),
           coalesce(- sum(e.amount) FILTER (WHERE e.amount < 0), 0),
           coalesce(sum(e.amount) FILTER (WHERE e.amount > 0), 0)
    FROM wallets_account a
    JOIN exchange_currency c ON c.code = a.asset_id
    JOIN wallets_entry e
        ON e.account_id = a.id AND e.id >= %(from_below)s AND e.id < %(to_above)s
    JOIN wallets_transfer t ON t.id = e.transfer_id
    WHERE a.owner_id IS NULL AND a.kind = ANY (%(kinds)s)
        AND t.created_at >= %(from)s AND t.created_at < %(to)s
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
