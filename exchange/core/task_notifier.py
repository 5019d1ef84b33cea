"""Notifications to workers that a task has work, sent after commit.

Rows own the work: a lost notification costs a few seconds until the next sweep. So a background
thread publishes (a broker that is down delays no request), at most once per task and interval,
and errors are logged. `config.celery` sets the publisher.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.db import transaction

DELIVER_EVENTS = "exchange.tasks.deliver_events"
WRITE_EXPORTS = "exchange.tasks.write_exports"

_INTERVAL_SECONDS = 0.25

logger = logging.getLogger(__name__)


class TaskNotifier:
    """Publishes task names, each at most once per `interval_seconds`.

    The first notification is published immediately; those within the interval after it are merged
    into one at its end.
    """

    def __init__(
        self, publish: Callable[[str], None], interval_seconds: float = _INTERVAL_SECONDS
    ) -> None:
        self._publish = publish
        self._interval_seconds = interval_seconds
        self._reset()
        # Threads do not survive a fork, and one may hold the lock at that moment.
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._pending: dict[str, dict[str, Any]] = {}
        self._started = False

    def notify(self, task: str) -> None:
        """Request a run of `task`. Returns immediately and never raises."""
        with self._changed:
            if task in self._pending:
                return
            self._pending[task] = structlog.contextvars.get_contextvars()
            if not self._started:
                self._started = True
                threading.Thread(target=self._run, name="task-notifier", daemon=True).start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._pending:
                    self._changed.wait()
                tasks, self._pending = self._pending, {}
            for task, context in sorted(tasks.items()):
                # Of several merged notifications, the log context of the first.
                with structlog.contextvars.bound_contextvars(**context):
                    try:
                        self._publish(task)
                    except Exception:  # noqa: BLE001 - the next sweep finds the work
                        logger.warning("could not notify a worker of %s", task)
            time.sleep(self._interval_seconds)


def _discard(_task: str) -> None:
    """Publish nothing: the default in commands and tests."""


_notifier = TaskNotifier(_discard)


def set_publisher(publish: Callable[[str], None]) -> None:
    """Send notifications to `publish`, which is called in a background thread."""
    global _notifier  # noqa: PLW0603 - one per process, set once by the composition root
    _notifier = TaskNotifier(publish)


def notify_after_commit(task: str) -> None:
    """Notify `task` when the open transaction commits; immediately without one."""
    transaction.on_commit(lambda: _notifier.notify(task), robust=True)
