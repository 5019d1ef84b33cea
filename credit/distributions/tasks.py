"""Periodic tasks of distributions. State is in the rows, so that a later run makes up for one."""

from celery import shared_task

from credit.distributions.services import drafting, funding, paying, recording


@shared_task(name="credit.tasks.draft_distributions")
def draft_distributions() -> int:
    """Draft the interest whose record is near. Returns the number of drafts."""
    return drafting.draft_due()


@shared_task(name="credit.tasks.record_distributions")
def record_distributions() -> int:
    """Make the records whose time has come. Returns their number."""
    return recording.record_due()


@shared_task(name="credit.tasks.pay_distributions")
def pay_distributions() -> int:
    """Fund what is due, and pay what is funded. Returns the number of incomes paid."""
    funding.fund_due()
    return paying.pay_due()
