"""Celery's edge onto wallets: each task calls one service and is safe to run twice, or at once.

Rows own the work. A message only wakes a worker, so tasks take no arguments: they find what is due.
"""

from __future__ import annotations

import structlog
from celery import shared_task

from wallets.services import circuit, reconciliation, sweeps

log = structlog.get_logger(__name__)


@shared_task(name="wallets.tasks.sweep_payouts")
def sweep_payouts() -> int:
    """Takes every step that is due. One that fails does not keep the others from theirs."""
    circuit.probe_if_due()
    due = sweeps.due_payouts()
    for withdrawal_id, _ in due:
        try:
            sweeps.take_step(withdrawal_id)
        except Exception:
            log.exception("payout_step_failed", withdrawal=str(withdrawal_id))
    return len(due)


@shared_task(name="wallets.tasks.refresh_bank_lists")
def refresh_bank_lists() -> None:
    """Fetches bank lists before they stop being fresh."""
    sweeps.refresh_bank_lists()


@shared_task(name=reconciliation.TASK)
def reconcile() -> int:
    """Makes sure that yesterday is reported on, and works on what waits; how many reports."""
    reconciliation.ask_for_yesterday()
    done = 0
    while reconciliation.run_next():
        done += 1
    return done
