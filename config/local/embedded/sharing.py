"""Shared use of the embedded server: the first user starts its keeper, the last one stops it."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from config.local.embedded.keeper import SERVER_LOCK, USERS_LOCK, try_lock
from config.local.embedded.layout import EmbeddedError, database_url, postgres_dir

_CHECKOUT = Path(__file__).resolve().parents[3]
_STOP_SECONDS = 20.0


@contextlib.contextmanager
def hold(data_dir: Path) -> Iterator[int]:
    """Hold a user's lock on the server, which keeps it running; yield the lock's descriptor."""
    home = postgres_dir(data_dir)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(home / USERS_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EmbeddedError(f"Cannot use {home}: {error.strerror or error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield lock
    finally:
        os.close(lock)


@contextlib.contextmanager
def running_server(data_dir: Path, *, durable: bool = True) -> Iterator[None]:
    """Run the server of `data_dir` inside the block; stop it afterwards unless others use it.

    Raises EmbeddedError with one line when it cannot run.
    """
    with hold(data_dir) as lock:
        _ensure(data_dir, durable=durable)
        try:
            yield
        finally:
            _leave(data_dir, lock)


def keeper_command(data_dir: Path, *flags: str) -> list[str]:
    """Return the command line of the keeper, for the checkout as working directory."""
    return [sys.executable, "-m", "config.local.embedded.keeper", *flags, str(data_dir)]


def is_reachable(data_dir: Path) -> bool:
    """Return whether the server accepts a connection to the exchange's database."""
    try:
        with psycopg.connect(database_url(data_dir, "exchange_app"), connect_timeout=5):
            return True
    except psycopg.OperationalError:
        return False


def keeper_pid(data_dir: Path) -> int | None:
    """Return the pid of the running keeper of `data_dir`, or None."""
    with contextlib.suppress(OSError, ValueError):
        lock = os.open(postgres_dir(data_dir) / SERVER_LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            return None if try_lock(lock) else int(os.pread(lock, 32, 0))
        finally:
            os.close(lock)
    return None


def stop_keeper(data_dir: Path) -> None:
    """Stop the keeper and its server, and wait for them."""
    deadline = time.monotonic() + _STOP_SECONDS
    while (pid := keeper_pid(data_dir)) is not None and time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        time.sleep(0.05)


def _ensure(data_dir: Path, *, durable: bool) -> None:
    """Start a keeper if there is none, and wait until the server accepts connections."""
    while not is_reachable(data_dir):
        if keeper_pid(data_dir) is None:
            _start_keeper(data_dir, durable=durable)
        else:
            time.sleep(0.05)


def _start_keeper(data_dir: Path, *, durable: bool) -> None:
    process = subprocess.Popen(  # noqa: S603 - ourselves
        keeper_command(data_dir, *([] if durable else ["--volatile"])),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=_CHECKOUT,
        start_new_session=True,
    )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    with process.stdout as lines:
        for line in lines:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word in ("ready", "other"):
                return
            if word == "error":
                process.wait()
                raise EmbeddedError(rest)
            if durable:  # for an operator; tests do not read it
                sys.stderr.write(rest + "\n")
    raise EmbeddedError("The embedded PostgreSQL's keeper exited without output.")


def _leave(data_dir: Path, lock: int) -> None:
    """Stop the server if this is its last user, and wait, so that the next command can start it."""
    if try_lock(lock):
        stop_keeper(data_dir)
    else:
        fcntl.flock(lock, fcntl.LOCK_SH)
