"""Celery tasks of payouts. They take no arguments and query the rows that are due."""

import structlog
from celery import shared_task

from wallets.payouts.services import circuit, sweeps
from wallets.withdrawals.services.bulk import run_due_approvals

log = structlog.get_logger(__name__)


@shared_task(name="wallets.tasks.sweep_payouts")
def sweep_payouts() -> int:
    """Start due bulk approvals, then run every due step; a failing one does not affect others."""
    run_due_approvals()
    circuit.probe_if_due()
    due = sweeps.due_payouts()
    for withdrawal_id, _ in due:
        try:
            sweeps.process_payout(withdrawal_id)
        except Exception:
            log.exception("payout_step_failed", withdrawal=str(withdrawal_id))
    return len(due)
