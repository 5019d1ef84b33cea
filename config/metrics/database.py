"""Metrics that PostgreSQL knows: payouts, outbox, books, float, alerts, leases, locks.

Each reading is one statement with a bound on rows and time, as the service's own role, at most once
per few seconds.
"""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence

import structlog
from django.db import DatabaseError, connections, transaction
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from config.metrics.readings import READINGS, Reading
from exchange.core.database import Row, fetch_all, fetch_one, is_unavailable, sqlstate

logger = structlog.get_logger(__name__)

# Requests for metrics within this time get the same values.
_CACHE_SECONDS = 5.0
_STATEMENT_SECONDS = 2


class DatabaseCollector(Collector):
    """Reads PostgreSQL when metrics are requested."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._metrics: list[Metric] = []
        self._read_at = float("-inf")

    def collect(self) -> Iterable[Metric]:
        """Return the values of at most a few seconds ago."""
        with self._lock:
            if time.monotonic() - self._read_at > _CACHE_SECONDS:
                self._metrics = list(_read_all())
                self._read_at = time.monotonic()
            return self._metrics


def _read_all() -> Iterator[Metric]:
    """Read everything; a reading that fails is reported, and the rest returned."""
    succeeded = GaugeMetricFamily(
        "exchange_reading_succeeded",
        "Whether these values could be read from PostgreSQL",
        labels=["reading"],
    )
    available = True
    for reading in READINGS:
        if reading.database not in connections.settings:
            continue
        rows = None
        if available:
            try:
                rows = _fetch(reading)
            except DatabaseError as error:
                logger.warning("metrics.not_read", reading=reading.name, error=str(error).strip())
                available = sqlstate(error) is not None or not is_unavailable(error)
        succeeded.add_metric([reading.name], float(rows is not None))
        yield from _families(reading, rows or ())
    yield succeeded
    for connection in connections.all(initialized_only=True):
        connection.close()  # this thread ends with the request


def _fetch(reading: Reading) -> list[Row]:
    with transaction.atomic(using=reading.database):
        fetch_one(
            "SELECT set_config('statement_timeout', %s, true)",
            [f"{_STATEMENT_SECONDS}s"],
            using=reading.database,
        )
        return fetch_all(reading.sql, reading.parameters(), using=reading.database)


def _families(reading: Reading, rows: Sequence[Row]) -> Iterator[Metric]:
    for position, (name, description) in enumerate(reading.metrics, start=len(reading.labels)):
        family = GaugeMetricFamily(name, description, labels=reading.labels)
        for row in rows:
            family.add_metric([str(label) for label in row[: len(reading.labels)]], row[position])
        yield family
