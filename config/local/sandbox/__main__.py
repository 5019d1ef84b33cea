"""Run the sandbox as a program until SIGTERM or Ctrl-C; see the package docstring."""

import argparse
import os
import signal
import sqlite3
import sys
import threading
from decimal import Decimal, InvalidOperation
from pathlib import Path

from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.rules import COLLECTION_CURRENCIES
from config.local.sandbox.server import SandboxServer


def _float(text: str) -> tuple[str, Decimal]:
    currency, _, amount = text.partition("=")
    try:
        value = Decimal(amount)
    except InvalidOperation:
        value = Decimal("NaN")
    if currency not in COLLECTION_CURRENCIES or not value.is_finite() or value < 0:
        raise argparse.ArgumentTypeError("expected a value such as NGN=5000")
    return currency, value


def _options(arguments: list[str]) -> SandboxOptions:
    parser = argparse.ArgumentParser(prog="sandbox", description="A local Flutterwave v3.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8021, help="0 for a free port")
    parser.add_argument("--data", type=Path, required=True, help="folder of the stored state")
    parser.add_argument(
        "--secret-key",
        default=os.environ.get("FLUTTERWAVE_SECRET_KEY"),
        help="or several, comma-separated",
    )
    parser.add_argument("--webhook-url", default="")
    parser.add_argument("--webhook-hash", default=os.environ.get("FLUTTERWAVE_WEBHOOK_HASH", ""))
    parser.add_argument("--delay", type=float, default=2.0, help="seconds until the outcome")
    parser.add_argument("--return-delay", type=float, default=6.0)
    parser.add_argument("--webhook-retry-seconds", type=float, default=30 * 60.0)
    parser.add_argument("--webhook-timeout", type=float, default=60.0)
    parser.add_argument("--hang-seconds", type=float, default=60.0)
    parser.add_argument(
        "--float", dest="floats", type=_float, action="append", default=[], metavar="NGN=5000"
    )
    parsed = parser.parse_args(arguments)
    if not parsed.secret_key:
        parser.error("a secret key is required: --secret-key or FLUTTERWAVE_SECRET_KEY")
    return SandboxOptions(**{**vars(parsed), "floats": dict(parsed.floats)})


def main(arguments: list[str]) -> int:
    """Run until stopped; return 0 after a clean stop, 1 when the port or the folder is unusable."""
    options = _options(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        server = SandboxServer(options)
    except (OSError, OverflowError, sqlite3.Error) as problem:
        sys.stderr.write(f"The sandbox cannot start on {options.host}:{options.port}: {problem}\n")
        return 1
    server.start()
    sys.stdout.write(f"Sandbox ready: {server.url}\n")
    sys.stdout.flush()
    stop.wait()
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
