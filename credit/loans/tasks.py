"""Periodic tasks of loans. State is in the rows, so the next run makes up for a lost one."""

from celery import shared_task

from credit.loans.services import servicing


@shared_task(name="credit.tasks.age_loans")
def age_loans() -> int:
    """Update due, overdue and defaulted loans. Returns the number changed."""
    return servicing.age_loans()


@shared_task(name="credit.tasks.revalue_loans")
def revalue_loans() -> int:
    """Revalue collateral not valued for a day. Returns the number of loans."""
    return servicing.revalue_loans()
