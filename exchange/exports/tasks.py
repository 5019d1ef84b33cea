"""Celery tasks of exports."""

from __future__ import annotations

import threading

from celery import shared_task

from exchange.core import task_notifier
from exchange.exports import services as exports

# A long file keeps a thread busy for minutes: one at a time in a process.
_run_slot = threading.BoundedSemaphore(1)


@shared_task(name=task_notifier.WRITE_EXPORTS)
def write_exports() -> int:
    """Write the exports that wait, or whose worker died; how many were taken up."""
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
    """Remove the files of exports that are kept no longer."""
    exports.purge_exports()
