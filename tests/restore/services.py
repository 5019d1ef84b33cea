"""PgBouncer, RabbitMQ and Redis of an installation, with the files of docs/cluster.

Each listens on a port of its own. PgBouncer runs as the server's user, as Debian's does.
"""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tests.environment.ports import claim_ports
from tests.environment.processes import CHECKOUT, Program
from tests.restore.installation import HOST, Installation

_RABBITMQ = "/usr/lib/rabbitmq/bin"
PACKAGES = {
    "pgbouncer": "pgbouncer",
    f"{_RABBITMQ}/rabbitmq-server": "rabbitmq-server",
    "epmd": "erlang-base",
    "redis-server": "redis-server",
    "redis-cli": "redis-tools",
    "setpriv": "util-linux",
}
# PgBouncer keeps a login's idle connections for a minute: a test need not wait for that.
_IDLE = "server_idle_timeout = 60", "server_idle_timeout = 2"


@dataclass
class Services:
    """The three programs, their first passwords, and the environments of their commands."""

    installation: Installation
    broker_password: str = field(default_factory=lambda: secrets.token_hex(16))
    cache_password: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        self.folder = self.installation.folder / "services"
        self.users = self.folder / "userlist.txt"
        self._pooler_port, self._broker_port = claim_ports(), claim_ports()
        self._cache_port, self._names_port = claim_ports(), claim_ports(2)
        self._programs: list[Program] = []
        self._pooler: Program | None = None

    def database_url(self, login: str, password: str) -> str:
        """Return the database's URL through PgBouncer."""
        return self.installation.url(login, password, self._pooler_port)

    def broker_url(self, user: str, password: str) -> str:
        """Return the URL of RabbitMQ."""
        return f"amqp://{user}:{password}@{HOST}:{self._broker_port}//"

    def cache_url(self, password: str) -> str:
        """Return the URL of Redis."""
        return f"redis://:{password}@{HOST}:{self._cache_port}/0"

    def run(
        self, script: str, *, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of the broker's or the cache's machine."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={
                **self._broker_environment,
                "PATH": f"{_RABBITMQ}:{os.environ['PATH']}",
                "REDIS": f"redis://{HOST}:{self._cache_port}",
                **variables,
            },
            capture_output=True,
            text=True,
            timeout=600,  # ends one that hangs
            check=False,
        )
        assert not check or done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done

    def run_as_pooler(self, script: str, **variables: str) -> None:
        """Run a script of a node with PgBouncer."""
        assert self._pooler is not None
        self.installation.run_as_server(
            script,
            check=True,
            USERLIST=str(self.users),
            PGBOUNCER=str(self._pooler.pid),
            **variables,
        )

    def start(self) -> None:
        """Start all three."""
        self.folder.mkdir()
        self.installation.give(self.folder)
        self._start_cache()
        self._start_pooler()
        self._start_broker()

    def stop(self) -> None:
        """Kill all three."""
        for program in self._programs:
            program.kill()

    def _start_pooler(self) -> None:
        self.users.write_text(f'"exchange_app" "{self.installation.app_password}"\n')
        self.installation.give(self.users)
        path = self._configure(
            "pgbouncer.ini",
            ("listen_port = 6432", f"listen_port = {self._pooler_port}"),
            ("port=5000", f"port={self.installation.port}"),
            ("port=5001", f"port={self.installation.port}"),
            _IDLE,
        )
        self.installation.give(path)
        as_server = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        command = [*(as_server if os.geteuid() == 0 else ()), "pgbouncer", str(path)]
        self._pooler = self._start("pgbouncer", command, self._pooler_port)

    def _start_broker(self) -> None:
        self._start(
            "epmd", ["epmd", "-port", str(self._names_port), "-address", HOST], self._names_port
        )
        self._configure(
            "rabbitmq.conf",
            ("${ADDRESS}:5672", f"{HOST}:{self._broker_port}"),
            RABBITMQ_PASSWORD=self.broker_password,
        )
        self._start("rabbitmq", [f"{_RABBITMQ}/rabbitmq-server"], self._broker_port)

    def _start_cache(self) -> None:
        path = self._configure("redis.conf", ADDRESS=HOST, REDIS_PASSWORD=self.cache_password)
        command = ["redis-server", str(path), "--port", str(self._cache_port)]
        self._start("redis", command, self._cache_port)

    @property
    def _broker_environment(self) -> dict[str, str]:
        folder = str(self.folder)
        return {
            "HOME": folder,
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self._names_port),
            "RABBITMQ_NODENAME": "exchange@localhost",
            "RABBITMQ_DIST_PORT": str(self._names_port + 1),
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
        }

    def _configure(self, name: str, *changes: tuple[str, str], **values: str) -> Path:
        text = (CHECKOUT / "docs" / "cluster" / name).read_text()
        for former, changed in changes:
            assert former in text, f"{name} has no {former}"
            text = text.replace(former, changed)
        path = self.folder / name
        path.write_text(Template(text).substitute({"DIRECTORY": str(self.folder), **values}))
        return path

    def _start(self, name: str, command: list[str], port: int) -> Program:
        program = Program(
            command=command,
            environment=self._broker_environment,
            ready=lambda: _accepts(port),
            output=self.folder / f"{name}.log",
            timeout_seconds=120,
        )
        self._programs.insert(0, program)
        program.start()
        return program


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def running_services(installation: Installation) -> Iterator[Services]:
    """Start the services of the installation for the length of the block."""
    services = Services(installation)
    try:
        services.start()
        yield services
    finally:
        services.stop()
        shutil.rmtree(services.folder, ignore_errors=True)
