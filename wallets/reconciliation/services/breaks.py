"""Applying a report to breaks: explain variances, open breaks, mark those that are gone.

The variance is the provider's balance less our clearing account and the amount in transit. It need
not be zero, since the exchange may keep money of its own at the provider, but all of it must be
explained. In each currency:

    explained variance = variance at the last reading - breaks that reading left open

A variance is therefore explained only as far as two people closed breaks about it; the very first
one is a break too. Balances are always current, so readings follow each other by their own time,
whatever day a report covers. A change since the last reading opens a break, unless it cancels an
open one, restores one that was gone, or is what adjusting entries booked of explained breaks.
Closing a break that is in the latest report makes its amount explained; closing one that is gone
changes nothing. Charges are booked rounded, so each may move the variance by half of the smallest
unit, which counts as explained.

Differences of payouts and payments belong to the same break while day, record and facts are the
same.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

from django.db import connection
from django.utils import timezone

from exchange.core.currencies import currencies, format_money
from wallets.reconciliation.models import (
    BothSides,
    BreakStatus,
    LineKind,
    Reconciliation,
    ReconciliationBreak,
)
from wallets.reconciliation.selectors.movements import charges_since, last_variance
from wallets.reconciliation.services.differences import ReportLine

# Kinds whose texts may change while the difference stays the same.
_BY_REFERENCE = frozenset({LineKind.MISSING, LineKind.UNKNOWN, LineKind.NO_BALANCE})
# What a break has of the line that opens it.
_FACTS = [column.attname for column in BothSides._meta.fields if not column.primary_key]


def apply_report(
    report: Reconciliation, lines: Sequence[ReportLine], balances_at: datetime
) -> list[ReportLine]:
    """Return `lines` with the unexplained variances added, and update the breaks.

    Runs in the transaction that stores `report`. A provisional report changes no break.
    """
    lock_breaks()
    adjusted = {line.currency_id: line.our_amount for line in lines if line.kind == LineKind.BOOKED}
    result: list[ReportLine] = []
    for line in lines:
        if line.kind == LineKind.VARIANCE:
            booked = adjusted.get(line.currency_id) or Decimal(0)
            result += _judge_variance(report, line, balances_at, booked)
        else:
            result.append(line)
    if not report.provisional:
        _update_payout_breaks(
            report,
            [line for line in result if line.is_difference and line.kind != LineKind.UNEXPLAINED],
        )
    return result


def lock_breaks() -> None:
    """Serialize reports and closures of breaks until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('reconciliation', 0))")


def count_open(day: date) -> int:
    """Return the number of breaks of `day` that are not closed."""
    return ReconciliationBreak.objects.filter(day=day).exclude(status=BreakStatus.CLOSED).count()


def _judge_variance(
    report: Reconciliation, line: ReportLine, balances_at: datetime, adjusted: Decimal
) -> list[ReportLine]:
    """Return the line of a variance with its explained part, and one for the unexplained part.

    `adjusted` is what adjusting entries of breaks have added to it, ever.
    """
    currency, variance = str(line.currency_id), line.their_amount or Decimal(0)
    known = list(
        ReconciliationBreak.objects.select_for_update(of=("self",), no_key=True)
        .filter(kind=LineKind.UNEXPLAINED, currency=currency)
        .exclude(status=BreakStatus.CLOSED)
        .order_by("pk")
    )
    shown = [each for each in known if each.in_latest_report]
    left = sum((_amount(each) for each in shown), Decimal(0))
    last = last_variance(currency)
    before = last.variance + adjusted - last.adjusted if last else Decimal(0)
    change, rounding = variance - before, Decimal(0)
    if last and last.read_at > balances_at:  # a newer reading has accounted for the change
        change = Decimal(0)
    elif last and change:
        half_unit = Decimal(5).scaleb(-currencies()[currency].decimals - 1)
        rounding = half_unit * charges_since(currency, last.read_at)
        if abs(change) <= rounding:
            change = Decimal(0)
    if change and abs(left + change) <= rounding:
        change = -left
    unexplained = left + change
    if not report.provisional:
        _update_variance_breaks(report, known, change, rounding, ReportLine(
            LineKind.UNEXPLAINED, currency, our_amount=before, their_amount=variance,
            their_text=f"Unexplained change {format_money(change, currency)}",
        ))  # fmt: skip
    found = [
        ReportLine(
            LineKind.VARIANCE, currency, our_amount=variance - unexplained, their_amount=variance
        )
    ]
    if unexplained:
        found.append(
            ReportLine(
                LineKind.UNEXPLAINED,
                currency,
                is_difference=True,
                our_amount=variance - unexplained,
                their_amount=variance,
                their_text=f"Unexplained: {format_money(unexplained, currency)}",
            )
        )
    return found


def _update_variance_breaks(
    report: Reconciliation,
    known: list[ReconciliationBreak],
    change: Decimal,
    rounding: Decimal,
    moved: ReportLine,
) -> None:
    """Update the open breaks of a variance; those still present sum to its unexplained part."""
    shown = [each for each in known if each.in_latest_report]
    if change and sum(map(_amount, shown), change) == 0:
        _update_breaks(report, shown, in_latest_report=False)
        shown = []
    elif change:
        for each in known:
            undone = change + _amount(each) if each.in_latest_report else change - _amount(each)
            if abs(undone) <= rounding:
                _update_breaks(report, [each], in_latest_report=not each.in_latest_report)
                shown = [other for other in shown if other is not each]
                break
        else:
            _open(report, [moved], difference=change)
    _update_breaks(report, shown, in_latest_report=True)


def _update_payout_breaks(report: Reconciliation, found: list[ReportLine]) -> None:
    known = {
        _subject(each): each
        for each in ReconciliationBreak.objects.select_for_update(of=("self",), no_key=True)
        .filter(day=report.day)
        .exclude(kind=LineKind.UNEXPLAINED)
        .order_by("pk")
    }
    subjects = {_subject(line): line for line in found}
    _update_breaks(
        report, (each for key, each in known.items() if key in subjects), in_latest_report=True
    )
    _update_breaks(
        report, (each for key, each in known.items() if key not in subjects), in_latest_report=False
    )
    _open(report, (line for key, line in subjects.items() if key not in known))


def _subject(fact: ReportLine | ReconciliationBreak) -> tuple[object, ...]:
    """Return the key of a difference within its day, equal for a line and its break."""
    about = (str(fact.kind), fact.currency_id, fact.reference, fact.provider_id)
    if fact.kind == LineKind.NO_BALANCE:
        return about
    amounts = (*about, fact.our_amount, fact.their_amount)
    return amounts if fact.kind in _BY_REFERENCE else (*amounts, fact.our_text, fact.their_text)


def _amount(found: ReconciliationBreak) -> Decimal:
    return found.difference or Decimal(0)


def _update_breaks(
    report: Reconciliation, found: Iterable[ReconciliationBreak], *, in_latest_report: bool
) -> None:
    ReconciliationBreak.objects.filter(pk__in=[each.pk for each in found]).update(
        latest_report=report, in_latest_report=in_latest_report
    )


def _open(
    report: Reconciliation, found: Iterable[ReportLine], difference: Decimal | None = None
) -> None:
    now = timezone.now()
    ReconciliationBreak.objects.bulk_create(
        ReconciliationBreak(
            day=report.day,
            difference=difference if difference is not None else _difference(line),
            first_report=report,
            latest_report=report,
            created_at=now,
            **{name: getattr(line, name) for name in _FACTS},
        )
        for line in found
    )


def _difference(line: ReportLine) -> Decimal | None:
    if line.our_amount is None and line.their_amount is None:
        return None
    return (line.their_amount or Decimal(0)) - (line.our_amount or Decimal(0))
