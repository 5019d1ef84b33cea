"""An installation for benchmarks: a durable embedded database and real servers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from config import streamserver
from config.local.embedded.layout import APPLICATION, OWNER, database_url
from config.local.embedded.sharing import running_server
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until

HOST = "127.0.0.1"
WORKERS = 2
THREADS = 8
TASK_THREADS = 8
# Prints the command that a version's `manage.py up` starts its web server with.
_WEB_COMMAND = """
import json, sys
import django
django.setup()
host, port = sys.argv[1], int(sys.argv[2])
try:
    from config import webserver
except ImportError:
    from config.local.supervisor.service import Installation
    command = Installation(host, port, demo=False)._web_command()
else:
    command = webserver.command(host, port)
print(json.dumps(command))
"""

# Modules of the benchmarks by their names in earlier versions.
_EARLIER_NAMES = {
    "tests.benchmarks.dataset": "tests.benchmarks.world",
    "tests.benchmarks.token_dataset": "tests.benchmarks.token_world",
}


@dataclass(frozen=True)
class Version:
    """A checkout of the exchange, and an interpreter with its packages."""

    checkout: Path
    interpreter: str


PRESENT = Version(Path(__file__).resolve().parent.parent.parent, sys.executable)


class Installation:
    """One version in a benchmark run: its data directory, its database and its processes.

    `server_folder` is the data directory of the database server, `owner_url` the database, and
    `servers` are the processes whose CPU time counts as the application's.
    """

    def __init__(
        self, folder: Path, resources: contextlib.ExitStack, version: Version = PRESENT
    ) -> None:
        self.folder = self.server_folder = folder
        self.version = version
        self.owner_url = database_url(folder, OWNER)
        self.servers: list[int] = []
        self._resources = resources
        kept = ("HOME", "PATH", "LANG", "TMPDIR")
        self.environment = {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
        }

    def prepare(self) -> None:
        """Migrate the database and create the folders of a running installation."""
        for name in ("messages", "control"):  # the broker's folders, as under `up`
            (self.folder / "broker" / name).mkdir(parents=True)
        self.manage("migrate", "--verbosity", "0")

    def install_version(self, version: Version) -> Installation:
        """Install another version with its own database on the same server.

        Its processes are added to this installation's, so that one meter reads both.
        """
        name = "before"
        with psycopg.connect(self.owner_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        other = Installation(self.folder / name, self._resources, version)
        other.server_folder = self.server_folder
        other.owner_url = database_url(self.server_folder, OWNER, name)
        other.servers = self.servers
        other.environment["DATABASE_OWNER_URL"] = other.owner_url
        other.environment["DATABASE_URL"] = database_url(self.server_folder, APPLICATION, name)
        other.prepare()
        return other

    def analyze(self) -> None:
        """Update the database's statistics."""
        with psycopg.connect(self.owner_url, autocommit=True) as connection:
            connection.execute("ANALYZE")

    def python(self, module: str, *arguments: str) -> str:
        """Run a module of the version and return its standard output."""
        if not (self.version.checkout / f"{module.replace('.', '/')}.py").exists():
            module = _EARLIER_NAMES.get(module, module)
        return self._run(self.command(module, *arguments), self.environment)

    def command(self, module: str, *arguments: str) -> list[str]:
        """Return the command line that runs a module of the version."""
        return [self.version.interpreter, "-m", module, *arguments]

    def manage(self, *arguments: str) -> None:
        """Run one of the version's management commands."""
        self._run([self.version.interpreter, "manage.py", *arguments], self.environment)

    def manage_peer(self, environment: Mapping[str, str], *arguments: str) -> None:
        """Run a management command of a peer."""
        self._run(self.command("django", *arguments), {**self.environment, **environment})

    def serve_ours(self, **variables: str) -> str:
        """Serve the exchange as the version's `manage.py up` does; return its URL.

        `variables` are further environment variables.
        """
        port = claim_ports()
        asked = [self.version.interpreter, "-c", _WEB_COMMAND, HOST, str(port)]
        environment = {**self.environment, **variables}
        return self._serve(json.loads(self._run(asked, environment)), port, environment)

    def serve_streams(self) -> tuple[str, int]:
        """Start a stream process; return its URL and port."""
        port = claim_ports()
        return self._serve(streamserver.command(HOST, port), port, self.environment), port

    def serve(self, application: str, environment: Mapping[str, str]) -> str:
        """Serve a peer's WSGI application with as many processes and threads; return its URL."""
        port = claim_ports()
        command = self.command(
            *("granian", "--interface", "wsgi", "--no-ws", "--host", HOST, "--port", str(port)),
            *("--workers", str(WORKERS), "--blocking-threads", str(THREADS)),
            *("--log-level", "warning", "--workers-kill-timeout", "3", application),
        )
        return self._serve(command, port, {**self.environment, **environment})

    def work(self) -> int:
        """Start a worker as `manage.py up` does; return the pid of its one process."""
        process = subprocess.Popen(
            [
                *(self.version.interpreter, "-W", "ignore:::celery.platforms"),
                *("-m", "celery", "-q", "-A", "config.celery", "worker", "--loglevel", "WARNING"),
                *("--pool", "threads", "--concurrency", str(TASK_THREADS)),
                *("--without-gossip", "--without-mingle"),
            ],
            cwd=self.version.checkout,
            env=self.environment,
            start_new_session=True,
        )
        self._resources.callback(_end, process)
        return process.pid

    def _serve(self, command: Sequence[str], port: int, environment: Mapping[str, str]) -> str:
        process = subprocess.Popen(
            command, cwd=self.version.checkout, env=environment, start_new_session=True
        )
        self._resources.callback(_end, process)
        self.servers.append(process.pid)
        wait_until(lambda: _listens(port), what=f"{command[-1]} listens", seconds=60)
        return f"http://{HOST}:{port}"

    def _run(self, command: Sequence[str], environment: Mapping[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.version.checkout,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stderr[-2000:]}")
        return done.stdout


@contextlib.contextmanager
def prepared() -> Iterator[Installation]:
    """Yield an installation on a migrated, durable database; removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="exchange-bench-"))
    with contextlib.ExitStack() as resources:
        resources.callback(shutil.rmtree, folder, ignore_errors=True)
        resources.enter_context(running_server(folder))
        installation = Installation(folder, resources)
        installation.prepare()
        yield installation


def _listens(port: int) -> bool:
    with contextlib.closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=8)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
