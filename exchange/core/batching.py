"""Request batching: concurrent calls of one process, executed as one statement.

One statement for many rows in one transaction costs the database far less than many transactions.
The last of several concurrent callers executes the calls of all, the others wait for it. A lone
call runs immediately; calls that arrive during an execution form the next batch.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar, cast

from django.db import DatabaseError

from exchange.core import task_notifier
from exchange.core.commands import Command, as_json
from exchange.core.database import fetch_all, savepoint_if_in_transaction, sqlstate
from exchange.core.errors import DomainError
from exchange.core.idempotency import StoredResponse, retention_period, wait_milliseconds
from exchange.core.metrics import BATCH_SIZE

Item = TypeVar("Item")
Result = TypeVar("Result")
CommandT = TypeVar("CommandT", bound=Command)

# The longest wait for callers that have announced a submission.
_WAIT_SECONDS = 0.01
# The longest wait of a batch for an idempotency key that another request holds.
_SHORT_WAIT_MS = 50


class _Call(Generic[Item, Result]):
    """One caller's item and its result; `turn` is released when it may continue."""

    __slots__ = ("error", "group", "item", "result", "turn")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.result: Result | None = None
        self.error: BaseException | None = None
        self.group: list[_Call[Item, Result]] | None = None
        self.turn = threading.Lock()
        self.turn.acquire()


class Batcher(Generic[Item, Result]):
    """Collects the items of concurrent callers and executes each batch in one call.

    `execute` takes one or more items and returns a result for each, in order. An exception is
    raised in every caller of the batch. Batches never run concurrently.
    """

    def __init__(
        self,
        execute: Callable[[list[Item]], list[Result]],
        wait_seconds: float = _WAIT_SECONDS,
    ) -> None:
        self._execute = execute
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._here = threading.local()
        self._expected = 0
        self._busy = False
        self._waiting: list[_Call[Item, Result]] = []

    @contextlib.contextmanager
    def expect(self) -> Iterator[None]:
        """Announce that this thread will submit; waiting callers wait for it too."""
        if getattr(self._here, "expected", False):  # an outer block has announced it
            yield
            return
        with self._lock:
            self._expected += 1
        self._here.expected = True
        try:
            yield
        finally:
            self.withdraw()

    def withdraw(self) -> None:
        """Take the announcement back: other callers no longer wait for this thread."""
        if not getattr(self._here, "expected", False):
            return
        self._here.expected = False
        with self._lock:
            self._expected -= 1
            self._start_next_batch()

    def submit(self, item: Item) -> Result:
        """Execute `item`, together with those of other callers, and return its result."""
        call = group = None
        with self._lock:
            if getattr(self._here, "expected", False):
                self._here.expected = False
                self._expected -= 1
            if self._busy or self._waiting or self._expected:
                call = _Call[Item, Result](item)
                self._waiting.append(call)
                group = self._take_batch()
            else:
                self._busy = True
        if call is None:
            return self._run_single(item)
        if group is None:
            group = self._wait(call)
        if group is not None:
            self._run_batch(group)
        if call.error is not None:
            raise call.error
        return cast("Result", call.result)  # set by the leader of the batch

    def _run_single(self, item: Item) -> Result:
        try:
            [result] = self._execute([item])
        finally:
            with self._lock:
                self._busy = False
                self._start_next_batch()
        return result

    def _take_batch(self, *, timed_out: bool = False) -> list[_Call[Item, Result]] | None:
        """Return the waiting calls when they can start, else None. Requires the lock."""
        if not self._waiting or (self._expected and not timed_out) or self._busy:
            return None
        self._busy = True
        group, self._waiting = self._waiting, []
        return group

    def _start_next_batch(self) -> None:
        """Make the first waiting call the leader when its batch can start. Requires the lock."""
        group = self._take_batch()
        if group is not None:
            group[0].group = group
            group[0].turn.release()

    def _wait(self, call: _Call[Item, Result]) -> list[_Call[Item, Result]] | None:
        """Wait for the result (return None), or for the batch that this call leads."""
        while not call.turn.acquire(timeout=self._wait_seconds):
            with self._lock:
                if call in self._waiting:
                    group = self._take_batch(timed_out=True)
                    if group is not None:
                        return group
        return call.group

    def _run_batch(self, group: list[_Call[Item, Result]]) -> None:
        try:
            results = self._execute([call.item for call in group])
            for call, result in zip(group, results, strict=True):
                call.result = result
        except BaseException as error:  # noqa: BLE001 - every caller of the batch raises it
            for call in group:
                call.error = error
        finally:
            with self._lock:
                self._busy = False
                self._start_next_batch()
            for call in group:
                call.turn.release()


@dataclass(frozen=True)
class BatchedFunction:
    """A SQL function that executes one or several commands of one kind in one transaction.

    `name(commands jsonb, wait_ms integer, retention interval, status_code integer, message text)`
    returns a row (id, status_code, message, data, replayed) for each command executed, or whose key
    has a stored response. It may skip any of several commands; a single one it executes or rejects.
    """

    name: str
    status_code: int
    message: str

    @cached_property
    def _statement(self) -> str:
        return (
            f"SELECT id::text, status_code, message, data, replayed FROM {self.name}("  # noqa: S608
            "%s::jsonb, %s::integer, %s::interval, %s::integer, %s::text)"
        )

    def run(self, commands: Sequence[Command], wait_ms: int) -> dict[str, StoredResponse]:
        """Execute `commands`; return the responses by the ids of the records created."""
        values = [as_json(commands), wait_ms, retention_period(), self.status_code, self.message]
        with savepoint_if_in_transaction():
            rows = fetch_all(self._statement, values)
        BATCH_SIZE.labels(self.name).observe(len(commands))
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)
        return {created_id: StoredResponse(*response) for created_id, *response in rows}

    def run_single(
        self, command: Command, translate: Callable[[DatabaseError], DomainError | None]
    ) -> StoredResponse:
        """Execute `command` and return its response.

        Raises the error that `translate` returns for a database error, or that error itself.
        """
        try:
            responses = self.run([command], wait_milliseconds())
        except DatabaseError as error:
            rejection = translate(error)
            if rejection is None:
                raise
            raise rejection from error
        return responses[command.created_id]

    def run_batch(
        self, commands: Sequence[CommandT], run_single: Callable[[CommandT], StoredResponse]
    ) -> list[StoredResponse | None]:
        """Execute `commands` together; return None for those that must be executed singly.

        When the batch fails, that is all of them. Raises `DatabaseError` when the connection was
        lost: the outcome is unknown then.
        """
        if len(commands) == 1:
            return [run_single(commands[0])]
        try:
            responses = self.run(commands, _SHORT_WAIT_MS)
        except DatabaseError as error:
            if sqlstate(error) is None:
                raise
            responses = {}
        return [responses.get(command.created_id) for command in commands]
