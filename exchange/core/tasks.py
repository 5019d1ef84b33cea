"""Celery tasks of the kernel."""

from celery import shared_task

from exchange.core import idempotency


@shared_task(name="exchange.tasks.purge_idempotency_keys")
def purge_idempotency_keys() -> None:
    """Delete expired idempotency keys with their responses."""
    idempotency.purge_idempotency_keys()
