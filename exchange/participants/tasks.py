"""Celery tasks of access tokens."""

from __future__ import annotations

from celery import shared_task

from exchange.participants.services import api_keys


@shared_task(name="exchange.tasks.purge_access_tokens")
def purge_access_tokens() -> None:
    """Remove access tokens that expired long ago."""
    api_keys.purge_access_tokens()
