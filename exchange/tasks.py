"""Tasks of the exchange: each calls one service. Names are stable, beat and hints use them."""

from __future__ import annotations

import threading

from celery import shared_task

from exchange.core import wake
from exchange.services import deliveries, exports, housekeeping, lockout

# Slow receivers may hold a run up for half a minute; the worker's other threads stay free for
# payouts. A run that finds no place is not missed: the rows are due, and the next sweep comes.
_places = threading.BoundedSemaphore(2)
# A long file keeps a thread busy for minutes: one at a time in a process.
_desk = threading.BoundedSemaphore(1)


@shared_task(name=wake.DELIVER_EVENTS)
def deliver_events() -> None:
    """Deliver every event that is due; hint at another run when there was too much for one."""
    if not _places.acquire(blocking=False):
        return
    try:
        more = deliveries.deliver_due().more
    finally:
        _places.release()
    if more:
        wake.after_commit(wake.DELIVER_EVENTS)


@shared_task(name="exchange.tasks.purge_idempotency_keys")
def purge_idempotency_keys() -> None:
    """Remove stored answers older than they are promised."""
    housekeeping.purge_idempotency_keys()


@shared_task(name="exchange.tasks.purge_access_tokens")
def purge_access_tokens() -> None:
    """Remove access tokens that expired long ago."""
    housekeeping.purge_access_tokens()


@shared_task(name="exchange.tasks.purge_sign_in_tries")
def purge_sign_in_tries() -> None:
    """Remove counters of tries to sign in whose time is over."""
    lockout.purge()


@shared_task(name=wake.WRITE_EXPORTS)
def write_exports() -> int:
    """Write the exports that wait, or whose worker died; how many were taken up."""
    if not _desk.acquire(blocking=False):
        return 0
    written = 0
    try:
        while exports.write_next():
            written += 1
    finally:
        _desk.release()
    return written


@shared_task(name="exchange.tasks.purge_exports")
def purge_exports() -> None:
    """Remove the files of exports that are kept no longer."""
    housekeeping.purge_exports()
