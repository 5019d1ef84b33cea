"""Celery tasks of payouts. They take no arguments and query the rows that are due."""

import structlog
from celery import shared_task

from wallets.payouts.services import circuit, sweeps

log = structlog.get_logger(__name__)


@shared_task(name="wallets.tasks.sweep_payouts")
def sweep_payouts() -> int:
    """Run every due step; a failing one does not affect the others."""
    circuit.probe_if_due()
    due = sweeps.due_payouts()
    for withdrawal_id, _ in due:
        try:
            sweeps.process_payout(withdrawal_id)
        except Exception:
            log.exception("payout_step_failed", withdrawal=str(withdrawal_id))
    return len(due)
