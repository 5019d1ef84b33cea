"""Tickers and candles next to the ORM that computes them from trades, and over HTTP.

`trades` trades of 400 days and 200 tokens, half of them of one token, which is the one that is
read. The first measurement is that of the task that writes the hours of all of them.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psycopg
import requests

from tests.benchmarks.installation import Installation

TRADES = 1_000_000
FULL_TRADES = 10_000_000
DAYS = 400
_TOKENS = 200
_EACH_ROUND = 10
_TOKEN_ROWS = Path(__file__).parents[1] / "factories" / "tokens.sql"
_LISTED = """
SELECT id FROM exchange_token
WHERE secondaries AND deal_access = 'Public' AND NOT (closed OR exited OR cancelled)
ORDER BY id LIMIT %s
"""


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    trades: int = TRADES,
) -> dict[str, Any]:
    """Return the milliseconds of each; `seconds` and `connections` do not apply."""
    del seconds, connections
    access = json.loads(installation.python("tests.benchmarks.dataset", "0", "no bank"))["token"]
    token, *_ = _fill(installation, trades)
    program = "tests.benchmarks.market_program"
    written = json.loads(installation.python(program, "write"))
    _vacuum(installation)
    read = json.loads(installation.python(program, "read", token, str(rounds)))
    served = _over_http(installation.serve_ours(), access, token, rounds)
    figures: dict[str, Any] = {
        "write all hours": {name: round(value, 1) for name, value in written.items()}
    }
    for name, times in read.items():
        ours, orm = median(times["ours"]), median(times["orm"])
        figures[f"{name}, {trades:,} trades"] = {
            "milliseconds": round(ours, 1),
            "milliseconds_orm": round(orm, 1),
            "times": round(orm / ours, 1),
        }
    for name, took in served.items():
        figures[f"{name}, over HTTP"] = {"milliseconds": round(median(took), 1)}
    return figures


def report(figures: dict[str, Any]) -> None:
    """Print a line for each measurement."""
    for name, figure in figures.items():
        print(f"market, {name}: {', '.join(f'{key} {value:,g}' for key, value in figure.items())}")


def _fill(installation: Installation, trades: int) -> Sequence[str]:
    """Insert tokens and trades; return the ids of the tokens."""
    fill = Path(__file__).with_name("market_rows.sql").read_text()
    with psycopg.connect(
        installation.owner_url, autocommit=True, cursor_factory=psycopg.ClientCursor
    ) as connection:
        tokens = _TOKEN_ROWS.read_text()
        connection.execute(tokens.encode(), {"first": 1, "last": 4 * _TOKENS})
        ids = [found for (found,) in connection.execute(_LISTED, [_TOKENS]).fetchall()]
        if len(ids) != _TOKENS:
            raise RuntimeError("too few tokens are in secondary trading")
        connection.execute("SET session_replication_role = replica")
        values = {"trades": trades, "days": DAYS, "ids": ids, "tokens": _TOKENS}
        connection.execute(fill.encode(), values)
    _vacuum(installation)
    return [str(found) for found in ids]


def _vacuum(installation: Installation) -> None:
    with psycopg.connect(installation.owner_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def _over_http(base: str, access: str, token: str, rounds: int) -> dict[str, list[float]]:
    paths = {
        "ticker": f"token/{token}/ticker",
        "20 tickers": "tickers?sort=token",
        "100 tickers": "tickers?sort=token&limit=100",
        **{
            f"1,000 candles {name}": f"token/{token}/candles?interval={name}&fill=true"
            for name in ("1m", "5m", "1h", "1d")
        },
    }
    times: dict[str, list[float]] = {name: [] for name in paths}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {access}"
        for _ in range(rounds * _EACH_ROUND + 1):
            for name, path in paths.items():
                started = perf_counter()
                response = session.get(f"{base}/v1/api/{path}", timeout=60)
                times[name].append(1000 * (perf_counter() - started))
                response.raise_for_status()
    return {name: took[1:] for name, took in times.items()}
