"""Celery tasks of bank lists."""

from celery import shared_task

from wallets.banks import services as banks


@shared_task(name="wallets.tasks.refresh_bank_lists")
def refresh_bank_lists() -> None:
    """Fetch bank lists before they become stale."""
    banks.refresh_bank_lists()
