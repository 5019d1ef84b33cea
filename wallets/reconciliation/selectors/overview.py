"""Reconciliation on the dashboard: latest report, open breaks, float."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value, When

from wallets.reconciliation.models import (
    BreakStatus,
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReconciliationLine,
    ReportStatus,
)

EXPLAINED = "Explained"


@dataclass(frozen=True, slots=True)
class FloatPosition:
    """Provider balance compared with the clearing account, in one currency.

    `variance` is the difference less the amount `in_transit`; `expected` is its explained part.
    """

    currency: str
    provider: Decimal | None
    clearing: Decimal | None
    in_transit: Decimal | None
    variance: Decimal | None
    expected: Decimal | None

    @property
    def unexplained(self) -> Decimal | None:
        """Return the part of the variance that is not explained."""
        return None if self.variance is None else self.variance - (self.expected or Decimal(0))


@dataclass(frozen=True, slots=True)
class OpenBreaks:
    """Open breaks of one day: total, explained and assigned."""

    day: date
    count: int
    explained: int
    owned: int


def with_results(reports: QuerySet[Reconciliation]) -> QuerySet[Reconciliation, Any]:
    """Annotate `result`: the status, or `EXPLAINED` of a report that differs without open breaks.

    Its breaks are those of its day, and the variances of earlier days that it found again.
    """
    found = Q(kind=LineKind.UNEXPLAINED, **_found_by(OuterRef("pk")))
    breaks = ReconciliationBreak.objects.exclude(status=BreakStatus.CLOSED)
    is_open = Exists(breaks.filter(Q(day=OuterRef("day")) | found))
    closed = Q(~is_open, status=ReportStatus.DIFFERS, provisional=False)
    return reports.annotate(result=Case(When(closed, then=Value(EXPLAINED)), default=F("status")))


def result_of(report: Reconciliation) -> str:
    """Return the `result` of one report."""
    found: Any = with_results(Reconciliation.objects.filter(pk=report.pk)).get()
    return str(found.result)


def latest_report() -> Reconciliation | None:
    """Return the newest complete-day report of the latest day."""
    finished = (ReportStatus.MATCHED, ReportStatus.DIFFERS, ReportStatus.INCOMPLETE)
    reports = Reconciliation.objects.filter(status__in=finished, provisional=False)
    return reports.order_by("-day", "-created_at").first()


def open_breaks_by_day() -> list[OpenBreaks]:
    """Return the days with open breaks, newest first."""
    rows = (
        ReconciliationBreak.objects.exclude(status=BreakStatus.CLOSED)
        .order_by("-day")
        .values("day")
        .annotate(
            count=Count("pk"),
            explained=Count("pk", filter=Q(status=BreakStatus.EXPLAINED)),
            owned=Count("owner"),
        )
    )
    return [OpenBreaks(**row) for row in rows]


def last_provider_balance(currency: str) -> tuple[Decimal, datetime] | None:
    """Return the provider's balance that was read last, and when; None without one.

    The one of `settings.PROVIDER_BALANCE`.
    """
    read = Reconciliation.objects.filter(balances_at__isnull=False).order_by("-balances_at")
    lines = ReconciliationLine.objects.filter(
        report=read.values("pk")[:1], kind=LineKind.BALANCE, currency=currency
    )
    line = lines.select_related("report").first()
    if line is None or line.their_amount is None or line.report.balances_at is None:
        return None
    return line.their_amount, line.report.balances_at


def float_positions(report: Reconciliation) -> list[FloatPosition]:
    """Return the balances of `report` by currency; closing a break explains its amount."""
    closed_since = (
        ReconciliationBreak.objects.filter(
            kind=LineKind.UNEXPLAINED, status=BreakStatus.CLOSED, **_found_by(report.pk)
        )
        .exclude(latest_report=report, in_latest_report=False)
        .values("currency")
        .annotate(amount=Sum("difference"))
    )
    explained = {row["currency"]: row["amount"] for row in closed_since}
    rows = ReconciliationLine.objects.filter(
        report=report, kind__in=(LineKind.BALANCE, LineKind.IN_TRANSIT, LineKind.VARIANCE)
    ).order_by("position")
    lines = {(line.currency_id, line.kind): line for line in rows}
    found = []
    for (currency, kind), line in lines.items():
        if kind != LineKind.BALANCE or currency is None:
            continue
        expected = lines.get((currency, LineKind.IN_TRANSIT))
        variance = lines.get((currency, LineKind.VARIANCE))
        found.append(
            FloatPosition(
                currency=currency,
                provider=line.their_amount,
                clearing=line.our_amount,
                in_transit=expected.their_amount if expected else None,
                variance=variance.their_amount if variance else None,
                expected=(variance.our_amount or Decimal(0)) + explained.get(currency, 0)
                if variance
                else None,
            )
        )
    return found


def _found_by(report: UUID | OuterRef) -> dict[str, UUID | OuterRef]:
    """Return the condition for variances that a report opened or found again."""
    return {"first_report_id__lte": report, "latest_report_id__gte": report}
