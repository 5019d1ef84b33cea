"""Celery tasks of staff."""

from __future__ import annotations

from celery import shared_task

from exchange.staff.services import lockout


@shared_task(name="exchange.tasks.purge_sign_in_tries")
def purge_sign_in_tries() -> None:
    """Remove counters of tries to sign in whose time is over."""
    lockout.purge_expired()
