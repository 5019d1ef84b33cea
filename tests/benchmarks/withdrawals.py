"""Withdrawals a second over HTTP: ours, plain DRF with ORM, and pgbench's minimal statements.

Spread over 1,000 wallets and on one hot wallet, 32 connections, all on one durable database in
one interleaved run. Alternatively ours is compared with an earlier version, each on its own
database. The currency is KES, which has no account resolution at the provider, so that only our
own work is measured; the bank list is fresh.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from config.local.embedded.layout import OWNER, database_url
from tests.benchmarks import load
from tests.benchmarks.comparison import alternate
from tests.benchmarks.installation import Installation
from tests.benchmarks.pgbench import SCRIPTS, run_pgbench
from tests.benchmarks.rounds import summarize

WALLETS = 1_000
AMOUNT = 100
BANK = "KCB Bank Kenya"
_BODY = json.dumps(
    {
        "amount": AMOUNT,
        "bank_name": BANK,
        "account_name": "Bench",
        "account_number": "0690000031",
        "currency": "KES",
    }
).encode()


@dataclass(frozen=True)
class Http:
    """Sends random ones of the first POSTs; returns those answered with 201 a second."""

    base: str
    requests: list[bytes]
    connections: int
    seconds: float

    def __call__(self, first: int) -> float:
        chosen = self.requests[:first]
        outcome = load.run(
            self.base,
            lambda: random.choice(chosen),
            connections=self.connections,
            seconds=self.seconds,
        )
        if set(outcome.statuses) != {201}:
            raise RuntimeError(f"{self.base} answered {dict(outcome.statuses)}")
        return outcome.per_second(201)


def withdrawal_request(base: str, member: str, authorization: str) -> bytes:
    """Return the bytes of a withdrawal request for a member."""
    return load.post(f"{base}/v1/api/members/{member}/wallet/withdraw", _BODY, authorization)


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    earlier: Installation | None = None,
) -> dict[str, Any]:
    """Return medians, ratios and the raw rounds of one interleaved run.

    The comparison with an earlier version leaves the peers out.
    """

    def http(base: str, paths: list[str], authorization: str) -> Http:
        requests = [load.post(f"{base}{path}", _BODY, authorization) for path in paths]
        return Http(base, requests, connections, seconds)

    def exchange(one: Installation) -> Http:
        token, members = make_our_records(one)
        paths = [f"/v1/api/members/{member}/wallet/withdraw" for member in members]
        return http(one.serve_ours(), paths, f"Bearer {token}")

    def peer(**environment: str) -> Http:
        application = "tests.benchmarks.peers.drf_orm.wsgi:application"
        base = installation.serve(application, {**peer_environment(installation), **environment})
        return http(base, [f"/withdraw/{holder}" for holder in holders], f"Token {peer_token}")

    contenders = ours_and_before(installation, earlier, exchange)
    if not earlier:
        peer_token, holders = make_peer_records(installation)
        contenders["DRF + ORM"] = peer()
        contenders["DRF + ORM, pool"] = peer(PEER_POOL="1")
        contenders["pgbench"] = lambda wallets: _pgbench_rate(
            installation, wallets, seconds, connections
        )
    for measure in contenders.values():  # warm up: caches, prepared statements, connections
        measure(WALLETS)
    return {
        "spread over 1,000 wallets": measured(contenders, WALLETS, rounds),
        "one hot wallet": measured(contenders, 1, rounds),
    }


def ours_and_before(
    installation: Installation,
    earlier: Installation | None,
    exchange: Callable[[Installation], Http],
) -> dict[str, Callable[[int], float]]:
    """Return what measures this version and, if given, the earlier one, each with its records."""
    contenders: dict[str, Callable[[int], float]] = {"ours": exchange(installation)}
    if earlier:
        contenders["before"] = exchange(earlier)
        for one in (installation, earlier):
            one.analyze()
    return contenders


def measured(
    contenders: Mapping[str, Callable[[int], float]], wallets: int, rounds: int
) -> dict[str, Any]:
    raw: dict[str, list[float]] = {contender: [] for contender in contenders}
    for contender, measure in alternate(contenders, rounds):
        raw[contender].append(measure(wallets))
    return summarize(raw)


def make_our_records(installation: Installation) -> tuple[str, list[str]]:
    """Make our organisation, members and money; return the access token and the members' ids."""
    made = json.loads(installation.python("tests.benchmarks.dataset", str(WALLETS), BANK))
    return made["token"], made["members"]


def peer_environment(installation: Installation) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "tests.benchmarks.peers.drf_orm.settings",
        "PEER_DATABASE_URL": database_url(installation.folder, OWNER),
    }


def make_peer_records(installation: Installation) -> tuple[str, list[str]]:
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA peer")
    # Django creates the peer's tables, which have no migrations, before all others.
    installation.manage_peer(
        peer_environment(installation), "migrate", "authtoken", "--verbosity", "0"
    )
    installation.manage_peer(
        peer_environment(installation), "migrate", "--run-syncdb", "--verbosity", "0"
    )
    holders = [str(UUID(int=(0x0000000000004000A000 << 48) | n)) for n in range(1, WALLETS + 1)]
    with psycopg.connect(database_url(installation.folder, OWNER)) as connection:
        connection.execute("SET search_path = peer")
        connection.execute(
            "INSERT INTO auth_user (id, username, password, is_superuser, first_name, last_name,"
            " email, is_staff, is_active, date_joined)"
            " VALUES (1, 'acme', '', false, '', '', '', false, true, now())"
        )
        token = "f" * 40
        connection.execute(
            "INSERT INTO authtoken_token (key, created, user_id) VALUES (%s, now(), 1)", [token]
        )
        connection.execute(
            "INSERT INTO peer_figure (key, value)"
            " VALUES ('MINIMUM_WITHDRAWAL_KES', 100), ('KES_WITHDRAWAL_FEE', 30),"
            " ('KES_USD_RATE', 129)"
        )
        connection.execute(
            "INSERT INTO peer_banklist (currency, banks, fetched_at) VALUES ('KES', %s, now())",
            [json.dumps([{"id": 1, "name": BANK, "code": "01"}])],
        )
        for n, holder in enumerate(holders, start=1):
            connection.execute(
                "INSERT INTO peer_member (id, organisation_id, name, email) VALUES (%s, 1, %s, %s)",
                [holder, f"Member {n}", f"m{n}@example.com"],
            )
            for kind, balance, variant in (("available", 10**12, 0x8000), ("escrow", 0, 0x9000)):
                connection.execute(
                    "INSERT INTO peer_account"
                    " (id, holder, organisation_id, currency, kind, balance)"
                    " VALUES (%s, %s, 1, 'KES', %s, %s)",
                    [UUID(int=(0x4000 << 64) | (variant << 48) | n), holder, kind, balance],
                )
        connection.execute("ANALYZE")
    return token, holders


def _pgbench_rate(
    installation: Installation, wallets: int, seconds: float, connections: int
) -> float:
    count, took = run_pgbench(
        installation,
        SCRIPTS / "withdrawal.sql",
        {"wallets": wallets},
        connections=connections,
        seconds=seconds,
    )
    return count / took
