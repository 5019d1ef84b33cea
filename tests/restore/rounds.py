"""Rounds of a rotation: web processes that are replaced under load, side by side."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from config import webserver
from config.ports import is_responding
from tests.environment.ports import claim_ports
from tests.environment.processes import Program, wait_until
from tests.restore.installation import HOST, Installation
from tests.restore.load import Load

_SIDE_BY_SIDE_SECONDS = 1.0


class Web:
    """A web process with an environment of its own."""

    def __init__(self, installation: Installation, **changes: str) -> None:
        port = claim_ports()
        self.url = f"http://{HOST}:{port}"
        self._program = Program(
            command=webserver.command(HOST, port, workers=1, drain_seconds=1),
            environment={**installation.service_environment(), **changes},
            ready=lambda: is_responding(HOST, port, "/health/ready"),
            output=installation.folder / f"web-{port}.log",
        )
        self._program.start()

    def terminate(self) -> None:
        """Send one SIGTERM."""
        os.kill(self._program.pid, signal.SIGTERM)

    def wait(self) -> None:
        """Wait until the process has ended by itself."""
        wait_until(lambda: not self._program.running, "the web process has ended")

    def kill(self) -> None:
        """Kill the process."""
        self._program.kill()


class Rounds:
    """The rounds of a rotation: each replaces the web process under load."""

    def __init__(self, installation: Installation, load: Load, **changes: str) -> None:
        self._installation = installation
        self._load = load
        self.web = Web(installation, **changes)
        load.nodes = [self.web.url]

    def replace(self, **changes: str) -> None:
        """Serve with a second process, then end the first while it has a request in progress."""
        old, new = self.web, Web(self._installation, **changes)
        self._load.nodes = [old.url, new.url]
        time.sleep(_SIDE_BY_SIDE_SECONDS)
        self._load.nodes = [new.url]
        # Else the pending withdrawal may wait in a batch behind one of the load, not for the lock.
        wait_until(lambda: self._load.has_left(old.url), "the load has left the first process")
        with self._blocked_wallet():
            pending = threading.Thread(target=self._load.withdraw, args=(old.url,))
            pending.start()
            wait_until(self._is_blocked, "a withdrawal waits for the wallet")
            old.terminate()
            time.sleep(0.5)
            assert pending.is_alive(), self._load.failures
        pending.join()
        old.wait()
        self.web = new

    @contextmanager
    def _blocked_wallet(self) -> Iterator[None]:
        with self._installation.connect() as connection, connection.transaction():
            connection.execute("SELECT 1 FROM wallets_account FOR UPDATE")
            yield

    def _is_blocked(self) -> bool:
        with self._installation.connect() as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            ).fetchone()
        return row is not None and row[0] >= 2  # the load's own withdrawal and the pending one
