"""Celery tasks of access tokens."""

from celery import shared_task

from exchange.participants.services import api_keys


@shared_task(name="exchange.tasks.purge_access_tokens")
def purge_access_tokens() -> None:
    """Delete access tokens that expired more than a day ago."""
    api_keys.purge_access_tokens()
