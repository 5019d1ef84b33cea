"""The process that owns the embedded server: `python -m config.local.embedded.keeper DIR`.

Every user of the server holds a shared lock on `users.lock`, the keeper holds `server.lock`. The
keeper stops the server on SIGTERM, or when no lock on `users.lock` is left; locks end with their
process, so even `kill -9` of all users leaves no server behind. It prints `ready` or
`error <one line>`, and before that `wait <one line>`. If another keeper is running, it prints
`other` and exits; with `--follow` it waits to take over, and forwards a request to stop.
"""

import argparse
import contextlib
import fcntl
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from config.local.embedded.cluster import Cluster
from config.local.embedded.layout import EmbeddedError, postgres_dir

SERVER_LOCK = "server.lock"
USERS_LOCK = "users.lock"
_POLL_SECONDS = 0.1

_stop_requested = False


def main() -> int:
    """Run the server until it is no longer needed; return 0 after a clean stop, else 1."""
    parser = argparse.ArgumentParser(prog="config.local.embedded.keeper")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--volatile", action="store_true", help="for tests: fsync off")
    parser.add_argument("--follow", action="store_true", help="wait behind another keeper")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        return _keep(arguments.data_dir, durable=not arguments.volatile, follow=arguments.follow)
    except EmbeddedError as error:
        _say(f"error {error}")
    except OSError as error:
        _say(f"error {postgres_dir(arguments.data_dir)}: {error.strerror or error}")
    return 1


def _keep(data_dir: Path, *, durable: bool, follow: bool) -> int:
    home = postgres_dir(data_dir)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(home / SERVER_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    if not _become_the_keeper(lock, follow=follow):
        return 0
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    users = os.open(home / USERS_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    cluster = Cluster(data_dir, durable=durable, report=lambda line: _say(f"wait {line}"))
    try:
        cluster.start()
        _say("ready")
        process = cluster.process
        while not _stop_requested and not try_lock(users):
            if process is not None and process.poll() is not None:
                _say(f"error The database server died (status {process.returncode}).")
                return 1
            time.sleep(_POLL_SECONDS)
    finally:
        cluster.stop()
    return 0


def _become_the_keeper(lock: int, *, follow: bool) -> bool:
    """Acquire the keeper's lock; return False if another keeper has it."""
    reported = False
    while not try_lock(lock):
        if not follow:
            _say("other")
            return False
        if _stop_requested:
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(os.pread(lock, 32, 0)), signal.SIGTERM)
            return False
        if not reported:
            _say("wait another command runs the database already; sharing it")
            reported = True
        time.sleep(_POLL_SECONDS)
    return True


def try_lock(lock: int) -> bool:
    """Lock the file alone; return False if another process has a lock on it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stop(_number: int, _frame: FrameType | None) -> None:
    global _stop_requested  # noqa: PLW0603 - set by a signal handler
    _stop_requested = True


def _say(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the parent process may be gone
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
