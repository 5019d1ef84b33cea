"""The web server: one command for `manage.py up`, the image, the tests and the benchmarks.

`python -m config.webserver --host 0.0.0.0 --port 8000` loads the application, forks the processes
that serve it (`config.http`) on one socket, and restarts those that exit. See decision record 3.
On SIGTERM they report that they are not ready, serve for some seconds until proxies have noticed,
and then finish the requests in progress (decision record 40).
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import structlog
import uvloop

from config.metrics.addresses import WEB, claim_address
from config.startup import load_settings, refusals_in_one_line

logger = structlog.get_logger(__name__)

WORKERS = 2
# Longer than proxies take to notice that a process is not ready, and to drop idle connections.
DRAIN_SECONDS = 10
APPLICATION = "config.http:application"
_BACKLOG = 1024
_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGCHLD, signal.SIGALRM}


def command(
    host: str, port: int, *, workers: int = WORKERS, drain_seconds: int = 0, kill_seconds: int = 20
) -> list[str]:
    """Return the server's command line, by default without a proxy that must notice its end.

    `kill_seconds` is the time a process may take to stop after it was drained.
    """
    return [
        *(sys.executable, "-m", "config.webserver", "--host", host, "--port", str(port)),
        *("--workers", str(workers), "--drain-seconds", str(drain_seconds)),
        *("--kill-seconds", str(kill_seconds), APPLICATION),
    ]


def keep_running(
    programs: Sequence[Callable[[], None]], kill_seconds: int, forget: Callable[[int], object]
) -> None:
    """Run each of `programs` in a process until a stop signal; restart those that exit.

    `forget` is called with the pid of each that exited.
    """
    # Signals are blocked and waited for, so none arrives between a fork and its record.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # else some systems drop a blocked one
    pids: dict[int, Callable[[], None]] = {}
    due = list(programs)
    stopping = False
    while pids or not stopping:
        while due and not stopping:
            program = due.pop()
            pids[_fork(program)] = program
        caught = signal.sigwait(_SIGNALS)
        if caught == signal.SIGCHLD:
            ended = {pid for pid in pids if os.waitpid(pid, os.WNOHANG)[0]}
            for pid in ended:
                due.append(pids.pop(pid))
                forget(pid)
            if ended and not stopping:
                logger.warning("web.process_ended", pids=sorted(ended))
                time.sleep(0.5)  # a process that cannot start must not use all CPU
        elif caught == signal.SIGALRM:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        else:
            # The second signal ends draining. It is another one for the processes: they may have
            # the first from a service manager too, and two of a kind can arrive as one.
            number = signal.SIGQUIT if stopping else signal.SIGTERM
            if not stopping:
                signal.alarm(kill_seconds)
            stopping = True
            for pid in pids:
                os.kill(pid, number)


def _fork(serve: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        serve()
        sys.exit()
    return pid


def _whole_number(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"give a whole number from {low} to {high}")
        return int(text)

    return parse


def main(arguments: Sequence[str]) -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m config.webserver")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=_whole_number(0, 65535), default=8000)
    parser.add_argument("--workers", type=_whole_number(1, 512), default=WORKERS)
    parser.add_argument("--drain-seconds", type=_whole_number(0, 3600), default=DRAIN_SECONDS)
    parser.add_argument("--kill-seconds", type=_whole_number(1, 3600), default=20)
    parser.add_argument("application", nargs="?", default=APPLICATION)
    options = parser.parse_args(arguments)
    load_settings()
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        listener = socket.create_server(
            (options.host, options.port), family=family, backlog=_BACKLOG
        )
    except OSError as error:
        parser.error(f"{options.host} port {options.port}: {error.strerror}. Give a free address.")
    listener.setblocking(False)  # noqa: FBT003
    metrics_address = claim_address(WEB)
    metrics_folder = _make_metrics_folder() if metrics_address else ""
    module, _, name = options.application.partition(":")
    application = getattr(importlib.import_module(module), name)
    http = importlib.import_module("config.http")
    gc.freeze()  # loaded objects stay shared between the processes

    async def serve() -> None:
        await http.Server(application, listener, options.drain_seconds).serve()

    until_kill = options.drain_seconds + options.kill_seconds
    programs: list[Callable[[], None]] = [lambda: uvloop.run(serve())] * options.workers
    if not metrics_folder:
        keep_running(programs, until_kill, lambda _: None)
        return
    exposition = importlib.import_module("config.metrics.exposition")
    programs.append(lambda: exposition.serve_web(metrics_address))
    keep_running(programs, until_kill, exposition.forget_process)
    shutil.rmtree(metrics_folder)  # only here: a process that was forked exits in `keep_running`


def _make_metrics_folder() -> str:
    """Make the folder of all processes' metrics. Call before prometheus_client is imported."""
    folder = tempfile.mkdtemp(prefix="exchange-metrics-")
    os.environ.update(PROMETHEUS_MULTIPROC_DIR=folder)
    return folder


if __name__ == "__main__":
    with refusals_in_one_line():
        main(sys.argv[1:])
