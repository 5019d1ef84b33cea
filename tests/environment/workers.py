"""Several Celery workers, each a process of its own, that receive the same task at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from kombu import Queue

from tests.environment.processes import Program, wait_until
from tests.environment.services import ServiceStack

_POLL_SECONDS = 0.1


class Workers:
    """`size` workers of one task at a time, on the test's database and a queue of their own.

    They run inside the `with` block.
    """

    def __init__(self, service_stack: ServiceStack, size: int) -> None:
        self._queue = f"{service_stack.queue}-crew"
        self._client = service_stack.celery()
        self._client.conf.task_default_queue = self._queue
        self._journals = [service_stack.folder / "run" / f"crew-{number}" for number in range(size)]
        # The file broker is polled; other brokers push.
        options = {**service_stack.broker_options, "polling_interval": _POLL_SECONDS}
        self._programs = [
            Program(
                command=[
                    sys.executable, "-m", "celery", "-q", "-A", "tests.environment.worker_journal",
                    "worker",
                    "--pool", "solo", "--hostname", f"{journal.name}@tests", "--loglevel", "ERROR",
                    "--without-gossip", "--without-mingle", "--without-heartbeat",
                ],
                environment={
                    **service_stack.environment,
                    "TEST_BROKER_OPTIONS": json.dumps(
                        options if service_stack.broker_options else {}
                    ),
                    "TEST_BROKER_QUEUE": self._queue,
                    "TEST_JOURNAL": str(journal),
                },
                ready=journal.exists,
                output=service_stack.folder / f"{journal.name}.log",
            )
            for journal in self._journals
        ]  # fmt: skip

    def __enter__(self) -> Workers:
        for journal in self._journals:
            journal.unlink(missing_ok=True)
        # Declared before the workers start: they would race for the file broker's list of queues.
        with self._bound_queue() as queue:
            queue.declare()
        try:
            with ThreadPoolExecutor(len(self._programs)) as pool:
                list(pool.map(Program.start, self._programs))
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        with self._bound_queue() as queue:
            # A connection can only delete the bindings that it declared.
            queue.declare()
            queue.delete()
        self._client.close()

    def send_to_each(self, task: str) -> list[str]:
        """Send `task` once for each worker and return the ids.

        The workers are stopped meanwhile, so that they find all messages complete.
        """
        with self._paused():
            return [self._client.send_task(task).id for _ in self._programs]

    def await_done(self, tasks: list[str]) -> list[list[str]]:
        """Wait until all `tasks` have succeeded; return those of each worker."""
        wait_until(lambda: set(tasks) <= self._done().keys(), "the workers have done their tasks")
        found = self._done()
        assert {found[task] for task in tasks} == {"SUCCESS"}
        return [[task for task in tasks if task in done] for done in self._read()]

    @contextlib.contextmanager
    def _bound_queue(self) -> Iterator[Queue]:
        with self._client.connection() as connection:
            yield self._client.amqp.queues[self._queue].bind(connection.default_channel)

    def _kill(self) -> None:
        for program in self._programs:
            program.kill()

    def _done(self) -> dict[str, str]:
        return {task: state for done in self._read() for task, state in done.items()}

    def _read(self) -> list[dict[str, str]]:
        """Return the states of the finished tasks of each worker."""
        lines = [journal.read_text().splitlines() for journal in self._journals]
        return [dict(line.split() for line in some if line != "ready") for some in lines]

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        for program in self._programs:
            os.kill(program.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for program in self._programs:
                os.kill(program.pid, signal.SIGCONT)
