"""Orders placed a second: our service call beside a Python loop over the ORM.

Two orders out of three rest, one takes one to three others and is settled with them. On one
connection, on eight over as many tokens whose owners are the same, and on 32 that trade one token;
each contender in two processes, on one durable database in one interleaved run. At the end both
must have come to the same trades of a token that only one thread trades.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from config.embedded.layout import OWNER, database_url
from tests.benchmarks.cpu import CpuMeter
from tests.benchmarks.order_mix import OWN, TOKENS
from tests.benchmarks.stage import Stage

PROCESSES = 2
CROWD = 32
_SCENARIOS = {
    1: "one connection",
    OWN: f"{OWN} connections, as many tokens",
    CROWD: f"{CROWD} connections, one token",
}
_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_OURS = "tests.benchmarks.order_program"
_PEER = "tests.benchmarks.peers.orm_orders"
_TRADES = "price, tokens, buyer_value, buyer_fee, seller_value, seller_fee"


def run(stage: Stage, *, seconds: float, rounds: int, connections: int) -> dict[str, Any]:
    """One interleaved run; medians, ratios, processor time and the raw rounds.

    At most `connections` are used.
    """
    peer_environment = {
        "DJANGO_SETTINGS_MODULE": f"{_PEER}.settings",
        "PEER_DATABASE_URL": database_url(stage.folder, OWNER),
    }
    with psycopg.connect(database_url(stage.folder, OWNER), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA peer_orders")
    stage.manage_peer(peer_environment, "migrate", "--run-syncdb", "--verbosity", "0")
    with ExitStack() as resources:
        contenders = {
            "ours": _Contender(stage, _OURS, {"DATABASE_POOL_SIZE": str(CROWD // PROCESSES)}),
            "ORM loop": _Contender(stage, f"{_PEER}.program", peer_environment),
        }
        for contender in contenders.values():
            contender.start()
            resources.callback(contender.end)
        with psycopg.connect(database_url(stage.folder, OWNER), autocommit=True) as connection:
            connection.execute("ANALYZE")
        counts = sorted({min(count, connections) for count in (1, OWN, CROWD)})
        figures = {
            _SCENARIOS.get(count, f"{count} connections"): _measured(
                stage, contenders, count, seconds, rounds
            )
            for count in counts
        }
        _agree(stage, *(contender.world["tokens"][0] for contender in contenders.values()))
    return figures


class _Contender:
    """A program that places orders, in two processes, once its world is made."""

    def __init__(self, stage: Stage, module: str, environment: Mapping[str, str]) -> None:
        self._stage = stage
        self._command = [sys.executable, "-m", module]
        self._environment = {**stage.environment, **environment}
        self._file = stage.folder / f"{module}.json"
        self._processes: list[subprocess.Popen[str]] = []
        made = subprocess.run(
            [*self._command, "world", str(TOKENS)],
            cwd=_CHECKOUT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"{module}: {made.stderr[-2000:]}")
        self._file.write_text(made.stdout)
        self.world: dict[str, list[str]] = json.loads(made.stdout)

    def start(self) -> None:
        for number in range(PROCESSES):
            first = str(number * OWN // PROCESSES)
            process = subprocess.Popen(
                [*self._command, "trade", first, str(self._file)],
                cwd=_CHECKOUT,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            self._processes.append(process)
            self._stage.servers.append(process.pid)
        for process in self._processes:
            _answer(process)

    def measure(self, connections: int, seconds: float) -> int:
        """How many orders were placed over that many connections, spread over the processes."""
        some = self._processes[: min(connections, PROCESSES)]
        for process in some:
            assert process.stdin is not None
            process.stdin.write(f"{connections // len(some)} {seconds}\n")
            process.stdin.flush()
        return sum(int(_answer(process)) for process in some)

    def end(self) -> None:
        """Lets the programs come to their end, which they do when nobody asks any more."""
        for process in self._processes:
            process.communicate(timeout=30)


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line: str = process.stdout.readline().strip()
    if not line:
        raise RuntimeError(f"{process.args!r} ended")
    return line


def _measured(
    stage: Stage,
    contenders: Mapping[str, _Contender],
    connections: int,
    seconds: float,
    rounds: int,
) -> dict[str, Any]:
    for contender in contenders.values():  # warm up: plans, connections
        contender.measure(connections, 1)
    meter = CpuMeter(stage)
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    costs: dict[str, list[dict[str, float]]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            before = meter.read()
            placed = contender.measure(connections, seconds)
            spent = meter.read()
            rates[name].append(placed / seconds)
            costs[name].append({part: (spent[part] - before[part]) / placed for part in spent})
    medians = {name: median(values) for name, values in rates.items()}
    return {
        "per_second": {name: round(value, 1) for name, value in medians.items()},
        "ours_times": {
            name: round(medians["ours"] / value, 2)
            for name, value in medians.items()
            if name != "ours"
        },
        "cpu_milliseconds": {
            name: {part: round(1000 * median(c[part] for c in values), 3) for part in values[0]}
            for name, values in costs.items()
        },
        "rounds": {name: [round(v, 1) for v in values] for name, values in rates.items()},
    }


def _agree(stage: Stage, ours: str, peers: str) -> None:
    """Both came to the same trades of the first token, as far as the slower one came."""
    with psycopg.connect(database_url(stage.folder, OWNER)) as connection:
        found = [
            connection.execute(query.encode(), [token]).fetchall()
            for query, token in (
                (f"SELECT {_TRADES} FROM orders_trade WHERE token_id = %s ORDER BY seq", ours),
                (
                    f"SELECT {_TRADES} FROM peer_orders.peer_orders_trade WHERE token_id = %s"
                    " ORDER BY created_at, id",
                    peers,
                ),
            )
        ]
    shared = min(map(len, found))
    if not shared or found[0][:shared] != found[1][:shared]:
        raise RuntimeError("the contenders did not come to the same trades")
