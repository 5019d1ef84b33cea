"""The faults: what happens to the cluster while clients use it."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.cluster import network
from tests.cluster.cluster import (
    ADDRESSES,
    ETCD_NODES,
    WEB_NODES,
    WORKER_NODES,
    Cluster,
    wait_until,
)

Repair = Callable[[], None]


@dataclass(frozen=True)
class Fault:
    """A fault and how long it lasts; `inject` returns what repairs it."""

    description: str
    inject: Callable[[Cluster], Repair]
    seconds: float = 5.0


def _kill_node(cluster: Cluster, name: str) -> Repair:
    node = cluster.nodes[name]
    node.kill()
    return node.restart


def _kill_primary(cluster: Cluster) -> Repair:
    return _kill_node(cluster, _primary(cluster))


def _kill_standby(cluster: Cluster) -> Repair:
    return _kill_node(cluster, cluster.synchronous_standbys()[0])


def _kill_postmaster_with_lagging_standby(cluster: Cluster) -> Repair:
    primary = _primary(cluster)
    lagging = next(
        name for name in cluster.standbys() if name not in cluster.synchronous_standbys()
    )
    network.partition(lagging, [ADDRESSES[primary]])
    time.sleep(3)
    os.kill(_postmaster(cluster, primary), signal.SIGKILL)
    network.heal(lagging)
    return lambda: None


def _kill_patroni(cluster: Cluster) -> Repair:
    node = cluster.nodes[_primary(cluster)]
    os.kill(node.pid("patroni"), signal.SIGKILL)
    return node.restart


def _postmaster(cluster: Cluster, name: str) -> int:
    path = cluster.nodes[name].folder / "patroni" / "data" / "postmaster.pid"
    return int(path.read_text().splitlines()[0])


def _partition(cluster: Cluster, names: list[str], others: list[str]) -> Repair:
    for name in names:
        network.partition(name, [ADDRESSES[other] for other in others])

    def heal() -> None:
        for name in names:
            network.heal(name)

    return heal


def _primary(cluster: Cluster) -> str:
    name: str = wait_until(cluster.primary, "a primary")
    return name


FAULTS = {
    "primary_kill": Fault("kill -9 of every process of the primary", _kill_primary, 35),
    "postmaster_kill": Fault(
        "kill -9 of the primary's postmaster while a standby lags",
        _kill_postmaster_with_lagging_standby,
        15,
    ),
    "patroni_kill": Fault("kill -9 of the primary's Patroni", _kill_patroni, 35),
    "standby_kill": Fault("kill -9 of the synchronous standby", _kill_standby, 15),
    "etcd_partition": Fault(
        "the primary cannot reach etcd",
        lambda cluster: _partition(cluster, [_primary(cluster)], list(ETCD_NODES)),
        35,
    ),
    "web_partition": Fault(
        "the web nodes cannot reach the primary",
        lambda cluster: _partition(cluster, list(WEB_NODES), [_primary(cluster)]),
        10,
    ),
    "broker_kill": Fault("kill -9 of RabbitMQ", lambda cluster: _kill_node(cluster, "broker"), 10),
    "cache_kill": Fault("kill -9 of Redis", lambda cluster: _kill_node(cluster, "cache"), 10),
    "worker_kill": Fault(
        "kill -9 of a worker node", lambda cluster: _kill_node(cluster, WORKER_NODES[0]), 10
    ),
    "web_kill": Fault(
        "kill -9 of a web node", lambda cluster: _kill_node(cluster, WEB_NODES[0]), 10
    ),
}
