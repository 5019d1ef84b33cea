"""The primary's CPU time with and without a replica, for lists and for the writes that pay for it.

Two services on one durable primary, one of which reads lists from a streaming replica, in one
interleaved run. CPU time is robust where client, services and both servers share a few cores;
`per_second` is not. The parts are the catalogue, statements, long lists of the back office, a mix
of them, and withdrawals.
"""

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg

from config.local.embedded.layout import APPLICATION, OWNER, database_url
from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.rounds import Contender, take_rounds
from tests.benchmarks.withdrawals import BANK, withdrawal_request
from tests.environment.replication import Replication
from tests.factories.ledger_rows import fill_withdrawals

MEMBERS = 200
WITHDRAWALS = 5_000
TOKENS = 10_000
# Pages of the back office take long; more at a time would only queue.
_CONNECTIONS_OF_STAFF = 4
_PAGES = ("wallets/withdrawal/", "wallets/entry/", "wallets/payout/", "wallets/transfer/")
_PRIMARY_ONLY, _WITH_REPLICA = "primary only", "with replica"

# The members with the longest statements.
_OWNERS = """
SELECT m.id FROM exchange_member m JOIN wallets_account a ON a.owner_id = m.id
JOIN wallets_entry e ON e.account_id = a.id WHERE m.organisation_id = %s
GROUP BY m.id ORDER BY count(*) DESC, m.id LIMIT 200
"""

NextRequest = Callable[[], bytes]


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return the CPU milliseconds of a request by part and service, and the ratios."""
    records = json.loads(installation.python("tests.benchmarks.dataset", str(MEMBERS), BANK))
    installation.python("tests.benchmarks.token_dataset", "1", str(TOKENS))
    session = installation.python("tests.benchmarks.staff_session").strip()
    owner_url = database_url(installation.folder, OWNER)
    fill_withdrawals(owner_url, records["organisation"], 1, WITHDRAWALS)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        records["owners"] = [
            str(owner) for (owner,) in connection.execute(_OWNERS, [records["organisation"]])
        ]
    with tempfile.TemporaryDirectory(prefix="exchange-replica-") as folder:
        replication = Replication(installation.folder, Path(folder) / "standby")
        replication.copy()
        replication.start()
        try:
            bases = {_PRIMARY_ONLY: installation.serve_ours()}
            installation.environment["DATABASE_REPLICA_URL"] = database_url(
                replication.standby, APPLICATION
            )
            bases[_WITH_REPLICA] = installation.serve_ours()
            return {
                part: _measured(
                    installation, bases, part, records, session, seconds, rounds, at_once
                )
                for part, at_once in (
                    ("token lists", connections),
                    ("statements", connections),
                    ("back-office lists", _CONNECTIONS_OF_STAFF),
                    ("mix of lists", connections),
                    ("withdrawals", connections),
                )
            }
        finally:
            replication.stop()


def _measured(
    installation: Installation,
    bases: dict[str, str],
    part: str,
    records: dict[str, Any],
    session: str,
    seconds: float,
    rounds: int,
    connections: int,
) -> dict[str, Any]:
    expected = 201 if part == "withdrawals" else 200

    def contender(name: str, base: str) -> Contender:
        requests = _requests(base, part, records, session)

        def measure(for_seconds: float) -> tuple[int, float]:
            outcome = load.run(base, requests, connections=connections, seconds=for_seconds)
            if set(outcome.statuses) != {expected}:
                raise RuntimeError(f"{part}, {name}: {dict(outcome.statuses)}")
            return outcome.statuses[expected], outcome.seconds

        return measure

    found = take_rounds(
        installation,
        {name: contender(name, base) for name, base in bases.items()},
        seconds,
        rounds,
    )
    primary = {name: values.get("database", 0) for name, values in found.cpu.items()}
    saved = 1 - primary[_WITH_REPLICA] / primary[_PRIMARY_ONLY] if primary[_PRIMARY_ONLY] else 0
    return {
        **found.figures(),
        "primary_seconds_per_1000": {name: round(value, 3) for name, value in primary.items()},
        "primary_saved": round(saved, 3),
        "rounds": {
            name: [round(each.get("database", 0), 3) for each in costs]
            for name, costs in found.costs.items()
        },
    }


def _requests(base: str, part: str, records: dict[str, Any], session: str) -> NextRequest:
    """Return what draws the requests of `part`."""
    bearer = f"Bearer {records['token']}"
    lists = {
        "token lists": [
            load.get(f"{base}/v1/api/tokens?{urlencode({'page': page})}", bearer)
            for page in range(1, 21)
        ],
        "statements": [
            load.get(f"{base}/v1/api/members/{member}/wallet/transactions", bearer)
            for member in records["owners"]
        ],
        "back-office lists": [_page(f"{base}/admin/{address}", session) for address in _PAGES],
    }
    if part == "withdrawals":
        drawn = [withdrawal_request(base, member, bearer) for member in records["members"]]
        return lambda: random.choice(drawn)
    if part in lists:
        return lambda: random.choice(lists[part])
    # Of 25 requests of the mix 12 each are of the API's two lists, and one is a page.
    weights = dict(zip(lists, (12, 12, 1), strict=True))
    return lambda: random.choice(
        lists[random.choices(list(lists), weights=list(weights.values()))[0]]
    )


def _page(url: str, session: str) -> bytes:
    return load.get(url, "-").replace(b"Authorization: -", f"Cookie: sessionid={session}".encode())


def report(figures: dict[str, Any]) -> None:
    """Print one line for each part."""
    for part, seen in figures.items():
        alone, shared = (
            seen["primary_seconds_per_1000"][n] for n in (_PRIMARY_ONLY, _WITH_REPLICA)
        )
        print(
            f"  {part:<20}primary's CPU time of 1,000 requests: {alone:.3f} s alone,"
            f" {shared:.3f} s with a replica ({-seen['primary_saved']:+.0%})"
        )
