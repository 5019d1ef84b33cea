"""Orders a second with 500 readers of streams and without, and what the readers cost.

One stream process. The readers follow a token without orders (idle), or the one that is traded.
Rounds with and without them alternate on one durable database.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.installation import Installation
from tests.benchmarks.orders import Contender, read_line

READERS = 500
ORGANISATIONS = 5
_LEAST_RATIO = 0.95
_TICKS = os.sysconf("SC_CLK_TCK")


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return orders a second by readers, latencies, messages, memory and processor time."""
    access = json.loads(installation.python("tests.benchmarks.streams_access", str(ORGANISATIONS)))
    orders = Contender(installation, "tests.benchmarks.order_program", {"DATABASE_POOL_SIZE": "4"})
    orders.start()
    installation.analyze()
    server, port = installation.serve_streams()
    traded, *others = orders.dataset["tokens"]
    rates: dict[str, list[float]] = {"none": [], "idle": [], "following": []}
    costs: list[dict[str, float]] = []
    try:
        for _ in range(rounds):
            for name in rates:
                followed = {"none": "", "idle": others[-1], "following": traded}[name]
                with _Readers(f"{server}/v1/stream", access, followed) as readers:
                    before = _processor_seconds(port)
                    placed, took = orders.measure(min(connections, 1), seconds)
                    spent = _processor_seconds(port) - before
                    rates[name].append(placed / took)
                    if name == "following":
                        costs.append({**readers.end(), "processor": spent, **_memory(port)})
    finally:
        orders.end()
    ratios = [idle / none for idle, none in zip(rates["idle"], rates["none"], strict=True)]
    return {
        "no readers": {"orders": round(median(rates["none"]), 1)},
        f"{READERS} idle readers": {
            "orders": round(median(rates["idle"]), 1),
            "ours_times": {"no readers": round(median(ratios), 3)},
            "bars": {"no readers": _LEAST_RATIO},
        },
        f"{READERS} readers of the token": {
            "orders": round(median(rates["following"]), 1),
            "messages": round(median(cost["messages"] / seconds for cost in costs)),
            "milliseconds_of_1000_messages": round(
                median(1e6 * cost["processor"] / max(cost["messages"], 1) for cost in costs)
            ),
            "milliseconds_median": round(median(cost["median"] for cost in costs)),
            "milliseconds_p99": round(median(cost["p99"] for cost in costs)),
            "megabytes": round(max(cost["megabytes"] for cost in costs)),
        },
    }


def report(figures: dict[str, Any]) -> None:
    """Print a line for each number of readers."""
    for name, figure in figures.items():
        print(f"streams, {name}: {figure}")


class _Readers:
    """Connections of another process, from the time when all of them have a snapshot."""

    def __init__(self, url: str, access: list[str], token: str) -> None:
        self._process: subprocess.Popen[str] | None = None
        if token:
            arguments = [url, token, str(READERS), *access]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.benchmarks.streams_program", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            read_line(self._process)

    def __enter__(self) -> "_Readers":
        return self

    def end(self) -> dict[str, float]:
        """End the connections and return what came."""
        assert self._process is not None
        found, _ = self._process.communicate("end\n", timeout=60)
        self._process = None
        counted: dict[str, float] = json.loads(found)
        return counted

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.end()


def _pids(port: int) -> list[int]:
    """Return the processes of the server that listens at `port`."""
    named = f"--port\0{port}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"config.streamserver" in command and named in command:
            found.append(int(folder.name))
    return found


def _processor_seconds(port: int) -> float:
    total = 0
    for pid in _pids(port):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS


def _memory(port: int) -> dict[str, float]:
    pages = (int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in _pids(port))
    return {"megabytes": sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20}
