"""Serves metrics over HTTP at METRICS_LISTEN, in the text format of Prometheus.

The web server's processes write to files in a directory of their own; one of them serves the sums,
and queries PostgreSQL. Worker, beat and streams, one process each, serve theirs on the next three
ports. All do so from a thread.
"""

import os
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from config.metrics import pools
from config.metrics.addresses import WEB, address_of, claim_address
from config.metrics.database import DatabaseCollector

# The longest until another web process serves when the one that did has ended.
_PAUSE_SECONDS = 2.0


def serve_in_thread(program: int) -> None:
    """Serve this process's own metrics, if METRICS_LISTEN is set."""
    address = claim_address(program)
    if address is not None:
        start_http_server(address[1], address[0], _WithPools(REGISTRY))


def serve_from_web_process() -> None:
    """Serve the metrics of all web processes, and of PostgreSQL, unless another of them does.

    Only below `config.webserver`, which makes the directory.
    """
    folder, address = os.environ.get("PROMETHEUS_MULTIPROC_DIR"), address_of(WEB)
    if folder and address:
        threading.Thread(target=_serve_web, args=(Path(folder), *address), daemon=True).start()


def _serve_web(folder: Path, host: str, port: int) -> None:
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(DatabaseCollector())
    serves = False
    while True:
        pools.record()
        if serves:
            _forget_ended_processes(folder)
        else:
            with suppress(OSError):  # another process serves
                start_http_server(port, host, registry)
                serves = True
        time.sleep(_PAUSE_SECONDS)


def _forget_ended_processes(folder: Path) -> None:
    """Remove the gauges of web processes that ended; their counters stay in the totals."""
    for pid in {int(path.stem.rpartition("_")[2]) for path in folder.glob("gauge_live*.db")}:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]


class _WithPools(Collector):
    """A registry that reads the state of the pools at every request for metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterable[Metric]:
        pools.record()
        return self._registry.collect()
