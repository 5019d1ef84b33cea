"""Periodic servicing of open loans: overdue and default transitions, daily revaluation.

Each loan is its own transaction, locked with `SKIP LOCKED`, so workers share the load and one
failing loan does not block others.
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from credit.loans.models import OPEN, Loan, LoanStatus, Valuation
from credit.loans.services.lending import lock_collateral
from credit.loans.services.loan_events import DEFAULTED, OVERDUE, emit_loan_event
from credit.loans.services.shortfalls import revalue_collateral
from wallets.alerts.services import raise_alert, resolve_alert

logger = structlog.get_logger(__name__)

# The event of the log where a loan is skipped.
FAILED = "loan_servicing_failed"
_REVALUE_EVERY = timedelta(hours=24)


def age_loans() -> int:
    """Mark loans past due as OVERDUE, past grace as DEFAULTED. Returns the number changed."""
    now = timezone.now()
    due = Loan.objects.filter(status=LoanStatus.ACTIVE, repayment_date__lte=now)
    late = Loan.objects.filter(
        status=LoanStatus.OVERDUE, repayment_date__lte=now - F("grace_period") * timedelta(days=1)
    )
    ids = [*due.values_list("id", flat=True), *late.values_list("id", flat=True)]
    return for_each(ids, age_loan, FAILED)


def revalue_loans(*, force: bool = False) -> int:
    """Revalue open loans not valued for a day, or all with `force`. Returns their number."""
    stale = Q(valuation__isnull=True) | Q(valuation__valued_at__lte=timezone.now() - _REVALUE_EVERY)
    wanted = Loan.objects.filter(status__in=OPEN)
    if not force:
        wanted = wanted.filter(stale)
    ids = list(wanted.order_by("id").values_list("id", flat=True))
    reviewed = for_each(ids, revalue_loan, FAILED)
    _report_missing_prices()
    return reviewed


def for_each(record_ids: Collection[UUID], service: Callable[[UUID], int], failed: str) -> int:
    """Return the sum of `service` over the records; failures are logged as `failed` and skipped."""
    total = 0
    for record_id in record_ids:
        try:
            total += service(record_id)
        except Exception:
            logger.exception(failed, record=str(record_id))
    return total


def _report_missing_prices() -> None:
    """Raise or resolve the alert about open loans without usable prices."""
    unvalued = Valuation.objects.filter(loan__status__in=OPEN).exclude(problem="")
    count = unvalued.count()
    if count:
        first = unvalued.order_by("valued_at")[0]
        raise_alert(
            "collateral_prices",
            message=f"Collateral of {count} open loans cannot be valued. First: loan"
            f" {first.loan_id}, {first.problem}",
        )
    else:
        resolve_alert("collateral_prices")


def age_loan(loan_id: UUID) -> int:
    """Apply the due transitions to one loan. Returns 1 if its status changed."""
    with transaction.atomic():
        loan = _lock(loan_id)
        if loan is None:
            return 0
        # Checked again under the lock: it may have been repaid or aged meanwhile.
        now = timezone.now()
        aged = 0
        if loan.status == LoanStatus.ACTIVE and loan.repayment_date <= now:
            set_status(loan, LoanStatus.OVERDUE, OVERDUE)
            aged = 1
        grace = timedelta(days=loan.grace_period)
        if loan.status == LoanStatus.OVERDUE and loan.repayment_date + grace <= now:
            set_status(loan, LoanStatus.DEFAULTED, DEFAULTED)
            aged = 1
        return aged


def set_status(loan: Loan, status: LoanStatus, event_type: str) -> None:
    """Move a locked loan to a status, with its event."""
    loan.status = status
    loan.save(update_fields=["status"])
    loan.refresh_from_db()
    emit_loan_event(loan, event_type)
    logger.info(event_type, loan=str(loan.id))


def revalue_loan(loan_id: UUID) -> int:
    """Revalue the collateral of one loan. Returns 1 if the loan is open."""
    with transaction.atomic():
        lock_collateral(loan_id)
        loan = _lock(loan_id)
        if loan is None or loan.status not in OPEN:
            return 0
        revalue_collateral(loan)
        return 1


def _lock(loan_id: UUID) -> Loan | None:
    return (
        Loan.objects.select_for_update(of=("self",), no_key=True, skip_locked=True)
        .select_related("borrower")
        .filter(id=loan_id)
        .first()
    )
