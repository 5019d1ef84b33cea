"""Request batching: calls that threads of one process make at the same moment, carried out as one.

A statement for many rows in one transaction costs the database far less than as many statements
in transactions of their own. So requests that are under way at the same time meet here: the last
one to arrive carries out the calls of all, the others wait for it. Who is alone waits for nobody;
who arrives while calls are carried out waits for their end, for those go together next.
"""

from __future__ import annotations

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
from exchange.core.idempotency import StoredResponse, retention_period

Item = TypeVar("Item")
Result = TypeVar("Result")
CommandT = TypeVar("CommandT", bound=Command)

# How long somebody waits at most for others that said they were coming, in seconds.
_WAIT_SECONDS = 0.01
# How long a command that goes with others waits for a key that somebody else has, in milliseconds.
_SHORT_WAIT_MS = 50


class _Call(Generic[Item, Result]):
    """One caller's item and, in the end, its result; `turn` is released when there is news."""

    __slots__ = ("error", "group", "item", "result", "turn")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.result: Result | None = None
        self.error: BaseException | None = None
        self.group: list[_Call[Item, Result]] | None = None
        self.turn = threading.Lock()
        self.turn.acquire()


class Batcher(Generic[Item, Result]):
    """Gathers items of concurrent callers and has `execute` deal with each gathering at once.

    `execute` gets one or more items and gives a result for each, in their order. What it raises
    is raised in all of its callers. At most one gathering is carried out at a time.
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
        """While inside, this thread is expected to submit; who waits already waits for it too."""
        if getattr(self._here, "expected", False):  # said already, further out
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
        """This thread will not submit after all, or not soon: nobody need wait for it."""
        if not getattr(self._here, "expected", False):
            return
        self._here.expected = False
        with self._lock:
            self._expected -= 1
            self._start_next_batch()

    def submit(self, item: Item) -> Result:
        """The result for `item`, carried out together with those of others."""
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
        return cast("Result", call.result)  # set by whoever led the group

    def _run_single(self, item: Item) -> Result:
        try:
            [result] = self._execute([item])
        finally:
            with self._lock:
                self._busy = False
                self._start_next_batch()
        return result

    def _take_batch(self, *, timed_out: bool = False) -> list[_Call[Item, Result]] | None:
        """All who wait, when it is time to begin; with the lock held."""
        if not self._waiting or (self._expected and not timed_out) or self._busy:
            return None
        self._busy = True
        group, self._waiting = self._waiting, []
        return group

    def _start_next_batch(self) -> None:
        """Lets the first who waits lead, when it is time to begin; with the lock held."""
        group = self._take_batch()
        if group is not None:
            group[0].group = group
            group[0].turn.release()

    def _wait(self, call: _Call[Item, Result]) -> list[_Call[Item, Result]] | None:
        """Waits for the result (None), or for being the one who leads."""
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
        except BaseException as error:  # noqa: BLE001 - each of the group raises it by itself
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
    """A SQL function that carries out commands of one kind, one or several, in one transaction.

    `name(commands jsonb, wait_ms integer, kept interval, status_code integer, message text)` gives
    a row (id, status_code, message, data, replayed) for each command that it carried out, or whose
    key had an answer. It may leave out any of several; one alone it answers or refuses.
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
        """Carry out `commands`; return the answers by the ids of what was made."""
        values = [as_json(commands), wait_ms, retention_period(), self.status_code, self.message]
        with savepoint_if_in_transaction():
            rows = fetch_all(self._statement, values)
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)
        return {made: StoredResponse(*answer) for made, *answer in rows}

    def run_batch(
        self, commands: Sequence[CommandT], run_single: Callable[[CommandT], StoredResponse]
    ) -> list[StoredResponse | None]:
        """Carry out `commands` as one; return None for those that must go `alone`.

        When PostgreSQL refuses the set, every one goes alone. Raises `DatabaseError` when the
        connection was lost: what became of them is not known then.
        """
        if len(commands) == 1:
            return [run_single(commands[0])]
        try:
            answers = self.run(commands, _SHORT_WAIT_MS)
        except DatabaseError as error:
            if sqlstate(error) is None:
                raise
            answers = {}
        return [answers.get(command.created_id) for command in commands]
