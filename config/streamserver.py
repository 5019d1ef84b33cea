"""The server of streams: Granian runs the ASGI application in one process.

`python -m config.streamserver --host 0.0.0.0 --port 8001` serves `/v1/stream` and `/health`. On
SIGTERM it ends all streams at once: their readers connect again and go on from a snapshot. More
processes need ports of their own; a proxy spreads readers over them.
"""

import argparse
import gc
import importlib
import multiprocessing
import sys
from collections.abc import Sequence

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from config.metrics import addresses
from config.ports import PortUnusable, claim_port
from config.startup import load_settings, refusals_in_one_line
from config.webserver import LOGGING, whole_number

# What returns the application in the process.
APPLICATION = "config.asgi:start_application"


def command(host: str, port: int) -> list[str]:
    """Return the server's command line."""
    return [sys.executable, "-m", "config.streamserver", "--host", host, "--port", str(port)]


def main(arguments: Sequence[str]) -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="python -m config.streamserver")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=whole_number(0, 65535), default=8001)
    options = parser.parse_args(arguments)
    load_settings()
    try:
        port = claim_port(options.host, options.port)
    except PortUnusable as error:
        parser.error(str(error))
    addresses.claim_address(addresses.STREAMS)
    multiprocessing.set_start_method("fork")
    importlib.import_module(APPLICATION.partition(":")[0])
    gc.freeze()
    Granian(
        APPLICATION,
        options.host,
        port,
        factory=True,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        workers=1,
        respawn_failed_workers=True,
        # Streams never end by themselves.
        workers_kill_timeout=2,
        log_level=LogLevels.error,
        log_dictconfig=LOGGING,
    ).serve()


if __name__ == "__main__":
    with refusals_in_one_line():
        main(sys.argv[1:])
