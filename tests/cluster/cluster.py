"""The reference cluster: its nodes, started from the files of docs/cluster and docs/monitoring."""

import contextlib
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import requests
from cryptography.fernet import Fernet

from tests.cluster import certificate, network
from tests.cluster.node import Node

HOST_NAME = "exchange.example"
DATABASE_NODES = ("pg1", "pg2", "pg3")
ETCD_NODES = ("etcd1", "etcd2", "etcd3")
WEB_NODES = ("web1", "web2")
WORKER_NODES = ("worker1", "worker2")
ADDRESSES = {
    name: str(network.NETWORK[number])
    for number, name in enumerate(
        (
            *(*ETCD_NODES, *DATABASE_NODES, *WEB_NODES, *WORKER_NODES),
            *("broker", "cache", "provider", "front", "monitor"),
        ),
        start=11,
    )
}
_PROVIDER_PORT = 8021
PROMETHEUS_PORT = 9090
# Of each worker.
WORKER_THREADS = 4
_START_SECONDS = 90.0
# Debian packages with the programs that the cluster starts.
PACKAGES = {
    "etcd": "etcd-server",
    "patroni": "patroni",
    "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
    "haproxy": "haproxy",
    "pgbouncer": "pgbouncer",
    "rabbitmq-server": "rabbitmq-server",
    "redis-server": "redis-server",
    "pgbackrest": "pgbackrest",
    "prometheus": "prometheus",
    "nft": "nftables",
    "setpriv": "util-linux",
    "ip": "iproute2",
}
# In comments of pgbackrest.conf: the repository of the cluster is a folder.
_S3 = ("S3_ENDPOINT", "S3_BUCKET", "S3_REGION", "S3_KEY", "S3_KEY_SECRET")
_RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def wait_until(condition: Callable[[], Any], what: str, timeout: float = _START_SECONDS) -> Any:
    """Return the first true value of `condition`. Raises TimeoutError that names `what`."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Not within {timeout:g} s: {what}")
        time.sleep(0.1)
    return value


def missing_packages() -> list[str]:
    """Return the Debian packages whose programs this machine lacks."""
    return sorted({PACKAGES[name] for name in PACKAGES if shutil.which(name) is None})


@dataclass
class Cluster:
    """The running cluster: its nodes and the secrets that it was set up with."""

    folder: Path
    nodes: dict[str, Node]
    values: dict[str, str]

    @property
    def url(self) -> str:
        """The address of the service, through the proxy."""
        return f"https://{HOST_NAME}"

    @property
    def certificate(self) -> Path:
        """The certificate that clients trust."""
        return self.folder / "exchange.crt"

    @property
    def provider_url(self) -> str:
        """The root of the payment provider's sandbox."""
        return f"http://{ADDRESSES['provider']}:{_PROVIDER_PORT}"

    @property
    def prometheus_url(self) -> str:
        """The root of Prometheus."""
        return f"http://{ADDRESSES['monitor']}:{PROMETHEUS_PORT}"

    def environment(self, name: str = WORKER_NODES[0]) -> dict[str, str]:
        """Return the environment of the programs of the service on the node `name`."""
        text = (self.nodes[name].folder / "exchange" / "exchange.env").read_text()
        lines = (line for line in text.splitlines() if line and not line.startswith("#"))
        # All requests come from one key, faster than a key may. A payout that a worker left behind
        # is taken over after its lease, which is longer than a request to the provider may take.
        limits = {
            "RATE_LIMIT_REQUESTS": "1000000",
            "RATE_LIMIT_MONEY": "1000000",
            "FLUTTERWAVE_READ_TIMEOUT": "8",
            "FLUTTERWAVE_TOTAL_TIMEOUT": "10",
            "PAYOUT_LEASE_SECONDS": "20",
        }
        return {**dict(line.split("=", 1) for line in lines), **limits, "PYTHONUNBUFFERED": "1"}

    def primary(self) -> str | None:
        """Return the name of the node that Patroni considers the primary, or None."""
        for name in DATABASE_NODES:
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"http://{ADDRESSES[name]}:8008/primary", timeout=1).ok:
                    return name
        return None

    def synchronous_standbys(self) -> list[str]:
        """Return the standbys that acknowledge each commit."""
        return [name for name in DATABASE_NODES if self._responds(name, "/synchronous")]

    def standbys(self) -> list[str]:
        """Return the standbys that replicate from the primary."""
        return [name for name in DATABASE_NODES if self._responds(name, "/replica")]

    def _responds(self, name: str, path: str) -> bool:
        with contextlib.suppress(requests.RequestException):
            return requests.get(f"http://{ADDRESSES[name]}:8008{path}", timeout=1).ok
        return False

    def connect(
        self, name: str, user: str = "postgres", database: str = "exchange"
    ) -> psycopg.Connection[Any]:
        """Return a connection to the PostgreSQL of the node `name`, past all proxies."""
        passwords = {
            "postgres": "POSTGRES_PASSWORD",
            "exchange_owner": "OWNER_PASSWORD",
            "exchange_app": "APP_PASSWORD",
        }
        return psycopg.connect(
            host=ADDRESSES[name],
            user=user,
            password=self.values[passwords[user]],
            dbname=database,
            autocommit=True,
            connect_timeout=3,
        )

    def archive_environment(self, name: str) -> dict[str, str]:
        """Return what `postgres` exports on the node `name` before the commands of back-up.md."""
        folder = self.nodes[name].folder
        return {
            "PGBACKREST_CONFIG": str(folder / "pgbackrest" / "pgbackrest.conf"),
            "PGDATA": str(folder / "patroni" / "data"),
            "PGHOST": str(folder / "patroni"),
            "PGPORT": "5432",
        }

    def manage(self, *arguments: str, owner: bool = False) -> str:
        """Run `manage.py` on a worker node with the cluster's environment; return its output."""
        return self.python("manage.py", *arguments, owner=owner)

    def python(self, *arguments: str, owner: bool = False, timeout: float = 180.0) -> str:
        """Run Python on a worker node with the cluster's environment; return its output."""
        environment = self.environment()
        if owner:
            environment["DATABASE_OWNER_URL"] = self.owner_url()
        worker = self.nodes[WORKER_NODES[0]]
        command = [sys.executable, *arguments]
        return worker.run(command, environment=environment, timeout=timeout)

    def owner_url(self) -> str:
        """Return the owner's URL: through HAProxy to the primary, past PgBouncer."""
        password = self.values["OWNER_PASSWORD"]
        return f"postgresql://exchange_owner:{password}@127.0.0.1:5000/exchange"


def _values() -> dict[str, str]:
    passwords = (
        "PATRONI",
        "POSTGRES",
        "REPLICATION",
        "REWIND",
        "OWNER",
        "APP",
        "RABBITMQ",
        "REDIS",
    )
    cluster = ",".join(f"{name}=http://{ADDRESSES[name]}:2380" for name in ETCD_NODES)
    return {
        **{f"{name}_PASSWORD": secrets.token_hex(16) for name in passwords},
        **{name.upper(): address for name, address in ADDRESSES.items()},
        **{f"STREAMS{n}": ADDRESSES[name] for n, name in enumerate(WEB_NODES, 1)},
        "NETWORK": str(network.NETWORK),
        "ETCD_CLUSTER": cluster,
        "ETCD_HOSTS": ",".join(f"{ADDRESSES[name]}:2379" for name in ETCD_NODES),
        "HOST_NAME": HOST_NAME,
        "REPOSITORY_PASSPHRASE": secrets.token_hex(16),
        "ALERTMANAGER": ADDRESSES["monitor"],  # nothing listens there
        "LOG": "log stdout format raw daemon notice",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "FIELD_ENCRYPTION_KEYS": Fernet.generate_key().decode(),
        "PROVIDER_URL": f"http://{ADDRESSES['provider']}:{_PROVIDER_PORT}/v3",
        "FLUTTERWAVE_SECRET_KEY": f"FLWSECK_TEST-{secrets.token_hex(8)}-X",
        "FLUTTERWAVE_WEBHOOK_HASH": secrets.token_hex(16),
    }


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Start the cluster below `folder` for the length of the block, then stop it."""
    network.create_bridge()
    folder.chmod(0o755)
    nodes = {name: Node(name, address, folder / name) for name, address in ADDRESSES.items()}
    cluster = Cluster(folder, nodes, _values())
    for node in nodes.values():
        node.create()
    try:
        _start_etcd(cluster)
        _start_broker_and_cache(cluster)
        _start_databases(cluster)
        _start_database_proxies(cluster)
        _prepare_database(cluster)
        _start_provider(cluster)
        _start_service(cluster)
        _start_front(cluster)
        yield cluster
    finally:
        for node in nodes.values():
            node.kill()


def _start_etcd(cluster: Cluster) -> None:
    for name in ETCD_NODES:
        node = cluster.nodes[name]
        path = node.configure("etcd.yml", "etcd", "root", cluster.values)
        node.start("etcd", ["etcd", "--config-file", str(path)])
    urls = [f"http://{ADDRESSES[name]}:2379/health" for name in ETCD_NODES]
    wait_until(lambda: all(map(_http_ok, urls)), "etcd is healthy")


def _http_ok(url: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(url, timeout=1).ok
    return False


def _start_databases(cluster: Cluster) -> None:
    repository = cluster.folder / "repository"
    repository.mkdir(mode=0o700)
    shutil.chown(repository, "postgres", "postgres")
    archive = {**cluster.values, **dict.fromkeys(_S3, ""), "REPOSITORY": str(repository)}
    for name in DATABASE_NODES:
        node = cluster.nodes[name]
        (node.directory("pgbackrest", "postgres") / "log").mkdir(exist_ok=True)
        shutil.chown(node.folder / "pgbackrest" / "log", "postgres", "postgres")
        own = {**archive, **cluster.archive_environment(name)}
        node.configure("pgbackrest.conf", "pgbackrest", "postgres", own)
        path = node.configure("patroni.yml", "patroni", "postgres", cluster.values)
        environment = cluster.archive_environment(name)
        node.start("patroni", ["patroni", str(path)], user="postgres", environment=environment)
    wait_until(
        lambda: (
            cluster.primary() and cluster.synchronous_standbys() and len(cluster.standbys()) == 2
        ),
        "a primary, a synchronous standby and a second standby",
        120,
    )


def _start_broker_and_cache(cluster: Cluster) -> None:
    broker = cluster.nodes["broker"]
    path = broker.configure("rabbitmq.conf", "rabbitmq", "rabbitmq", cluster.values)
    folder = str(path.parent)
    broker.start(
        "rabbitmq",
        [_RABBITMQ],
        user="rabbitmq",
        environment={
            "HOME": folder,
            "RABBITMQ_NODENAME": "exchange@localhost",
            "RABBITMQ_CONFIG_FILE": str(path),
            "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
        },
    )
    cache = cluster.nodes["cache"]
    path = cache.configure("redis.conf", "redis", "redis", cluster.values)
    cache.start("redis", ["redis-server", str(path)], user="redis")


def _start_database_proxies(cluster: Cluster) -> None:
    for name in (*WEB_NODES, *WORKER_NODES):
        node = cluster.nodes[name]
        path = node.configure("haproxy-database.cfg", "haproxy", "haproxy", cluster.values)
        node.start("haproxy", ["haproxy", "-W", "-f", str(path)], user="haproxy")
        path = node.configure("pgbouncer.ini", "pgbouncer", "postgres", cluster.values)
        users = path.with_name("userlist.txt")
        users.write_text(f'"exchange_app" "{cluster.values["APP_PASSWORD"]}"\n')
        users.chmod(0o600)
        shutil.chown(users, "postgres")
        node.start("pgbouncer", ["pgbouncer", str(path)], user="postgres")


def _prepare_database(cluster: Cluster) -> None:
    primary = wait_until(cluster.primary, "a primary")
    path = cluster.nodes[primary].configure("roles.sql", "patroni", "postgres", cluster.values)
    for name in (*WEB_NODES, *WORKER_NODES):
        cluster.nodes[name].configure("exchange.env", "exchange", "root", cluster.values)
    with cluster.connect(primary, database="postgres") as connection:
        for statement in path.read_text().split(";\n"):
            if statement.strip():
                connection.execute(statement.encode())
    cluster.manage("migrate", "--no-input", "--database", "owner", "--verbosity", "0", owner=True)
    cluster.manage("collectstatic", "--no-input", "--verbosity", "0")


def _start_provider(cluster: Cluster) -> None:
    node = cluster.nodes["provider"]
    data = node.directory("sandbox", "root")
    node.start(
        "sandbox",
        [
            *(sys.executable, "-m", "config.local.sandbox", "--host", node.address),
            *("--port", str(_PROVIDER_PORT), "--data", str(data), "--delay", "0.5"),
            *("--secret-key", cluster.values["FLUTTERWAVE_SECRET_KEY"]),
            *("--webhook-hash", cluster.values["FLUTTERWAVE_WEBHOOK_HASH"]),
            *("--webhook-retry-seconds", "5"),
        ],
    )
    wait_until(lambda: _http_ok(f"{cluster.provider_url}/sandbox/health"), "the sandbox responds")


def _start_service(cluster: Cluster) -> None:
    web = [sys.executable, "-m", "config.webserver", "--host"]
    celery = [sys.executable, "-m", "celery", "-A", "config.celery"]
    for name in WEB_NODES:
        node = cluster.nodes[name]
        environment = cluster.environment(name)
        node.start("web", [*web, node.address, "--port", "8000"], environment=environment)
        streams = [sys.executable, "-m", "config.streamserver", "--host", node.address]
        node.start("streams", [*streams, "--port", "8001"], environment=environment)
    for name in WORKER_NODES:
        node = cluster.nodes[name]
        environment = cluster.environment(name)
        pool = ["--pool", "threads", "--concurrency", str(WORKER_THREADS)]
        worker = [*celery, "worker", *pool, "-l", "WARNING"]
        # Nodes share the machine's name, and RabbitMQ rejects a second worker of the same name.
        named = ["--hostname", f"celery@{name}"]
        node.start("worker", [*worker, *named], environment=environment)
        beat = [*celery, "beat", "--pidfile", "", "-l", "WARNING"]
        node.start("beat", beat, environment=environment)


def _start_front(cluster: Cluster) -> None:
    node = cluster.nodes["front"]
    path = node.configure("haproxy-front.cfg", "haproxy", "root", cluster.values)
    pem = certificate.self_signed(HOST_NAME, ADDRESSES["front"])
    path.with_name("exchange.pem").write_bytes(pem.key + pem.certificate)
    cluster.certificate.write_bytes(pem.certificate)
    node.start("haproxy", ["haproxy", "-W", "-f", str(path)])
    wait_until(lambda: all(map(_web_ready, WEB_NODES)), "the web nodes are ready")


def _web_ready(name: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(
            f"http://{ADDRESSES[name]}:8000/health/ready", headers={"Host": HOST_NAME}, timeout=3
        ).ok
    return False
