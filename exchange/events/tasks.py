"""Celery tasks of events."""

import threading

from celery import shared_task

from exchange.core import task_notifier
from exchange.events.services import deliveries, expiring_keys

# Slow receivers can hold up a run for half a minute; the limit leaves the worker's other threads to
# payouts. A run that finds no slot is not needed: the next sweep picks up the due rows.
_run_slots = threading.BoundedSemaphore(2)


@shared_task(name=task_notifier.DELIVER_EVENTS)
def deliver_events() -> None:
    """Deliver due events; notify another run when some are left."""

    if not _run_slots.acquire(blocking=False):
        return
    try:
        more = deliveries.deliver_due().more
    finally:
        _run_slots.release()
    if more:
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)


@shared_task(name="exchange.tasks.warn_of_expiring_keys")
def warn_of_expiring_keys() -> None:
    """Emit an event for API keys that expire soon."""
    expiring_keys.warn_of_expiring_keys()
