"""Orders a second: our service call and a Python loop over the ORM.

Two orders out of three rest, one fills one to three others and is settled with them. Runs on one
connection, on eight with as many tokens and the same owners, and on 32 that trade one token. Each
contender uses two processes; all run interleaved on one durable database. Both must reach the same
trades of a token that only one thread trades. An earlier version runs on its own database, and its
trades must have the same prices and units.
"""

import json
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import psycopg

from tests.benchmarks.installation import Installation
from tests.benchmarks.order_mix import OWN, TOKENS
from tests.benchmarks.rounds import take_rounds

PROCESSES = 2
MANY_CONNECTIONS = 32
_SCENARIOS = {
    1: "one connection",
    OWN: f"{OWN} connections, as many tokens",
    MANY_CONNECTIONS: f"{MANY_CONNECTIONS} connections, one token",
}
# The required ratio to the orders of the ORM loop, by connections.
_MIN_TIMES = {1: 7, MANY_CONNECTIONS: 9}
_OURS = "tests.benchmarks.order_program"
_PEER = "tests.benchmarks.peers.orm_orders"
# The columns that two versions must agree on, and those that the peer must match as well.
_MATCHED = "price, tokens"
_SETTLED = f"{_MATCHED}, buyer_value, buyer_fee, seller_value, seller_fee"


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    earlier: Installation | None = None,
) -> dict[str, Any]:
    """Return medians, ratios, CPU time and the raw rounds of one interleaved run.

    Uses at most `connections`.
    """
    peer_environment = {
        "DJANGO_SETTINGS_MODULE": f"{_PEER}.settings",
        "PEER_DATABASE_URL": installation.owner_url,
    }
    with psycopg.connect(installation.owner_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA peer_orders")
    installation.manage_peer(peer_environment, "migrate", "--run-syncdb", "--verbosity", "0")
    with ExitStack() as resources:
        pool = {"DATABASE_POOL_SIZE": str(MANY_CONNECTIONS // PROCESSES)}
        contenders = {"ours": Contender(installation, _OURS, pool)}
        if earlier:
            contenders["before"] = Contender(earlier, _OURS, pool)
        contenders["ORM loop"] = Contender(installation, f"{_PEER}.program", peer_environment)
        for contender in contenders.values():
            contender.start()
            resources.callback(contender.end)
        for one in (installation, earlier):
            if one:
                one.analyze()
        counts = sorted({min(count, connections) for count in (1, OWN, MANY_CONNECTIONS)})
        figures = {
            _SCENARIOS.get(count, f"{count} connections"): take_rounds(
                installation,
                {name: partial(each.measure, count) for name, each in contenders.items()},
                seconds,
                rounds,
            ).figures()
            for count in counts
        }
        first = {name: contender.dataset["tokens"][0] for name, contender in contenders.items()}
        _agree(
            _trades(installation, first["ours"], _SETTLED),
            _peer_trades(installation, first["ORM loop"]),
        )
        if earlier:
            _agree(
                _trades(installation, first["ours"], _MATCHED),
                _trades(earlier, first["before"], _MATCHED),
            )
    for count, least in _MIN_TIMES.items():
        if count in counts:
            figures[_SCENARIOS[count]]["bars"] = {"ORM loop": least}
    return figures


class Contender:
    """A program that makes its records and then places orders, in two processes."""

    def __init__(
        self, installation: Installation, module: str, environment: Mapping[str, str]
    ) -> None:
        self._stage = installation
        self._command = installation.command(module)
        self._environment = {**installation.environment, **environment}
        self._file = installation.folder / f"{module}.json"
        self._processes: list[subprocess.Popen[str]] = []
        made = subprocess.run(
            [*self._command, "world", str(TOKENS)],
            cwd=installation.version.checkout,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"{module}: {made.stderr[-2000:]}")
        self._file.write_text(made.stdout)
        self.dataset: dict[str, list[str]] = json.loads(made.stdout)

    def start(self) -> None:
        for number in range(PROCESSES):
            first = str(number * OWN // PROCESSES)
            process = subprocess.Popen(
                [*self._command, "trade", first, str(self._file)],
                cwd=self._stage.version.checkout,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            self._processes.append(process)
            self._stage.servers.append(process.pid)
        for process in self._processes:
            read_line(process)

    def measure(self, connections: int, seconds: float) -> tuple[int, float]:
        """Return the orders placed over that many connections, spread over the processes."""
        some = self._processes[: min(connections, PROCESSES)]
        for process in some:
            assert process.stdin is not None
            process.stdin.write(f"{connections // len(some)} {seconds}\n")
            process.stdin.flush()
        return sum(int(read_line(process)) for process in some), seconds

    def end(self) -> None:
        """Let the programs end by closing their input."""
        for process in self._processes:
            process.communicate(timeout=30)


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line: str = process.stdout.readline().strip()
    if not line:
        raise RuntimeError(f"{process.args!r} ended")
    return line


def _trades(installation: Installation, token: str, columns: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(installation.owner_url) as connection:
        query = f"SELECT {columns} FROM orders_trade WHERE token_id = %s ORDER BY seq"
        return connection.execute(query.encode(), [token]).fetchall()


def _peer_trades(installation: Installation, token: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(installation.owner_url) as connection:
        query = (
            f"SELECT {_SETTLED} FROM peer_orders.peer_orders_trade WHERE token_id = %s"
            " ORDER BY created_at, id"
        )
        return connection.execute(query.encode(), [token]).fetchall()


def _agree(ours: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> None:
    """Assert that both made the same trades of the first token, up to where the slower one got."""
    shared = min(len(ours), len(others))
    if not shared or ours[:shared] != others[:shared]:
        raise RuntimeError("the contenders did not come to the same trades")
