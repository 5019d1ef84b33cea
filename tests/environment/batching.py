"""Has calls of a service that go together meet in one set, whatever the clock does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection

from exchange.core.batching import Batcher
from tests.environment.concurrency import Callers


class BatchRunner:
    """Has calls of the service, each in a thread of its own, carried out as one set.

    `sets` are the sizes of the sets; `leader` is the database connection of the last one.
    """

    def __init__(self, callers: Callers, meeting: Batcher[Any, Any]) -> None:
        self.sets: list[int] = []
        self.leader: psycopg.Connection[Any] | None = None
        self._crowd = callers
        self._meeting = meeting

    def __call__(self, *calls: Callable[[], Any]) -> list[Any]:
        """What each returned or raised."""
        self.sets.clear()
        all_said = threading.Barrier(len(calls))

        def come(call: Callable[[], Any]) -> Any:
            with self._meeting.expect():
                all_said.wait()
                return call()

        return self._crowd.at_once([partial(come, call) for call in calls])

    def watch(self, execute: Callable[[Any], Any], forms: list[Any]) -> Any:
        """In the place of `execute`."""
        self.sets.append(len(forms))
        connection.ensure_connection()
        self.leader = connection.connection
        return execute(forms)


@contextmanager
def batch_runner(
    meeting: Batcher[Any, Any], threads: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[BatchRunner]:
    """A `Gather` of at most so many calls to whoever submits to `meeting`."""
    # Long enough to wait for a thread on any machine; nobody stays away here.
    monkeypatch.setattr(meeting, "_wait_seconds", 60.0)
    with Callers(threads) as callers:
        run_as_batch = BatchRunner(callers, meeting)
        monkeypatch.setattr(meeting, "_execute", partial(run_as_batch.watch, meeting._execute))
        yield run_as_batch
