"""Celery tasks of back-office users."""

from celery import shared_task

from exchange.staff.services import lockout


@shared_task(name="exchange.tasks.purge_sign_in_attempts")
def purge_sign_in_attempts() -> None:
    """Delete expired counters of sign-in attempts."""
    lockout.purge_expired()
