"""A program of the product as a process group that a test may kill and restart."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
# No test is about these seconds: they end one that waits for what never comes.
TIMEOUT_SECONDS = 120.0


@dataclass
class Program:
    """`command` run in the checkout with `environment` added; `ready` checks its response."""

    command: list[str]
    environment: dict[str, str]
    ready: Callable[[], bool]
    output: Path
    timeout_seconds: float = TIMEOUT_SECONDS
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def pid(self) -> int:
        """The pid of the group's first process."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the first process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the program and wait until it responds."""
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                self.command,
                cwd=CHECKOUT,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(
            lambda: self.ready() or not self.running,
            f"{' '.join(self.command[:3])} is ready",
            self.timeout_seconds,
        )
        if not self.running:
            raise AssertionError(f"{self.command} ended:\n{self.output.read_text()[-4000:]}")

    def kill(self) -> None:
        """Kill every process of the group with SIGKILL."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self, seconds: float = 10.0) -> None:
        """Send SIGTERM repeatedly (a starting server may miss it), then kill."""
        if self._process is None:
            return
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.5)
        self.kill()

    def restart(self) -> None:
        """Kill the program and start it again on the same port."""
        self.kill()
        self.start()


def wait_until(condition: Callable[[], bool], what: str, seconds: float = TIMEOUT_SECONDS) -> None:
    """Poll until `condition` holds. Raises AssertionError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"Not reached after {seconds:g} s: {what}")
        time.sleep(0.02)
