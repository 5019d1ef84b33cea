"""A distribution to many holders: incomes paid a second, and what trading and webhooks feel of it.

Ours and an ORM loop, which pays each holder in a transaction of its own, pay in turns, on one
durable database. Then orders are placed and withdrawals requested, in turns while the worker pays a
distribution and while it does not. Above `HOLDERS` the loop, which takes the same time for each
holder, pays that many only, and neither is warmed up.
"""

import json
import subprocess
import time
from collections.abc import Mapping
from statistics import median
from typing import Any

from tests.benchmarks import load
from tests.benchmarks.comparison import alternate
from tests.benchmarks.installation import Installation
from tests.benchmarks.rounds import summarize
from tests.benchmarks.withdrawals import make_peer_records, peer_environment
from tests.environment.webhook_receiver import Receiver

HOLDERS = 5_000
FULL_HOLDERS = 100_000
_PEER = "tests.benchmarks.peers.drf_orm.income"
# Required: incomes a second to those of the ORM loop.
_LEAST = 5
# Allowed: the median latency while the worker pays, to the one while it does not.
MOST = 1.5


class Program:
    """A program that makes its records, and pays all holders once for each line that it reads."""

    def __init__(
        self, installation: Installation, module: str, holders: int, environment: Mapping[str, str]
    ) -> None:
        self._process = subprocess.Popen(
            installation.command(module, str(holders)),
            cwd=installation.version.checkout,
            env={**installation.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.made = self._read()

    def ask(self, what: str) -> Any:
        """Send a line and return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return self._read()

    def end(self) -> None:
        """Let the program end."""
        self._process.communicate(timeout=30)

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended")
        return json.loads(line)


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    holders: int = HOLDERS,
) -> dict[str, Any]:
    """Return incomes a second, and latencies during a payment and without, of interleaved rounds.

    Also the memory that the payments took of their process, in MB.
    `connections` does not apply: orders and withdrawals come on one connection each.
    """
    del connections
    ours = Program(installation, "tests.benchmarks.distributions_program", holders, {})
    make_peer_records(installation)
    few = min(holders, HOLDERS)
    peer = Program(installation, _PEER, few, peer_environment(installation))
    installation.analyze()
    programs = {"ours": (ours, holders), "ORM loop": (peer, few)}
    if holders == few:
        for program, _ in programs.values():  # warm up: accounts and plans
            program.ask("pay")
    before = ours.ask("memory")
    rates: dict[str, list[float]] = {name: [] for name in programs}
    for name, (program, size) in alternate(programs, rounds):
        rates[name].append(size / program.ask("pay"))
    peer.end()
    figures = {
        f"{holders:,} holders": {
            **summarize(rates),
            "bars": {"ORM loop": _LEAST},
            "megabytes": [before, ours.ask("memory")],
        }
    }
    figures |= _during(installation, ours, seconds, rounds)
    ours.end()
    return figures


def report(figures: dict[str, Any]) -> None:
    """Print the rates, and the latencies of each kind of request."""
    for name, seen in figures.items():
        print(f"distributions, {name}")
        if "per_second" in seen:
            for contender, rate in seen["per_second"].items():
                print(f"  {contender:<24}{rate:>10,.0f} incomes/s")
            print(f"  ours: {seen['ours_times']['ORM loop']:g} times as fast; required: {_LEAST}")
            before, after = seen["megabytes"]
            print(f"  memory of ours: {before} MB before the payments, at most {after} MB in them")
        else:
            print(
                f"  {seen['milliseconds']['without']:,.1f} ms without, during a payment"
                f" {seen['milliseconds']['during']:,.1f} ms: {seen['times']:g} times;"
                f" at most {MOST:g} is the goal"
            )


def _during(
    installation: Installation, ours: Program, seconds: float, rounds: int
) -> dict[str, Any]:
    """Return the latencies of orders and of webhooks of withdrawals, during a payment and without.

    A round during a payment lasts until it ends; one without lasts `seconds`.
    """
    # Not before: it would pay part of what the program pays.
    installation.work()
    base = installation.serve_ours()
    made, authorization = ours.made, f"Bearer {ours.made['token']}"
    order, withdrawal = (
        load.post(f"{base}{path}", json.dumps(body).encode(), authorization)
        for path, body in (
            ("/v1/orders", made["order"]),
            (f"/v1/api/members/{made['member']}/wallet/withdraw", made["withdrawal"]),
        )
    )
    found: dict[str, dict[str, list[float]]] = {
        name: {"without": [], "during": []} for name in ("orders", "webhooks of withdrawals")
    }

    def take(mode: str) -> None:
        found["orders"][mode] += _send(base, order)
        started = time.perf_counter()
        _send(base, withdrawal)
        # One of the order, one of the withdrawal.
        receiver.wait_for(len(taken) * 2 + 2)
        taken.append(mode)
        found["webhooks of withdrawals"][mode].append(time.perf_counter() - started)

    taken: list[str] = []
    with Receiver() as receiver:
        ours.ask(f"endpoint {receiver.url}")
        take("without")
        for mode, _ in alternate({"without": None, "during": None}, rounds):
            if mode == "during":
                ours.ask("start")
            end = time.perf_counter() + seconds
            while not ours.ask("paid") if mode == "during" else time.perf_counter() < end:
                take(mode)
    return {name: _latencies(values) for name, values in found.items()}


def _send(base: str, request: bytes) -> list[float]:
    """Send the request once; return its latency in seconds."""
    outcome = load.run(base, lambda: request, connections=1, seconds=0)
    if set(outcome.statuses) != {201}:
        raise RuntimeError(f"{base} answered {dict(outcome.statuses)}")
    return outcome.latencies


def _latencies(found: dict[str, list[float]]) -> dict[str, Any]:
    middle = {mode: round(median(values) * 1000, 2) for mode, values in found.items()}
    return {
        "milliseconds": middle,
        "times": round(middle["during"] / middle["without"], 2),
        "samples": {mode: len(values) for mode, values in found.items()},
    }
