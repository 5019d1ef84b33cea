"""Reconciliation breaks, without running a reconciliation."""

from datetime import date, timedelta
from decimal import Decimal

from django.utils import timezone

from tests.environment.owner import without_guards
from tests.factories.wallets import SYSTEM
from wallets.reconciliation.models import (
    LineKind,
    Reconciliation,
    ReconciliationBreak,
    ReportStatus,
)


def make_break(
    difference: str = "-250000.55", *, currency: str = "NGN", day: date | None = None
) -> ReconciliationBreak:
    """Make a break of `difference`, found by the report of `day` or of yesterday."""
    now = timezone.now()
    with without_guards():
        report = Reconciliation.objects.create(
            day=day or now.date() - timedelta(days=1),
            status=ReportStatus.DIFFERS,
            differences=1,
            requested_by=str(SYSTEM),
            requested_by_label=SYSTEM.label,
            created_at=now,
            balances_at=now,
            finished_at=now,
        )
    return ReconciliationBreak.objects.create(
        day=report.day,
        kind=LineKind.UNEXPLAINED,
        currency_id=currency,
        our_amount=Decimal(0),
        their_amount=Decimal(difference),
        difference=Decimal(difference),
        their_text=f"The gap moved by {difference}",
        first_report=report,
        latest_report=report,
        created_at=now,
    )
