"""Celery tasks of exports."""

import threading

from celery import shared_task

from exchange.core import task_notifier
from exchange.exports import services as exports

# A long file occupies a thread for minutes: one at a time per process.
_run_slot = threading.BoundedSemaphore(1)


@shared_task(name=task_notifier.WRITE_EXPORTS)
def write_exports() -> int:
    """Write exports that are waiting or whose worker died; return the number written."""
    if not _run_slot.acquire(blocking=False):
        return 0
    written = 0
    try:
        while exports.write_next_export():
            written += 1
    finally:
        _run_slot.release()
    return written


@shared_task(name="exchange.tasks.purge_exports")
def purge_exports() -> None:
    """Delete expired export files."""
    exports.purge_exports()
