"""Hints to the workers that there is work: after commit, seldom, and never in anybody's way.

Anything may hint by the name of a task; `config.celery` registers what publishes. Rows own the
work, so a hint that is lost costs a few seconds until the next sweep and nothing else. Hence
publishing happens in a thread of its own (a broker that is down holds up no request), at most
once per task and interval (a busy endpoint does not publish for each request), and errors are
logged, not raised.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable

from django.db import DEFAULT_DB_ALIAS, transaction

DELIVER_EVENTS = "exchange.tasks.deliver_events"
WRITE_EXPORTS = "exchange.tasks.write_exports"

_INTERVAL_SECONDS = 0.25

logger = logging.getLogger(__name__)


class TaskNotifier:
    """Passes hints to `publish`, each task at most once in `interval_seconds`.

    The first hint is passed on at once; those within the interval after it become one at its end.
    """

    def __init__(
        self, publish: Callable[[str], None], interval_seconds: float = _INTERVAL_SECONDS
    ) -> None:
        self._publish = publish
        self._interval_seconds = interval_seconds
        self._reset()
        # Threads do not survive a fork, and a lock may be held by one of them at that moment.
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._pending: set[str] = set()
        self._started = False

    def notify(self, task: str) -> None:
        """Ask for one run of `task` soon. Returns at once and never raises."""
        with self._changed:
            self._pending.add(task)
            if not self._started:
                self._started = True
                threading.Thread(target=self._run, name="task-notifier", daemon=True).start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._pending:
                    self._changed.wait()
                tasks, self._pending = self._pending, set()
            for task in sorted(tasks):
                try:
                    self._publish(task)
                except Exception:  # noqa: BLE001 - whatever a broker's client raises, the sweep comes
                    logger.warning("could not wake a worker for %s", task)
            time.sleep(self._interval_seconds)


def _discard(_task: str) -> None:
    """Before anything is registered (commands, tests) nobody is woken."""


_notifier = TaskNotifier(_discard)


def set_publisher(publish: Callable[[str], None]) -> None:
    """From now on hints go to `publish`, called with a task's name in a background thread."""
    global _notifier  # noqa: PLW0603 - one per process, set once by the composition root
    _notifier = TaskNotifier(publish)


def notify_after_commit(task: str, *, using: str = DEFAULT_DB_ALIAS) -> None:
    """Hint at `task` once the transaction of `using` has committed; at once without one."""
    transaction.on_commit(lambda: _notifier.notify(task), using=using, robust=True)
