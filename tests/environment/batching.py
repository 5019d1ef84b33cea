"""Runs concurrent calls of a service as one batch, whatever their timing."""

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
    """Runs calls of the service, each in its own thread, as one batch.

    `batch_sizes` are the sizes of the batches; `leader` is the database connection of the last one.
    """

    def __init__(self, callers: Callers, batcher: Batcher[Any, Any]) -> None:
        self.batch_sizes: list[int] = []
        self.leader: psycopg.Connection[Any] | None = None
        self._callers = callers
        self._batcher = batcher

    def __call__(self, *calls: Callable[[], Any]) -> list[Any]:
        """Run the calls and return what each returned or raised."""
        self.batch_sizes.clear()
        announced = threading.Barrier(len(calls))

        def run(call: Callable[[], Any]) -> Any:
            with self._batcher.expect():
                announced.wait()
                return call()

        return self._callers.at_once([partial(run, call) for call in calls])

    def record(self, execute: Callable[[Any], Any], requests: list[Any]) -> Any:
        """Record the batch, then call `execute`."""
        self.batch_sizes.append(len(requests))
        connection.ensure_connection()
        self.leader = connection.connection
        return execute(requests)


@contextmanager
def batch_runner(
    batcher: Batcher[Any, Any], threads: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[BatchRunner]:
    """Yield a `BatchRunner` of at most `threads` calls that submit to `batcher`."""
    # Long enough for any machine: every expected call arrives.
    monkeypatch.setattr(batcher, "_wait_seconds", 60.0)
    with Callers(threads) as callers:
        runner = BatchRunner(callers, batcher)
        monkeypatch.setattr(batcher, "_execute", partial(runner.record, batcher._execute))
        yield runner
