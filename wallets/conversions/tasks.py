"""Celery tasks of conversions."""

from celery import shared_task

from wallets.conversions import services


@shared_task(name="wallets.tasks.purge_conversion_quotes")
def purge_conversion_quotes() -> None:
    """Delete old quotes."""
    services.purge_quotes()
