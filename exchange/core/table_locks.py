"""Waiting for locked tables in short turns, so that requests pass in between.

A change of a table waits until every transaction that uses it has ended, and every later request of
the table waits behind it. A wait below PostgreSQL's deadlock_timeout (1 s) also ends before a
request could be chosen to resolve a deadlock.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError

from exchange.core.database import LOCK_NOT_AVAILABLE, sqlstate

LOCK_TIMEOUT = "500ms"
WAIT_SECONDS = 60.0
_PAUSE_SECONDS = 0.5

Result = TypeVar("Result")


class TablesInUse(Exception):
    """A table was in use until the deadline."""


def in_turns(
    work: Callable[[], Result], *, effect: str, wait_seconds: float = WAIT_SECONDS
) -> Result:
    """Return the result of `work`, which is repeated while it ends with a lock timeout.

    Raises TablesInUse after `wait_seconds`, with `effect` in its text: what is not done.
    """
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return work()
        except OperationalError as error:
            if sqlstate(error) != LOCK_NOT_AVAILABLE:
                raise
            if time.monotonic() >= deadline:
                raise TablesInUse(
                    f"Tables were in use for {wait_seconds:g} seconds; {effect}."
                ) from error
        time.sleep(_PAUSE_SECONDS)
