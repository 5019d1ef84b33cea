"""Concurrent callers: threads with a connection each, over HTTP or to the services."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.db import OperationalError, connection, connections

Result = TypeVar("Result")


def race_size(name: str, default: int) -> int:
    """Return the size of a race: `RACE_<NAME>` from the environment, or the default."""
    return int(os.environ.get(f"RACE_{name}", default))


@dataclass(frozen=True)
class Call:
    """One POST of `body`, JSON text; `tag` identifies the call."""

    path: str
    body: str
    headers: dict[str, str]
    tag: int = 0


@dataclass(frozen=True)
class Reply:
    """The response to a call."""

    tag: int
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def send_concurrently(base_url: str, calls: Iterable[Call], connections_count: int) -> list[Reply]:
    """Send all calls in order over that many keep-alive connections at once."""
    host = urlsplit(base_url).netloc
    queue: SimpleQueue[Call] = SimpleQueue()
    for call in calls:
        queue.put(call)
    start = threading.Barrier(connections_count)

    def work(_: int) -> list[Reply]:
        replies: list[Reply] = []
        client = http.client.HTTPConnection(host, timeout=60)
        client.connect()
        start.wait()
        while True:
            try:
                call = queue.get_nowait()
            except Empty:
                client.close()
                return replies
            headers = {"Content-Type": "application/json", **call.headers}
            client.request("POST", call.path, call.body, headers)
            response = client.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            replies.append(Reply(call.tag, response.status, response.read(), received))

    with ThreadPoolExecutor(connections_count) as pool:
        return [reply for some in pool.map(work, range(connections_count)) for reply in some]


def _connect() -> None:
    """Connect this thread; wait while other test processes hold all the server's connections."""
    for _ in range(300):
        try:
            return connection.ensure_connection()
        except OperationalError as error:
            if "too many clients" not in str(error):
                return None
            time.sleep(0.1)
    return None


def start_call(call: Callable[[], Result]) -> Future[Result]:
    """Start `call` in a thread with its own connection; the result is what it returns or raises."""

    def run() -> Result:
        try:
            return call()
        finally:
            connections.close_all()

    threads = ThreadPoolExecutor(1)
    started = threads.submit(run)
    threads.shutdown(wait=False)
    return started


def is_waited_for() -> bool:
    """Return whether another session waits for a lock of this thread's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted"
            " AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
        )
        (found,) = cursor.fetchone()
    return bool(found)


class Callers:
    """Runs functions at the same moment, each in a thread with its own connection."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Callers:
        return self

    def __exit__(self, *_: object) -> None:
        # Every thread closes its connection.
        self.at_once([connections.close_all] * self._threads)
        self._pool.shutdown()

    def at_once(self, functions: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run the functions and return what each returned or raised, in order.

        Takes at most as many functions as there are threads.
        """
        assert len(functions) <= self._threads
        start = threading.Barrier(len(functions))

        def run(function: Callable[[], Any]) -> Any:
            _connect()
            start.wait()
            try:
                return function()
            except Exception as error:  # noqa: BLE001 - the test judges it
                return error

        return list(self._pool.map(run, functions))
