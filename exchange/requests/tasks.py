"""Celery tasks of the request log."""

from celery import shared_task

from exchange.requests import services


@shared_task(name="exchange.tasks.purge_requests")
def purge_requests() -> None:
    """Delete what the request log keeps no longer."""
    services.purge_requests()
