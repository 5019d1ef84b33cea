"""Loans a second: our service call and the same in plain Django, on one connection each.

A loan of 1,000 is made to one of 200 members against units of one to three of 10 tokens, under one
of 20 offers with a limit on the amount outstanding. Each contender is a process; both use one
durable database, in one interleaved run. Alternatively ours is compared with an earlier version.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import psycopg

from tests.benchmarks.comparison import alternate
from tests.benchmarks.cpu import CpuMeter
from tests.benchmarks.installation import Installation
from tests.benchmarks.rounds import summarize

_OURS = "tests.benchmarks.loan_program"
_PEER = "tests.benchmarks.peers.orm_loans"


@dataclass(frozen=True)
class Measured:
    """Loans a second, and milliseconds of CPU time a loan."""

    per_second: float
    application: float
    database: float


class Contender:
    """A program that makes its records, reports that it is ready, and then makes loans."""

    def __init__(
        self, installation: Installation, module: str, environment: Mapping[str, str]
    ) -> None:
        self._meter = CpuMeter(installation)
        self._process = subprocess.Popen(
            installation.command(module),
            cwd=installation.version.checkout,
            env={**installation.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self._read_line() != "ready":
            raise RuntimeError(f"{module} did not start")

    def measure(self, seconds: float) -> Measured:
        """Measure for that many seconds."""
        assert self._process.stdin is not None
        before = self._meter.read()
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        count, taken, busy = map(float, self._read_line().split())
        after = self._meter.read()
        database = after["database"] - before["database"] if after else 0.0
        return Measured(count / taken, busy / count * 1000, database / count * 1000)

    def end(self) -> None:
        """Let the program end."""
        self._process.communicate(timeout=30)

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        line: str = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended")
        return line


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    earlier: Installation | None = None,
) -> dict[str, Any]:
    """Return medians, ratios, CPU time and the raw rounds of one interleaved run.

    Always uses one connection. The comparison with an earlier version leaves the peer out.
    """
    del connections
    contenders = {"ours": Contender(installation, _OURS, {})}
    if earlier:
        contenders["before"] = Contender(earlier, _OURS, {})
        earlier.analyze()
    else:
        contenders["plain ORM"] = _peer(installation)
    installation.analyze()
    raw: dict[str, list[Measured]] = {contender: [] for contender in contenders}
    for contender in contenders.values():  # warm up: plans and accounts
        contender.measure(seconds)
    for name, contender in alternate(contenders, rounds):
        raw[name].append(contender.measure(seconds))
    for contender in contenders.values():
        contender.end()
    rates = {name: [one.per_second for one in values] for name, values in raw.items()}
    return {
        "one connection": {
            **summarize(rates),
            "cpu_milliseconds": {
                name: {
                    part: round(median(getattr(one, part) for one in values), 2)
                    for part in ("application", "database")
                }
                for name, values in raw.items()
            },
        }
    }


def _peer(installation: Installation) -> Contender:
    environment = {
        "DJANGO_SETTINGS_MODULE": f"{_PEER}.settings",
        "PEER_DATABASE_URL": installation.owner_url,
    }
    with psycopg.connect(installation.owner_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA peer_loans")
    installation.manage_peer(environment, "migrate", "--run-syncdb", "--verbosity", "0")
    return Contender(installation, f"{_PEER}.program", environment)
