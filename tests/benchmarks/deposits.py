"""Deposits a second: reported payments that are verified at the provider's sandbox and credited.

The sandbox is a process of its own, asked over HTTP for each payment. A program runs the sweep as
the worker does, which looks each payment up and credits it to one of 200 members: once alone, once
in eight threads. All is on one durable database.
"""

import json
import subprocess
from statistics import median
from typing import Any

from config.ports import is_responding
from tests.benchmarks.installation import HOST, Installation
from tests.environment.ports import claim_ports
from tests.environment.processes import wait_until

# Payments a second of the measurement's length; a round verifies as many as that.
_PAYMENTS_A_SECOND = 100


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return medians and the raw rounds of one interleaved run."""
    del connections  # a sweep has one
    port = claim_ports()
    url = f"http://{HOST}:{port}"
    installation.environment |= {
        "FLUTTERWAVE_BASE_URL": f"{url}/v3",
        "FLUTTERWAVE_SECRET_KEY": "FLWSECK_TEST-benchmark-X",
        "FLUTTERWAVE_WEBHOOK_HASH": "benchmark",
    }
    command = installation.command(
        *("config.local.sandbox", "--host", HOST, "--port", str(port)),
        *("--data", str(installation.folder / "sandbox")),
    )
    sandbox = subprocess.Popen(
        command,
        cwd=installation.version.checkout,
        env=installation.environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: is_responding(HOST, port, "/sandbox/health"), "the sandbox responds")
        payments = max(100, round(seconds * _PAYMENTS_A_SECOND))
        figures = json.loads(
            installation.python(
                "tests.benchmarks.deposits_program", url, str(payments), str(rounds)
            )
        )
    finally:
        sandbox.terminate()
        sandbox.wait()
    return {
        name: {
            "payments": payments,
            "per_second": round(median(values), 1),
            "rounds": [round(value, 1) for value in values],
        }
        for name, values in figures.items()
    }


def report(figures: dict[str, Any]) -> None:
    """Print one line for each number of sweeps."""
    for name, seen in figures.items():
        print(
            f"  {name:<24}{seen['per_second']:>8,.1f} deposits/s,"
            f" {seen['payments']:,} payments a round"
        )
