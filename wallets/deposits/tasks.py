"""Celery tasks of deposits. They take no arguments and query the rows that are due."""

from datetime import timedelta

import structlog
from celery import shared_task
from django.utils import timezone

from exchange.core.actors import Actor
from wallets.alerts.services import report_unreadable
from wallets.deposits.services import chargebacks, payments
from wallets.providers.base import ProviderUnavailable
from wallets.providers.registry import payment_provider
from wallets.receivables.services.repayments import collect_due

# The provider's time zone is unknown, and a webhook may be lost for hours.
_LOOK_BACK = timedelta(days=2)
_ACTOR = Actor.system("deposits")

log = structlog.get_logger(__name__)


@shared_task(name=payments.SWEEP_DEPOSITS)
def sweep_deposits() -> int:
    """Look up due payments, and those of deposits due to clear; collect debts.

    One failure stops no other.
    """
    now = timezone.now()
    chargebacks.schedule_due_deposits(now)
    due = payments.due_payments(now)
    for payment_id in due:
        try:
            payments.look_up(payment_id, _ACTOR)
        except Exception:
            log.exception("deposit_step_failed", record=str(payment_id))
    return len(due) + collect_due(_ACTOR)


@shared_task(name="wallets.tasks.find_payments")
def find_payments() -> int:
    """Report what is new among the provider's payments and chargebacks of these days.

    A webhook may be lost.
    """
    today = timezone.now().date()
    first, last = today - _LOOK_BACK, today + timedelta(days=1)
    provider = payment_provider()
    try:
        records = provider.list_transactions(first=first, last=last)
        listed = provider.list_chargebacks(first=first, last=last)
    except ProviderUnavailable as error:
        log.warning("payments_not_listed", error=str(error))
        return 0
    report_unreadable("payments", records.unreadable)
    report_unreadable("chargebacks", listed.unreadable)
    hints = chargebacks.find_news(records, listed)
    return sum(payments.report_payment(hint) for hint in hints)
