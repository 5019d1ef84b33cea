"""Periodic work on loans; rows own it, so a run that is lost is made up for by the next."""

from __future__ import annotations

from celery import shared_task

from credit.loans.services import servicing


@shared_task(name="credit.tasks.age_loans")
def age_loans() -> int:
    """Due, overdue and defaulted loans; how many changed."""
    return servicing.age_loans()


@shared_task(name="credit.tasks.revalue_loans")
def revalue_loans() -> int:
    """Collateral that was not valued for a day; how many loans were."""
    return servicing.revalue_loans()
