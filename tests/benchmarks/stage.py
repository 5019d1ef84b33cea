"""Where benchmarks play: a durable embedded database of their own, and real servers on it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from config.embedded.sharing import running_server
from config.supervisor.ports import claim_port
from tests.support.processes import wait_until

HOST = "127.0.0.1"
WORKERS = 2
THREADS = 8
TASK_THREADS = 8
_CHECKOUT = Path(__file__).resolve().parent.parent.parent


class Stage:
    """One benchmark run: its data directory, and `servers`, the processes it started."""

    def __init__(self, folder: Path, resources: contextlib.ExitStack) -> None:
        self.folder = folder
        self.servers: list[int] = []
        self._resources = resources
        kept = ("HOME", "PATH", "LANG", "TMPDIR")
        self.environment = {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
        }

    def python(self, module: str, *arguments: str) -> str:
        """Runs a module of ours to its end and gives its standard output."""
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=_CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{module}: {done.stderr[-2000:]}")
        return done.stdout

    def manage(self, *arguments: str) -> None:
        """Runs one of our management commands."""
        self._run([sys.executable, "manage.py", *arguments], self.environment)

    def manage_peer(self, environment: Mapping[str, str], *arguments: str) -> None:
        """Runs a management command of a peer."""
        self._run([sys.executable, "-m", "django", *arguments], {**self.environment, **environment})

    def serve(self, application: str, environment: Mapping[str, str] | None = None) -> str:
        """Serves a WSGI application as `manage.py up` serves ours; its base URL."""
        port = claim_port(HOST, 0)
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"),
                *("--host", HOST, "--port", str(port), "--workers", str(WORKERS)),
                *("--blocking-threads", str(THREADS), "--log-level", "warning"),
                *("--workers-kill-timeout", "3", application),
            ],
            cwd=_CHECKOUT,
            env={**self.environment, **(environment or {})},
            start_new_session=True,
        )
        self._resources.callback(_end, process)
        self.servers.append(process.pid)
        wait_until(lambda: _listens(port), what=f"{application} to listen", seconds=60)
        return f"http://{HOST}:{port}"

    def work(self) -> int:
        """Starts a worker as `manage.py up` does; the pid of its one process."""
        process = subprocess.Popen(
            [
                *(sys.executable, "-W", "ignore:::celery.platforms"),
                *("-m", "celery", "-q", "-A", "config.celery", "worker", "--loglevel", "WARNING"),
                *("--pool", "threads", "--concurrency", str(TASK_THREADS)),
                *("--without-gossip", "--without-mingle"),
            ],
            cwd=_CHECKOUT,
            env=self.environment,
            start_new_session=True,
        )
        self._resources.callback(_end, process)
        return process.pid

    def _run(self, command: list[str], environment: Mapping[str, str]) -> None:
        done = subprocess.run(
            command, cwd=_CHECKOUT, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stderr[-2000:]}")


@contextlib.contextmanager
def prepared() -> Iterator[Stage]:
    """A migrated, durable database and a stage on it; everything is ended and removed after."""
    folder = Path(tempfile.mkdtemp(prefix="exchange-bench-"))
    with contextlib.ExitStack() as resources:
        resources.callback(shutil.rmtree, folder, ignore_errors=True)
        resources.enter_context(running_server(folder))
        for name in ("messages", "control"):  # where hints to workers go, as under `up`
            (folder / "broker" / name).mkdir(parents=True)
        stage = Stage(folder, resources)
        stage.manage("migrate", "--verbosity", "0")
        yield stage


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
