"""Write the request log in the background (decision 67).

A process keeps what it logs in memory, and a thread of its own writes it once a second. A request
never waits for it: what finds the memory full is dropped and counted. A kill loses the last second.
"""

import threading
import time
from collections import Counter
from datetime import datetime
from multiprocessing.util import Finalize
from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction

from exchange.core.database import is_unavailable
from exchange.core.ids import uuid7
from exchange.core.metrics import REQUEST_LOG_DROPPED

logger = structlog.get_logger(__name__)

CAPACITY = 10_000
_PAUSE_SECONDS = 1.0


class RequestEntry(NamedTuple):
    """A logged request, in the order of its columns. The ids of others stay the text they are."""

    id: UUID
    organisation_id: str
    key_id: str
    method: str
    path: str
    status_code: int
    code: str
    fields: list[str]
    request_id: str
    milliseconds: int
    created_at: datetime


class ReadKey(NamedTuple):
    """What reads are counted by."""

    organisation_id: str
    key_id: str
    path: str
    hour_at: datetime


class RequestLog:
    """What this process has logged and not written, at most `capacity` of each kind."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._requests: list[RequestEntry] = []
        self._reads: Counter[ReadKey] = Counter()

    def add_request(self, entry: RequestEntry) -> None:
        """Log a request."""
        with self._lock:
            if len(self._requests) < self._capacity:
                self._requests.append(entry)
                return
        REQUEST_LOG_DROPPED.inc()

    def count_read(self, key: ReadKey) -> None:
        """Count a successful read."""
        with self._lock:
            if key in self._reads or len(self._reads) < self._capacity:
                self._reads[key] += 1
                return
        REQUEST_LOG_DROPPED.inc()

    def start(self) -> None:
        """Write once a second from now on, and when the process ends. Call it after a fork."""
        threading.Thread(target=self._run, name="request-log", daemon=True).start()
        # Also in a process of multiprocessing, such as a web process, which runs no `atexit`.
        Finalize(None, self.flush, exitpriority=1)

    def flush(self) -> None:
        """Write everything; keep it, as far as there is room, while no database takes it."""
        with self._writing:
            with self._lock:
                requests, self._requests = self._requests, []
                reads, self._reads = self._reads, Counter()
            if not requests and not reads:
                return
            try:
                _write(requests, reads)
            except Error as error:
                connections[DEFAULT_DB_ALIAS].close()
                logger.warning("request_log.not_written", error=str(error).strip())
                if is_unavailable(error):
                    self._keep(requests, reads)
                else:
                    REQUEST_LOG_DROPPED.inc(len(requests) + reads.total())

    def _keep(self, requests: list[RequestEntry], reads: Counter[ReadKey]) -> None:
        with self._lock:
            kept = requests[: max(self._capacity - len(self._requests), 0)]
            self._requests = kept + self._requests
            self._reads += reads
        REQUEST_LOG_DROPPED.inc(len(requests) - len(kept))

    def _run(self) -> None:
        while True:
            time.sleep(_PAUSE_SECONDS)
            self.flush()


REQUEST_LOG = RequestLog()

_COPY = f"COPY exchange_loggedrequest ({', '.join(RequestEntry._fields)}) FROM STDIN"
_COUNT = """
    INSERT INTO exchange_readcount AS c (id, organisation_id, key_id, path, hour_at, count)
    SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::text[], %s::timestamptz[],
                         %s::bigint[])
    ON CONFLICT (key_id, path, hour_at) DO UPDATE SET count = c.count + excluded.count
"""


def _write(requests: list[RequestEntry], reads: Counter[ReadKey]) -> None:
    connection = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic(), connection.cursor() as cursor, connection.wrap_database_errors:
        # Nothing waits for a log to be durable.
        cursor.execute("SET LOCAL synchronous_commit = off")
        if requests:
            with cursor.copy(_COPY) as copy:
                for entry in requests:
                    copy.write_row(entry)
        if reads:
            # In one order: two processes that count the same reads do not meet a deadlock.
            keys = sorted(reads)
            columns = [list(column) for column in zip(*keys, strict=True)]
            ids, counts = [uuid7() for _ in keys], [reads[key] for key in keys]
            cursor.execute(_COUNT, [ids, *columns, counts])
