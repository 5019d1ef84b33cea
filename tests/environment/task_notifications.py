"""Recording of notifications to workers."""

from collections.abc import Iterator

import pytest

from exchange.core import task_notifier


@pytest.fixture
def task_notifications() -> Iterator[list[str]]:
    """The names of the tasks that workers are notified about."""
    tasks: list[str] = []
    before = task_notifier._notifier
    task_notifier.set_publisher(tasks.append)
    yield tasks
    task_notifier._notifier = before
