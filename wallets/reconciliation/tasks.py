"""Celery tasks of reconciliation."""

from celery import shared_task

from wallets.reconciliation.services import reports


@shared_task(name=reports.TASK)
def reconcile() -> int:
    """Request the daily report if due, run all pending reports, and return their number."""
    reports.request_daily_report()
    done = 0
    while reports.run_next_report():
        done += 1
    return done
