"""Selectors of closed months."""

from datetime import date

from exchange.staff.models import ApprovalStatus
from wallets.ledger.models import PeriodClose


def find_close(month: date) -> PeriodClose | None:
    """Return the approved close of the month that begins on `month`, without its files."""
    rows = PeriodClose.objects.filter(month=month, status=ApprovalStatus.APPROVED)
    return rows.select_related("proposed_by", "decided_by").defer("csv", "pdf").first()
