"""The product's Celery application in a worker that logs the tasks it has finished.

`celery -A tests.environment.worker_journal worker` writes to the file that `TEST_JOURNAL` names: a
line `ready`, then a line `task-id STATE` for each task it has done.
"""

import os
from typing import Any

from celery.signals import task_postrun, worker_ready

from config.celery import app
from exchange.core import task_notifier

# With the file broker a worker may read a message that another still writes, and crash. So these
# workers write none: no task notifications and no remote control.
app.conf.worker_enable_remote_control = False


def _discard(_task: str) -> None:
    """Publish nothing."""


task_notifier.set_publisher(_discard)


def _write(line: str) -> None:
    with open(os.environ["TEST_JOURNAL"], "a") as journal:  # noqa: PTH123 - for its append mode
        journal.write(line + "\n")


@worker_ready.connect
def _record_ready(**_: Any) -> None:
    _write("ready")


@task_postrun.connect
def _record_done(task_id: str, state: str, **_: Any) -> None:
    _write(f"{task_id} {state}")


__all__ = ["app"]
