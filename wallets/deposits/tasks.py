"""Celery tasks of deposits. They take no arguments and query the rows that are due."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import structlog
from celery import shared_task
from django.utils import timezone

from exchange.core.actors import Actor
from wallets.alerts.services import report_unreadable
from wallets.deposits.services import crediting, payments
from wallets.providers.base import ProviderUnavailable
from wallets.providers.collection import ChargeHint, TransactionStatus
from wallets.providers.registry import payment_provider
from wallets.receivables.services.repayments import collect_due

# The provider's time zone is unknown, and a webhook may be lost for hours.
_LOOK_BACK = timedelta(days=2)
_ACTOR = Actor.system("deposits")

log = structlog.get_logger(__name__)


@shared_task(name=payments.SWEEP_DEPOSITS)
def sweep_deposits() -> int:
    """Look up due payments, clear due deposits, and collect debts; one failure stops no other."""
    now = timezone.now()
    steps: list[tuple[Callable[[UUID, Actor], object], UUID]] = [
        *((payments.look_up, due) for due in payments.due_payments(now)),
        *((crediting.clear, due) for due in crediting.due_to_clear(now)),
    ]
    for step, record_id in steps:
        try:
            step(record_id, _ACTOR)
        except Exception:
            log.exception("deposit_step_failed", record=str(record_id))
    return len(steps) + collect_due(_ACTOR)


@shared_task(name="wallets.tasks.find_payments")
def find_payments() -> int:
    """Report the provider's successful payments of these days, in case a webhook was lost."""
    today = timezone.now().date()
    try:
        found = payment_provider().list_transactions(
            first=today - _LOOK_BACK,
            last=today + timedelta(days=1),
            status=TransactionStatus.SUCCESSFUL,
        )
    except ProviderUnavailable as error:
        log.warning("payments_not_listed", error=str(error))
        return 0
    report_unreadable("payments", found.unreadable)
    return sum(
        payments.report_payment(ChargeHint(record.transaction_id, record.tx_ref))
        for record in found
    )
