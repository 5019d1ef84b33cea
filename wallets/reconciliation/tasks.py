"""Celery tasks of reconciliation."""

from celery import shared_task

from wallets.reconciliation import services as reconciliation


@shared_task(name=reconciliation.TASK)
def reconcile() -> int:
    """Request the daily report if due, run all pending reports, and return their number."""
    reconciliation.request_daily_report()
    done = 0
    while reconciliation.run_next_report():
        done += 1
    return done
