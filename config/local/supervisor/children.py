"""Starts, monitors, restarts and stops child processes, and forwards their output.

One thread and one loop (`Children.pump`): output is printed line by line under the child's name, a
child that exits is restarted after an increasing pause. Every child leads its own process group, so
Ctrl-C reaches only the supervisor, and stopping a child includes its descendants.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from config.local.embedded.identity import die_with_parent
from config.local.supervisor.guard import signal_group

CHECKOUT = Path(__file__).resolve().parents[3]

_FIRST_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 15.0
_STABLE_SECONDS = 30.0
_RESEND_SECONDS = 2.0
_NAME_WIDTH = 8
_LINE_LIMIT = 4000


@dataclass
class Child:
    """One process. `filter_line` returns the text to print for a line of output, or None."""

    name: str
    command: Sequence[str]
    filter_line: Callable[[str], str | None] = field(default=lambda line: line)
    restarts: bool = True
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    failures: int = field(default=0, init=False)
    started_at: float = field(default=0.0, init=False)
    due_at: float | None = field(default=None, init=False)
    rest: bytes = field(default=b"", init=False)

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self.process is not None and self.process.poll() is None


class Children:
    """All processes of the supervisor; not thread-safe."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()
        self._stopping = False
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "config.local.supervisor.guard"],
            stdin=subprocess.PIPE,
            cwd=CHECKOUT,
            start_new_session=True,
        )

    def start(self, child: Child) -> None:
        """Start `child` and keep it running, unless it runs once."""
        parent = os.getpid()
        child.process = subprocess.Popen(  # noqa: S603 - our own programs
            list(child.command),
            cwd=CHECKOUT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: die_with_parent(parent, signal.SIGTERM),  # noqa: PLW1509 - one thread
        )
        child.started_at = time.monotonic()
        child.due_at = None
        if child not in self._children:
            self._children.append(child)
        self._notify_guard(f"+{child.process.pid}")
        assert child.process.stdout is not None  # noqa: S101 - it is a pipe
        os.set_blocking(child.process.stdout.fileno(), False)
        self._selector.register(child.process.stdout, selectors.EVENT_READ, child)

    def pump(self, seconds: float) -> None:
        """Forward output for about `seconds`, and restart children that are due."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if not self._selector.get_map():
                time.sleep(max(0.0, min(left, 0.05)))
            for key, _ in self._selector.select(max(0.0, min(left, 0.1))):
                self._read(key.data)
            for child in self._children:
                self._restart_if_due(child)
            if left <= 0:
                return

    def stop(
        self, children: Sequence[Child], *, timeout_seconds: float, should_abort: Callable[[], bool]
    ) -> None:
        """Stop these children and all they started: SIGTERM, after `timeout_seconds` SIGKILL.

        SIGTERM is repeated, since a process that is still starting may ignore the first.
        """
        self._stopping = True
        deadline = time.monotonic() + timeout_seconds
        sent_at = float("-inf")
        while any(child.running for child in children):
            now = time.monotonic()
            if now > deadline or should_abort():
                break
            if now - sent_at > _RESEND_SECONDS:
                sent_at = now
                for child in children:
                    if child.process is not None and child.running:
                        child.process.terminate()
            self.pump(0.05)
        for child in children:
            if child.process is not None:
                if child.running:
                    say("up", f"{child.name} does not stop; killing it")
                signal_group(child.process.pid, signal.SIGKILL)
                child.process.wait()
                self._read(child)

    def close(self) -> None:
        """End the guard; all children must have been stopped."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if self._guard.stdin is not None:
                self._guard.stdin.close()
            self._guard.wait(10)
        self._selector.close()

    def _restart_if_due(self, child: Child) -> None:
        process = child.process
        if process is not None and process.poll() is not None and child.due_at is None:
            self._handle_exit(child, process)
        if child.due_at is not None and not self._stopping and time.monotonic() >= child.due_at:
            self.start(child)

    def _handle_exit(self, child: Child, process: subprocess.Popen[bytes]) -> None:
        """Kill what the exited process left behind, and schedule its restart."""
        self._read(child)
        if process.stdout is not None and not process.stdout.closed:
            with contextlib.suppress(KeyError):
                self._selector.unregister(process.stdout)
            process.stdout.close()
        signal_group(process.pid, signal.SIGKILL)
        self._notify_guard(f"-{process.pid}")
        child.due_at = float("inf")
        if self._stopping or not child.restarts:
            return
        if time.monotonic() - child.started_at > _STABLE_SECONDS:
            child.failures = 0
        pause = min(_FIRST_PAUSE_SECONDS * 2**child.failures, _MAX_PAUSE_SECONDS)
        child.failures += 1
        child.due_at = time.monotonic() + pause
        say(
            "up",
            f"{child.name} {describe_exit(process.returncode)}; restarting in {pause:g} s",
        )

    def _read(self, child: Child) -> None:
        stream = child.process.stdout if child.process else None
        if stream is None or stream.closed:
            return
        while True:
            try:
                data = os.read(stream.fileno(), 65536)
            except BlockingIOError:
                return
            if not data:
                with contextlib.suppress(KeyError):
                    self._selector.unregister(stream)
                break
            *lines, child.rest = (child.rest + data).split(b"\n")
            for line in lines:
                self._print(child, line)
            if len(child.rest) > _LINE_LIMIT:
                self._print(child, child.rest)
                child.rest = b""
        if child.rest:
            self._print(child, child.rest)
            child.rest = b""

    def _print(self, child: Child, line: bytes) -> None:
        text = child.filter_line(line.decode(errors="replace").rstrip("\r"))
        if text is not None and text.strip():
            say(child.name, text)

    def _notify_guard(self, line: str) -> None:
        if self._guard.stdin is not None:
            with contextlib.suppress(OSError):
                self._guard.stdin.write(f"{line}\n".encode())
                self._guard.stdin.flush()


def say(name: str, line: str) -> None:
    """Print one line under a process's name; ignore a closed pipe."""
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{name:<{_NAME_WIDTH}} | {line}\n")
        sys.stdout.flush()


def describe_exit(status: int) -> str:
    """Describe how a process exited."""
    if status < 0:
        return f"was terminated by {signal.Signals(-status).name}"
    return f"exited with status {status}"
