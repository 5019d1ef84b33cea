"""Celery tasks of events."""

from __future__ import annotations

import threading

from celery import shared_task

from exchange.core import task_notifier
from exchange.events.services import deliveries

# Slow receivers may hold a run up for half a minute; the worker's other threads stay free for
# payouts. A run that finds no place is not missed: the rows are due, and the next sweep comes.
_run_slots = threading.BoundedSemaphore(2)


@shared_task(name=task_notifier.DELIVER_EVENTS)
def deliver_events() -> None:
    """Deliver every event that is due; hint at another run when there was too much for one."""
    if not _run_slots.acquire(blocking=False):
        return
    try:
        more = deliveries.deliver_due().more
    finally:
        _run_slots.release()
    if more:
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)
