"""Serves metrics over HTTP at METRICS_LISTEN, in the text format of Prometheus.

The web server's processes write to files in a directory of their own; one more process reads them,
and queries PostgreSQL. Worker and beat, one process each, serve theirs from a thread, on the next
two ports.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from config.metrics import pools
from config.metrics.addresses import claim_address
from config.metrics.database import DatabaseCollector, use_one_connection


def serve_in_thread(program: int) -> None:
    """Serve this process's own metrics, if METRICS_LISTEN is set."""
    address = claim_address(program)
    if address is not None:
        start_http_server(address[1], address[0], _WithPools(REGISTRY))


def serve_web(address: tuple[str, int]) -> None:
    """Serve the metrics of all web processes, and of PostgreSQL, until SIGTERM.

    Runs in a process of its own, with the signals of `config.webserver` blocked.
    """
    use_one_connection()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(DatabaseCollector())
    start_http_server(address[1], address[0], registry)
    parent = os.getppid()
    while os.getppid() == parent and not signal.sigtimedwait({signal.SIGTERM, signal.SIGINT}, 1):
        pass


def forget_process(pid: int) -> None:
    """Remove the gauges of a web process that exited; its counters stay in the totals."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]


class _WithPools(Collector):
    """A registry that reads the state of the pools at every request for metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Metric]:
        pools.record()
        return self._registry.collect()
