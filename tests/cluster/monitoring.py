"""Prometheus of the cluster, with the files of docs/monitoring on a node of its own."""

import contextlib
import shutil
from typing import Any

import requests

from tests.cluster.cluster import (
    ADDRESSES,
    HOST_NAME,
    PROMETHEUS_PORT,
    WEB_NODES,
    WORKER_NODES,
    Cluster,
    wait_until,
)
from tests.cluster.node import CONFIGURATION

_MONITORING = CONFIGURATION.with_name("monitoring")
_WEB = {f"{ADDRESSES[name]}:9464" for name in WEB_NODES}
_WORKERS = {f"{ADDRESSES[name]}:9465" for name in WORKER_NODES}
_BEATS = {f"{ADDRESSES[name]}:9466" for name in WORKER_NODES}
_STREAMS = {f"{ADDRESSES[name]}:9467" for name in WEB_NODES}
# What the programs of each kind must have reported since the start: a single request for metrics
# may take too long on a busy machine.
_EXPECTED = {
    'max_over_time(up{job=~"exchange-.+"}[1h]) == 1': _WEB | _WORKERS | _BEATS | _STREAMS,
    "max_over_time(exchange_requests_total[1h]) > 0": _WEB,
    "max_over_time(exchange_reading_succeeded[1h]) == 1": _WEB,
    "max_over_time(exchange_tasks_total[1h]) > 0": _WORKERS,
}


def start(cluster: Cluster) -> None:
    """Start Prometheus with the targets and rules of docs/monitoring."""
    node = cluster.nodes["monitor"]
    source = f"../{_MONITORING.name}/prometheus.yml"
    path = node.configure(source, "prometheus", "prometheus", cluster.values, name="prometheus.yml")
    shutil.copy(_MONITORING / "alerts.yml", path.parent)
    command = [
        *("prometheus", f"--config.file={path}", f"--storage.tsdb.path={path.parent / 'data'}"),
        *(f"--web.listen-address={node.address}:{PROMETHEUS_PORT}", "--log.level=warn"),
    ]
    node.start("prometheus", command, user="prometheus")


def verify(cluster: Cluster) -> int:
    """Wait until every program of the service is read, with its metrics; return their number.

    Raises AssertionError that names what is missing, or if clients can read them too.
    """
    for query, instances in _EXPECTED.items():
        with contextlib.suppress(TimeoutError):  # the comparison says what is missing
            wait_until(
                lambda: instances <= _instances(cluster, query),  # noqa: B023 - called at once
                query,
            )
        missing = instances - _instances(cluster, query)
        assert not missing, f"{query} lacks {sorted(missing)}: {_errors(cluster)}"
    for path in ("/metrics", "/metrics/"):
        response = requests.get(f"{cluster.url}{path}", verify=str(cluster.certificate), timeout=10)
        assert response.status_code == 404, f"{HOST_NAME}{path}: {response.status_code}"
    return len(_WEB | _WORKERS | _BEATS | _STREAMS)


def _instances(cluster: Cluster, query: str) -> set[str]:
    found = _ask(cluster, "query", query=query)["result"]
    return {each["metric"]["instance"] for each in found}


def _errors(cluster: Cluster) -> dict[str, str]:
    """Return why the last scrape of a program failed, by its address."""
    targets = _ask(cluster, "targets", state="active")["activeTargets"]
    return {each["scrapeUrl"]: each["lastError"] for each in targets if each["lastError"]}


def _ask(cluster: Cluster, path: str, **parameters: str) -> dict[str, Any]:
    url = f"{cluster.prometheus_url}/api/v1/{path}"
    body = requests.get(url, params=parameters, timeout=10).json()
    assert body["status"] == "success", body
    found: dict[str, Any] = body["data"]
    return found
