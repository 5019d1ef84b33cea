"""What a report does to breaks: judges the gaps, opens breaks, notes which are gone.

The gap is what the provider holds for us less our clearing account and what is under way between
the two. It need not be zero, since money of our own may lie at the provider, but all of it has to
be explained. In each currency:

    expected gap = the gap at the last reading, less the breaks that reading left open

So a gap is expected as far as two people have explained it, and no further: the first gap of all is
a break as well. Balances are always those of now, so readings follow each other by their own time,
whatever day each report is about. What moved since the last reading is a break of its own, unless
it takes an open one back, or brings one back that was gone. Closing a break that is still there
makes its amount expected; closing one that is gone changes nothing. Charges are booked rounded,
which may move the gap by half of the smallest unit for each; that much is expected too.

A difference of a payout is the same break as long as it is about the same day, payout and facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal

from django.db import connection
from django.utils import timezone

from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain
from wallets.reconciliation.models import BreakStatus, LineKind, Reconciliation, ReconciliationBreak
from wallets.reconciliation.selectors.movements import charges_since, last_variance
from wallets.reconciliation.services.differences import ReportLine

# Their words change while it stays the same difference: our state, theirs, our balance.
_BY_REFERENCE = frozenset({LineKind.MISSING, LineKind.UNKNOWN, LineKind.NO_BALANCE})


def apply_report(
    report: Reconciliation, lines: Sequence[ReportLine], balances_at: datetime
) -> list[ReportLine]:
    """Return `lines` with what the gaps among them differ by, and bring the breaks up to date.

    Part of the transaction that keeps `report`. A provisional one changes no break.
    """
    lock_breaks()
    judged: list[ReportLine] = []
    for line in lines:
        judged += (
            _judge_variance(report, line, balances_at) if line.kind == LineKind.VARIANCE else [line]
        )
    if not report.provisional:
        _update_payout_breaks(
            report,
            [line for line in judged if line.is_difference and line.kind != LineKind.UNEXPLAINED],
        )
    return judged


def lock_breaks() -> None:
    """Let one report be judged, or one break be closed, at a time, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('reconciliation', 0))")


def count_open(day: date) -> int:
    """Return how many breaks of `day` two people have not closed."""
    return ReconciliationBreak.objects.filter(day=day).exclude(status=BreakStatus.CLOSED).count()


def _judge_variance(
    report: Reconciliation, line: ReportLine, balances_at: datetime
) -> list[ReportLine]:
    """The line of a gap with what was expected, and a difference for what was not."""
    currency, variance = str(line.currency), line.their_amount or Decimal(0)
    known = list(
        ReconciliationBreak.objects.select_for_update(of=("self",), no_key=True)
        .filter(kind=LineKind.UNEXPLAINED, currency=currency)
        .exclude(status=BreakStatus.CLOSED)
        .order_by("pk")
    )
    shown = [each for each in known if each.in_latest_report]
    left = sum((_amount(each) for each in shown), Decimal(0))
    last = last_variance(currency)
    before = last.variance if last else Decimal(0)
    change, rounding = variance - before, Decimal(0)
    if last and last.read_at > balances_at:  # a newer reading has judged what moved
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
            their_text=f"The gap moved by {format_plain(change)}",
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
                their_text=f"Unexplained: {format_plain(unexplained)}",
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
    """Bring the open breaks of a gap up to date; their amounts that are shown add up to what is
    unexplained.
    """
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
    """What a difference is about within its day: the same for the line and for its break."""
    currency = fact.currency if isinstance(fact, ReportLine) else fact.currency_id
    about = (str(fact.kind), currency, fact.reference, fact.provider_id)
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
            kind=line.kind,
            currency_id=line.currency,
            our_amount=line.our_amount,
            their_amount=line.their_amount,
            difference=difference if difference is not None else _difference(line),
            our_text=line.our_text,
            their_text=line.their_text,
            reference=line.reference,
            provider_id=line.provider_id,
            withdrawal_id=line.withdrawal_id,
            first_report=report,
            latest_report=report,
            created_at=now,
        )
        for line in found
    )


def _difference(line: ReportLine) -> Decimal | None:
    if line.our_amount is None and line.their_amount is None:
        return None
    return (line.their_amount or Decimal(0)) - (line.our_amount or Decimal(0))
