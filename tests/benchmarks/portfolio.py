"""Portfolios a second over HTTP: ours, DRF with `select_related`, and pgbench.

Each request reads the 50 holdings of a random member, out of `holdings` in all; 32 connections, all
on one durable database in one interleaved run. The peer reads the same tables (see
`peers.drf_select_related`); pgbench runs the same statement without checking the API key.
"""

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import requests

from config.local.embedded.layout import OWNER, database_url
from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.pgbench import run_pgbench
from tests.benchmarks.rounds import Contender, take_rounds

HOLDINGS_SMALL = 50_000
HOLDINGS_FULL = 5_000_000
EACH = 50
_ASKED = 10_000
_PEER = "tests.benchmarks.peers.drf_select_related"


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    holdings: int = HOLDINGS_SMALL,
) -> dict[str, Any]:
    """Return medians, ratios, CPU time and the raw rounds of one interleaved run."""
    members = holdings // EACH
    token, organisation = _make_portfolios(
        installation, members, tokens=min(20_000, max(1_000, holdings // 250))
    )
    script = _pgbench_script(installation, organisation)
    environment = {
        "DJANGO_SETTINGS_MODULE": f"{_PEER}.settings",
        "PEER_DATABASE_URL": database_url(installation.folder, OWNER),
    }
    bases = {
        "ours": installation.serve_ours() + "/v1/api/credit/user",
        "select_related": installation.serve(f"{_PEER}.wsgi:application", environment),
        "select_related, pool": installation.serve(
            f"{_PEER}.wsgi:application", {**environment, "PEER_POOL": "1"}
        ),
    }
    asked = random.sample(range(1, members + 1), min(members, _ASKED))
    _agree(bases, token, asked[0])

    def http(base: str) -> Contender:
        bodies = [
            load.post(f"{base}/portfolio/{_member(n)}", b"{}", f"Bearer {token}") for n in asked
        ]

        def measure(for_seconds: float) -> tuple[int, float]:
            outcome = load.run(
                base, lambda: random.choice(bodies), connections=connections, seconds=for_seconds
            )
            if set(outcome.statuses) != {200}:
                raise RuntimeError(f"{base} responded with {dict(outcome.statuses)}")
            return outcome.statuses[200], outcome.seconds

        return measure

    contenders = {name: http(base) for name, base in bases.items()}
    contenders["pgbench"] = lambda for_seconds: run_pgbench(
        installation,
        script,
        {"members": min(members, _ASKED)},
        connections=connections,
        seconds=for_seconds,
    )
    figure = take_rounds(installation, contenders, seconds, rounds).figures()
    return {f"{EACH} holdings of one member among {holdings:,}": figure}


def _member(number: int) -> UUID:
    """Return the id that `portfolio.sql` gives to a member."""
    return UUID(int=(0x7000 << 64) | (0x9000 << 48) | number)


def _make_portfolios(installation: Installation, members: int, tokens: int) -> tuple[str, UUID]:
    """Make an organisation by services and holdings by SQL; return its access token and id."""
    made = json.loads(installation.python("tests.benchmarks.dataset", "0", "no bank"))
    fill = Path(__file__).with_suffix(".sql").read_text()
    with psycopg.connect(
        database_url(installation.folder, OWNER),
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,
    ) as connection:
        found = connection.execute("SELECT id FROM exchange_organisation").fetchone()
        assert found is not None
        organisation: UUID = found[0]
        connection.execute(
            fill.encode(), {"organisation": organisation, "members": members, "tokens": tokens}
        )
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
    return made["token"], organisation


def _agree(bases: dict[str, str], token: str, number: int) -> None:
    """Assert that all return the same values for a member."""
    responses = []
    for base in bases.values():
        response = requests.post(
            f"{base}/portfolio/{_member(number)}",
            headers={"Authorization": f"Bearer {token}"},
            json={},
            timeout=30,
        )
        response.raise_for_status()
        records = json.loads(response.content, parse_int=Decimal, parse_float=Decimal)["data"]
        responses.append([list(_exact(record)) for record in records])
    if any(response != responses[0] for response in responses) or len(responses[0]) != EACH:
        raise RuntimeError("the contenders return different values")


def _exact(record: dict[str, Any]) -> Any:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _exact(value)
        elif name in {"name", "symbol", "image", "currency", "tokenId"} or "type" in name:
            yield value
        elif name != "investment_category":
            yield Decimal(value)


def _pgbench_script(installation: Installation, organisation: UUID) -> Path:
    """Write our own statement for a random member, without filters, as a pgbench script."""
    # The selector is imported by a program that has set Django up.
    statement = installation.python("tests.benchmarks.portfolio_statement")
    member = "('00000000-0000-7000-9000-' || lpad(to_hex(:n::integer), 12, '0'))::uuid"
    for value in (*["NULL"] * 6, member, f"'{organisation}'::uuid"):
        statement = statement.replace("%s", value, 1)
    script = installation.folder / "portfolio.sql"
    script.write_text(f"\\set n random(1, :members)\n{statement.strip()};\n")
    return script
