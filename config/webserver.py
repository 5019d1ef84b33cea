"""The web server: one command for `manage.py up`, the image, the tests and the benchmarks.

`python -m config.webserver --host 0.0.0.0 --port 8000` loads the application, then forks the
processes that serve it (`config.http`) on one socket, and starts again those that end. Decision
record 3 has the trials behind it.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence

import structlog
import uvloop

logger = structlog.get_logger(__name__)

WORKERS = 2
APPLICATION = "config.http:application"
_BACKLOG = 1024
_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM}


def command(host: str, port: int, *, workers: int = WORKERS, kill_seconds: int = 20) -> list[str]:
    """The command that serves; `kill_seconds` is how long a process may take to stop."""
    return [
        *(sys.executable, "-m", "config.webserver", "--host", host, "--port", str(port)),
        *("--workers", str(workers), "--kill-seconds", str(kill_seconds), APPLICATION),
    ]


def keep_running(serve: Callable[[], None], count: int, kill_seconds: int) -> None:
    """Run `serve` in `count` processes until SIGTERM or SIGINT; start again those that end."""
    # Signals are waited for, so none comes between a fork and the note of it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # else some systems drop it while blocked
    pids: set[int] = set()
    stopping = False
    while pids or not stopping:
        while not stopping and len(pids) < count:
            pids.add(_fork(serve))
        caught = signal.sigwait(_SIGNALS)
        if caught == signal.SIGCHLD:
            ended = {pid for pid in pids if os.waitpid(pid, os.WNOHANG)[0]}
            pids -= ended
            if ended and not stopping:
                logger.warning("web.process_ended", pids=sorted(ended))
                time.sleep(0.5)  # one that cannot start must not take the machine
        elif caught == signal.SIGALRM:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        elif not stopping:
            stopping = True
            signal.alarm(kill_seconds)
            for pid in pids:
                os.kill(pid, signal.SIGTERM)


def _fork(serve: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        serve()
        sys.exit()
    return pid


def main(arguments: Sequence[str]) -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m config.webserver")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--kill-seconds", type=int, default=20)
    parser.add_argument("application", nargs="?", default=APPLICATION)
    given = parser.parse_args(arguments)
    module, _, name = given.application.partition(":")
    application = getattr(importlib.import_module(module), name)
    http = importlib.import_module("config.http")
    family = socket.AF_INET6 if ":" in given.host else socket.AF_INET
    listener = socket.create_server((given.host, given.port), family=family, backlog=_BACKLOG)
    listener.setblocking(False)  # noqa: FBT003
    gc.freeze()  # what is loaded stays shared between the processes

    async def serve() -> None:
        await http.Server(application, listener).serve()

    keep_running(lambda: uvloop.run(serve()), given.workers, given.kill_seconds)


if __name__ == "__main__":
    main(sys.argv[1:])
