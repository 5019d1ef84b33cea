"""One embedded PostgreSQL server: created, started and stopped by its keeper process.

Only `keeper` uses this; everything else connects by URL. The keeper must be single-threaded while
it starts programs, which change their user between fork and exec.

    DIR/postgres/            mode 0700
        data/                the cluster, owned by PostgreSQL's user
        socket/              the socket (or a short folder elsewhere, see `layout.socket_dir`)
        server.log           the server's log
        server.lock          locked by the keeper; users.lock by every user of the server
"""

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql

from config.local.embedded.identity import Identity, initdb_identity, server_identity
from config.local.embedded.layout import (
    APPLICATION,
    DATABASE,
    OWNER,
    RUNTIME_ROLE,
    EmbeddedError,
    binary,
    database_url,
    postgres_dir,
    socket_dir,
)

START_SECONDS = 60.0
STOP_SECONDS = 5.0
_LOG_LIMIT_BYTES = 10 * 1024 * 1024

DURABLE = {"fsync": "on", "max_connections": "100", "shared_buffers": "128MB"}
# For tests: same semantics, no durability.
VOLATILE = {
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "128MB",
}


@dataclass
class Cluster:
    """The server of `data_dir`; `report` receives progress messages for the operator."""

    data_dir: Path
    durable: bool = True
    report: Callable[[str], None] = field(default=lambda _line: None)
    # The running postmaster, or None before `start`.
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._home = postgres_dir(self.data_dir)
        self._data, self._log = self._home / "data", self._home / "server.log"

    def start(self) -> None:
        """Create the cluster if missing, start it, create its roles and database.

        Raises EmbeddedError with one line.
        """
        try:
            self._make_folders()
            identity = server_identity(binary("postgres"))
            if not (self._data / "PG_VERSION").exists():
                self._create(identity)
            self._chown(self._data, identity)
            self._clear_stale_pid()
            self._launch(identity)
        except OSError as error:
            raise EmbeddedError(_explain(error)) from error
        self._bootstrap()

    def stop(self) -> None:
        """Stop the server: a fast shutdown first, then an immediate one (crash recovery)."""
        if self.process is None:
            return
        for how, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, 3), (None, 3)):
            if self.process.poll() is None:
                self.process.send_signal(how or signal.SIGKILL)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            break
        self.process = None
        sockets = socket_dir(self.data_dir)
        if not sockets.is_relative_to(self._home.absolute()):
            with contextlib.suppress(OSError):  # not empty after a kill: the next start reuses it
                sockets.rmdir()

    def _make_folders(self) -> None:
        self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._home.chmod(0o700)
        make_private(socket_dir(self.data_dir))
        if self._log.exists() and self._log.stat().st_size > _LOG_LIMIT_BYTES:
            self._log.unlink()

    def _create(self, server: Identity) -> None:
        """Run `initdb` in another folder, then rename it: an incomplete one is never used."""
        self.report("creating the database cluster")
        if self._data.exists() and any(self._data.iterdir()):
            raise EmbeddedError(
                f"{self._data} is not a PostgreSQL cluster (no PG_VERSION): restore or remove it."
            )
        identity = initdb_identity(server, binary("initdb"))
        fresh = self._home / "data.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        self._chown(fresh, identity)
        command = [
            str(binary("initdb")),
            f"--pgdata={fresh}",
            f"--username={OWNER}",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            *([] if self.durable else ["--no-sync"]),
        ]
        done = subprocess.run(  # noqa: S603 - our own wheel's program
            command,
            preexec_fn=identity.make_preexec(os.getpid()),
            capture_output=True,
            text=True,
            cwd="/",
            umask=0o077,
            env=_environment(),
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            shutil.rmtree(fresh, ignore_errors=True)
            raise EmbeddedError(
                f"Could not create the database in {self._home}: {_last_error_line(done.stderr)}"
            )
        if self._data.exists():
            self._data.rmdir()
        fresh.rename(self._data)

    def _chown(self, folder: Path, identity: Identity) -> None:
        """Make the server's user the owner; a copied folder may have another one."""
        uid, gid = identity.file_uid, identity.file_gid
        if folder.stat().st_uid == uid:
            return
        for parent, folders, files in os.walk(folder):
            for name in (*folders, *files):
                os.lchown(Path(parent) / name, uid, gid)
        os.chown(folder, uid, gid)

    def _clear_stale_pid(self) -> None:
        """Deal with the pid file of a server that was killed.

        We hold the lock on this directory, so a live postmaster is one whose keeper was killed
        and that is shutting down: help it and wait. A pid that is no postmaster of ours belongs
        to some other process by now, which PostgreSQL itself would mistake for one.
        """
        path = self._data / "postmaster.pid"
        deadline = time.monotonic() + START_SECONDS
        while path.exists():
            pid = _first_number(path)
            if pid is None or not self._is_our_postmaster(pid):
                path.unlink(missing_ok=True)
                return
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"A PostgreSQL server (pid {pid}) still runs on {self._data} and does not stop."
                )
            self.report(f"waiting for the former server (pid {pid}) to stop")
            os.kill(pid, signal.SIGINT)
            time.sleep(0.2)

    def _is_our_postmaster(self, pid: int) -> bool:
        command = Path(f"/proc/{pid}/cmdline")
        if not Path("/proc/self/cmdline").exists():
            return _alive(pid)
        try:
            return os.fsencode(self._data) in command.read_bytes()
        except OSError:
            return False

    def _launch(self, identity: Identity) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(socket_dir(self.data_dir)),
            "port": "5432",
            "log_min_messages": "warning",
            "log_timezone": "UTC",
            "timezone": "UTC",
            "jit": "off",
            **(DURABLE if self.durable else VOLATILE),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            started_at = os.fstat(log).st_size
            self.process = subprocess.Popen(  # noqa: S603 - our own wheel's program
                [str(binary("postgres")), "-D", str(self._data), *options],
                preexec_fn=identity.make_preexec(os.getpid()),  # noqa: PLW1509 - no threads here
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                umask=0o077,
                env=_environment(),
                start_new_session=True,
            )
        except subprocess.SubprocessError as error:
            raise EmbeddedError(f"Could not start the embedded PostgreSQL: {error}") from error
        finally:
            os.close(log)
        self._await_ready(started_at)

    def _await_ready(self, log_offset: int) -> None:
        process = self.process
        assert process is not None  # noqa: S101 - just started
        started_at = reported_at = time.monotonic()
        while True:
            if process.poll() is not None:
                self.process = None
                raise EmbeddedError(
                    f"The embedded PostgreSQL did not start: {self._complaint(log_offset)}"
                )
            if self._status(process.pid) == "ready":
                return
            now = time.monotonic()
            if now - reported_at > 3:  # crash recovery has no time limit: report and keep waiting
                reported_at = now
                self.report(f"waiting for the database to recover ({now - started_at:.0f} s)")
            time.sleep(0.02)

    def _status(self, pid: int) -> str:
        """Return the status line of the pid file, like `pg_ctl`."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return ""
        if len(lines) < 8 or lines[0].strip() != str(pid):
            return ""
        return lines[7].strip()

    def _complaint(self, offset: int) -> str:
        try:
            with self._log.open("rb") as log:
                log.seek(offset)
                return f"{_last_error_line(log.read().decode(errors='replace'))} (see {self._log})"
        except OSError:
            return f"see {self._log}"

    def _bootstrap(self) -> None:
        """Create missing roles and the missing database; resumes an interrupted first start."""
        url = database_url(self.data_dir, "exchange_owner", "postgres")
        try:
            with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
                roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
                if RUNTIME_ROLE not in roles:
                    connection.execute(
                        sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(RUNTIME_ROLE))
                    )
                if APPLICATION not in roles:
                    connection.execute(
                        sql.SQL("CREATE ROLE {} LOGIN NOINHERIT IN ROLE {}").format(
                            sql.Identifier(APPLICATION), sql.Identifier(RUNTIME_ROLE)
                        )
                    )
                found = connection.execute(
                    "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
                ).fetchone()
                if found is None:
                    connection.execute(
                        sql.SQL("CREATE DATABASE {} OWNER {}").format(
                            sql.Identifier(DATABASE), sql.Identifier(OWNER)
                        )
                    )
        except psycopg.Error as error:
            self.stop()
            reason = " ".join(str(error).split())
            raise EmbeddedError(
                f"The embedded PostgreSQL started but cannot be used: {reason}"
            ) from error


def make_private(folder: Path) -> None:
    """Create `folder` for our user only. Raises EmbeddedError for a link or another owner."""
    folder.mkdir(mode=0o700, exist_ok=True)
    info = folder.lstat()
    if folder.is_symlink() or info.st_uid != os.geteuid():
        raise EmbeddedError(f"{folder} belongs to another user: remove it or use another --data.")
    folder.chmod(0o700)


def _environment() -> dict[str, str]:
    """Return our environment without libpq's variables and with untranslated messages."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**variables, "LC_ALL": "C"}


def _first_number(path: Path) -> int | None:
    try:
        return int(path.read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.EPERM
    return True


def _last_error_line(output: str) -> str:
    """Return the most relevant line of a PostgreSQL program's output."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for word in ("No space left", "PANIC:", "FATAL:", "error:", "ERROR:"):
        for line in reversed(lines):
            if word in line:
                return re.sub(r"^.*?(?:PANIC|FATAL|ERROR|error):\s+", "", line)
    return lines[-1] if lines else "no output"


def _explain(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"The embedded PostgreSQL cannot use its directory: {error.strerror or error}{where}"
