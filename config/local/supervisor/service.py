"""The processes of a local installation, and their order of start and stop.

Database, migrations, sandbox, demo data, then web, streams, worker and beat; `Ready` when all
respond. They stop in reverse order within 15 seconds, the database last.
"""

import contextlib
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from config import streamserver, webserver
from config.back_office.roles import are_roles_applied
from config.celery import app as celery_app
from config.database_version import EarlierVersionError, require_upgradable
from config.local.demo.data import total_deposits
from config.local.embedded import sharing
from config.local.embedded.keeper import try_lock
from config.local.embedded.layout import EmbeddedError
from config.local.preflight import check_server
from config.local.supervisor import summary
from config.local.supervisor.children import Child, Children, describe_exit, say
from config.ports import PortUnusable, claim_port, is_responding
from exchange.core import sqlfiles
from exchange.core.models import ScheduledRun

TASK_THREADS = 8
_START_SECONDS = 180.0
_STOP_SECONDS = 7.0
_DATABASE_STOP_SECONDS = 7.0
_STARTS_BEFORE_GIVING_UP = 3
_PROGRESS_SECONDS = 3.0


class UpError(Exception):
    """The installation cannot be started; the message is one line."""


class _Interrupted(Exception):
    """Stopped before it was ready."""


class _Progress:
    """Reports every few seconds what a start is doing."""

    def __init__(self) -> None:
        self._began_at = self._reported_at = time.monotonic()

    def report(self, what: str) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _PROGRESS_SECONDS:
            self._reported_at = now
            say("up", f"{what} ({now - self._began_at:.0f} s)")


@dataclass
class Installation:
    """The installation of `manage.py up`: one data directory, served on one port."""

    host: str
    port: int
    demo: bool
    data_dir: Path = field(default_factory=lambda: Path(settings.DATA_DIR))
    _signals: int = field(default=0, init=False)
    _children: Children = field(init=False)
    _programs: list[Child] = field(default_factory=list, init=False)
    _database: Child | None = field(default=None, init=False)

    @property
    def client_host(self) -> str:
        """The host for clients on this machine."""
        return {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(  # noqa: S104
            self.host, self.host
        )

    @property
    def base_url(self) -> str:
        """The URL of the service."""
        return f"http://{self.client_host}:{self.port}"

    @property
    def run_dir(self) -> Path:
        """The folder of runtime files, emptied at every start."""
        return self.data_dir / "run"

    def run(self) -> None:
        """Run until a signal. Raises UpError, or errors of the parts, when it cannot start."""
        with self._only_one(), contextlib.ExitStack() as stack:
            try:
                self.port = claim_port(self.host, self.port)
            except PortUnusable as error:
                raise UpError(str(error)) from error
            self._note_address()
            if settings.EMBEDDED_DATABASE:
                stack.enter_context(sharing.hold(self.data_dir))
            else:
                check_server(settings.DATABASE_URL)
            self._make_folders()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, self._on_signal)
            self._children = Children(self._environment())
            try:
                self._start()
                while not self._signals:
                    self._children.pump(1.0)
            except _Interrupted:
                pass
            finally:
                self._stop()

    # --- start ---------------------------------------------------------------------------------

    def _start(self) -> None:
        if settings.EMBEDDED_DATABASE:
            self._start_database()
        self._migrate()
        provider_url = settings.PAYMENT_PROVIDER["base_url"]
        if self._sandbox_port:
            provider_url = f"http://127.0.0.1:{self._sandbox_port}/v3"
            self._run_program("sandbox", self._sandbox_command())
        if self.demo:
            self._load_demo(provider_url)
        web = webserver.command(self.host or "0.0.0.0", self.port, kill_seconds=5)  # noqa: S104
        self._run_program("web", web)
        streams = streamserver.command(self.host or "0.0.0.0", self._stream_port)  # noqa: S104
        self._run_program("streams", streams)
        self._run_program("worker", self._worker_command())
        self._run_program("beat", self._beat_command())
        self._await_readiness()
        addresses = {
            "base_url": self.base_url,
            "admin_url": f"{self.base_url}/admin/",
            "provider_url": provider_url,
            "stream_url": f"http://{self.client_host}:{self._stream_port}/v1/stream",
        }
        for line in summary.lines(self.data_dir, addresses, demo=self.demo):
            _print(line)
        _print(f"Ready: {self.base_url}")

    def _start_database(self) -> None:
        ready, failure = False, ""

        def filter_line(line: str) -> str | None:
            nonlocal ready, failure
            word, _, rest = line.partition(" ")
            if word == "ready":
                ready = True
                return None
            if word == "error":
                failure = rest
                return rest if ready else None  # before it is ready, the error ends `up`
            return rest if word == "wait" else line

        command = sharing.keeper_command(self.data_dir, "--follow")
        self._database = Child("database", command, filter_line=filter_line)
        say("up", "starting the database")
        self._children.start(self._database)
        progress = _Progress()
        while not (ready or sharing.is_reachable(self.data_dir)):
            progress.report("waiting for the database")
            self._children.pump(0.05)
            if self._signals:
                raise _Interrupted
            if failure:
                raise EmbeddedError(failure)

    def _migrate(self) -> None:
        connection = connections["owner"]
        try:
            require_upgradable("owner")
        except EarlierVersionError as error:
            raise UpError(str(error)) from error
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        migrated = not plan and sqlfiles.is_installed("owner") and are_roles_applied("owner")
        connection.close()
        if plan:
            say("up", f"applying {len(plan)} migrations")
        elif not migrated:
            say("up", "installing roles, SQL functions and triggers")
        if not migrated:
            self._run_once("migrate", "--verbosity", "0", "--no-input")

    def _load_demo(self, provider_url: str) -> None:
        # The webhook URL may have changed since the last start.
        if summary.demo_is_loaded(self.data_dir, self.base_url) and not (settings.DEMO_WEBHOOK_URL):
            return
        say("up", "loading demo data")
        self._run_once("load_demo", "--base-url", self.base_url, "--provider-url", provider_url)

    def _run_once(self, command: str, *arguments: str) -> None:
        """Run a management command as a child. Raises UpError unless it succeeds."""
        last_line: list[str] = []

        def filter_line(line: str) -> str:
            last_line[:] = [line] if line.strip() else last_line
            return line

        manage = str(Path(settings.BASE_DIR) / "manage.py")
        child = Child(
            command,
            [sys.executable, manage, command, *arguments],
            filter_line=filter_line,
            restarts=False,
        )
        self._programs.append(child)
        self._children.start(child)
        progress = _Progress()
        while child.running:
            progress.report(f"running {command}")
            self._children.pump(0.05)
            if self._signals:
                raise _Interrupted
        self._children.pump(0)
        self._programs.remove(child)
        status = child.process.returncode if child.process else 1
        if status != 0:
            raise UpError(f"`{command}` {describe_exit(status)}: {''.join(last_line)}")

    def _run_program(self, name: str, command: list[str]) -> None:
        child = Child(name, command)
        self._programs.append(child)
        self._children.start(child)

    def _await_readiness(self) -> None:
        waiting: dict[str, Callable[[], bool]] = {
            "web": lambda: is_responding(self.client_host.strip("[]"), self.port, "/health"),
            "streams": lambda: is_responding(
                self.client_host.strip("[]"), self._stream_port, "/health"
            ),
            "worker": self._worker_readiness(),
            "beat": self._beat_readiness(),
        }
        if self._sandbox_port:
            port = self._sandbox_port
            waiting["sandbox"] = lambda: is_responding("127.0.0.1", port, "/sandbox/health")
        deadline = time.monotonic() + _START_SECONDS
        progress = _Progress()
        while waiting:
            self._children.pump(0.1)
            if self._signals:
                raise _Interrupted
            for child in self._programs:
                if child.failures >= _STARTS_BEFORE_GIVING_UP:
                    raise UpError(f"{child.name} does not start; see its output above.")
            if time.monotonic() > deadline:
                raise UpError(f"No response in {_START_SECONDS:g} s from: {', '.join(waiting)}.")
            progress.report(f"waiting for {', '.join(waiting)}")
            waiting = {name: ready for name, ready in waiting.items() if not ready()}

    def _beat_readiness(self) -> Callable[[], bool]:
        """Return a check whether beat has published a task since now."""
        started_at = timezone.now()
        return lambda: ScheduledRun.objects.filter(published_at__gte=started_at).exists()

    def _worker_readiness(self) -> Callable[[], bool]:
        """Return a check that sends a task every two seconds and looks for its result."""
        token = uuid.uuid4().hex
        result = self.run_dir / "worker"
        sent_at = float("-inf")

        def is_ready() -> bool:
            nonlocal sent_at
            if time.monotonic() - sent_at > 2:
                sent_at = time.monotonic()
                celery_app.send_task("config.answer", [token], expires=60)
            return result.exists() and result.read_text() == token

        return is_ready

    # --- stop ----------------------------------------------------------------------------------

    def _stop(self) -> None:
        signals_before = max(self._signals, 1)
        say("up", "stopping")
        self._children.stop(
            self._programs,
            timeout_seconds=_STOP_SECONDS,
            should_abort=lambda: self._signals > signals_before,
        )
        connections.close_all()
        if self._database is not None:
            self._children.stop(
                [self._database],
                timeout_seconds=_DATABASE_STOP_SECONDS,
                should_abort=lambda: False,  # killing it would cause a crash recovery
            )
        self._children.close()
        say("up", "stopped")

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    # --- environment and commands ----------------------------------------------------------------

    def _environment(self) -> dict[str, str]:
        provider = settings.PAYMENT_PROVIDER
        variables = {
            "DATA_DIR": str(self.data_dir),
            "PASSKEY_ORIGIN": os.environ.get("PASSKEY_ORIGIN") or f"http://localhost:{self.port}",
            "PYTHONUNBUFFERED": "1",
            "FLUTTERWAVE_SECRET_KEY": str(provider["secret_key"]),
            "FLUTTERWAVE_WEBHOOK_HASH": str(provider["webhook_hash"]),
        }
        self._stream_port = _free_port_near(self.port + 10)
        self._sandbox_port = 0
        if not os.environ.get("FLUTTERWAVE_BASE_URL"):
            self._sandbox_port = _free_port_near(self.port + 1)
            variables["FLUTTERWAVE_BASE_URL"] = f"http://127.0.0.1:{self._sandbox_port}/v3"
        return {**os.environ, **variables}

    def _sandbox_command(self) -> list[str]:
        # The balances of a new sandbox: all demo deposits, else its own default.
        floats = total_deposits() if self.demo else {}
        return [
            *(sys.executable, "-m", "config.local.sandbox"),
            *("--host", "127.0.0.1", "--port", str(self._sandbox_port)),
            *("--data", str(self.data_dir / "sandbox")),
            *("--webhook-url", f"{self.base_url}/hooks/flutterwave"),
            *("--delay", str(settings.SANDBOX_DELAY_SECONDS)),
            *(f"--float={currency}={amount}" for currency, amount in floats.items()),
        ]

    def _worker_command(self) -> list[str]:
        return [
            # Celery warns about root and uids without an account; both are supported here.
            *(sys.executable, "-W", "ignore:::celery.apps.worker"),
            *("-W", "ignore:::celery.platforms"),
            *("-m", "celery", "-q", "-A", "config.celery", "worker", "--loglevel", "WARNING"),
            *("--pool", "threads", "--concurrency", str(TASK_THREADS)),
            *("--without-gossip", "--without-mingle"),
        ]

    def _beat_command(self) -> list[str]:
        return [
            *(sys.executable, "-m", "celery", "-q", "-A", "config.celery", "beat"),
            *("--loglevel", "WARNING", "--pidfile", ""),
        ]

    # --- the data directory ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _only_one(self) -> Iterator[None]:
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.data_dir / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UpError(f"Cannot use {self.data_dir}: {error.strerror or error}") from error
        if not try_lock(lock):
            running = os.pread(lock, 4096, 0).decode(errors="replace").strip()
            os.close(lock)
            raise UpError(f"{self.data_dir} is in use: {running or 'starting'}")
        self._lock = lock
        try:
            yield
        finally:
            os.ftruncate(lock, 0)
            os.close(lock)

    def _note_address(self) -> None:
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"already running on {self.base_url} (pid {os.getpid()})".encode(), 0)

    def _make_folders(self) -> None:
        broker = self.data_dir / "broker"
        for folder in (self.run_dir, broker, broker / "messages", broker / "control"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o700)
        for leftover in self.run_dir.iterdir():
            leftover.unlink()


def _free_port_near(wanted: int) -> int:
    try:
        return claim_port("127.0.0.1", wanted)
    except PortUnusable:
        return claim_port("127.0.0.1", 0)


def _print(line: str) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
