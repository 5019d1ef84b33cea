"""The web server: Granian runs the WSGI application, one command for `up`, the image and the tests.

`python -m config.webserver --host 0.0.0.0 --port 8000` starts processes of `DATABASE_POOL_SIZE`
threads each and restarts those that exit. Slow clients are kept away by a proxy, which production
requires (decision record 52). On SIGTERM the processes report that they are not ready, serve for
some seconds until proxies have noticed, and then finish the requests in progress (record 40).
"""

import argparse
import gc
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from config.metrics.addresses import WEB, claim_address
from config.ports import PortUnusable, claim_port
from config.startup import DRAINING_VARIABLE, load_settings, refusals_in_one_line

WORKERS = 2
# Longer than proxies take to notice that a process is not ready, and to drop idle connections.
DRAIN_SECONDS = 10
# What returns the application in each process.
APPLICATION = "config.wsgi:start_application"
_MAX_HEAD_BYTES = 64 * 1024
# Granian's own log lines pass through the handlers and filters of the settings.
LOGGING = {"loggers": {"_granian": {"handlers": [], "propagate": True}}}


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


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return the function that reads a whole number of the command line within bounds."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"give a whole number from {low} to {high}")
        return int(text)

    return parse


def main(arguments: Sequence[str]) -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m config.webserver")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=whole_number(0, 65535), default=8000)
    parser.add_argument("--workers", type=whole_number(1, 512), default=WORKERS)
    parser.add_argument("--drain-seconds", type=whole_number(0, 3600), default=DRAIN_SECONDS)
    parser.add_argument("--kill-seconds", type=whole_number(1, 1800), default=20)
    parser.add_argument("application", nargs="?", default=APPLICATION)
    options = parser.parse_args(arguments)
    load_settings()
    try:
        # Granian's processes share the port, so it would not refuse one that is in use.
        port = claim_port(options.host, options.port)
    except PortUnusable as error:
        parser.error(str(error))
    folder = Path(tempfile.mkdtemp(prefix="exchange-web-"))
    os.environ[DRAINING_VARIABLE] = str(folder / "draining")
    if claim_address(WEB):
        # Before prometheus_client is imported, which reads it.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    # What is loaded before the fork is shared, and a process that is still loading ignores SIGTERM.
    multiprocessing.set_start_method("fork")
    importlib.import_module(options.application.partition(":")[0])
    gc.freeze()
    server = Granian(
        options.application,
        options.host,
        port,
        factory=True,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        workers=options.workers,
        blocking_threads=settings.DATABASE_POOL_SIZE,
        # A thread that ends closes its database connection.
        blocking_threads_idle_timeout=600,
        http1_settings=HTTP1Settings(max_buffer_size=_MAX_HEAD_BYTES),
        respawn_failed_workers=True,
        workers_kill_timeout=options.kill_seconds,
        # Warnings are about more threads than processors; ours wait for PostgreSQL.
        log_level=LogLevels.error,
        log_dictconfig=LOGGING,
    )
    if options.drain_seconds:
        server.on_startup(lambda: _drain_before_the_end(folder / "draining", options.drain_seconds))
    server.on_shutdown(lambda: shutil.rmtree(folder))
    server.serve()


def _drain_before_the_end(note: Path, seconds: int) -> None:
    """Make the first stop signal write `note` and stop the server later; a second one stops it."""
    stop = signal.getsignal(signal.SIGTERM)

    def drain(*_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, stop)
        note.touch()
        signal.alarm(seconds)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, drain)


if __name__ == "__main__":
    with refusals_in_one_line():
        main(sys.argv[1:])
