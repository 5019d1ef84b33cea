"""Transfers between wallets a second over HTTP: ours, and plain DRF with ORM.

Between pairs of 1,000 wallets and between two hot wallets, 32 connections, all on one durable
database in one interleaved run. Alternatively ours is compared with an earlier version, each on its
own database.
"""

import json
import random
from typing import Any

from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.withdrawals import (
    WALLETS,
    Http,
    make_our_records,
    make_peer_records,
    measured,
    ours_and_before,
    peer_environment,
)

_AMOUNT = 0.01
# Required ratio to the peer.
_LEAST = 8


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

    def http(url: str, bodies: list[dict[str, Any]], authorization: str) -> Http:
        base = url[: url.index("/", len("http://"))]
        requests = [load.post(url, json.dumps(body).encode(), authorization) for body in bodies]
        return Http(base, requests, connections, seconds)

    def exchange(one: Installation) -> Http:
        token, members = make_our_records(one)
        bodies = [
            {"from": {"user_id": payer}, "to": {"user_id": payee}, **_MONEY}
            for payer, payee in _pairs(members)
        ]
        return http(f"{one.serve_ours()}/v1/api/transfers", bodies, f"Bearer {token}")

    def peer(**environment: str) -> Http:
        application = "tests.benchmarks.peers.drf_orm.wsgi:application"
        base = installation.serve(application, {**peer_environment(installation), **environment})
        bodies = [{"payer": payer, "payee": payee, **_MONEY} for payer, payee in _pairs(holders)]
        return http(f"{base}/transfers", bodies, f"Token {peer_token}")

    contenders = ours_and_before(installation, earlier, exchange)
    if not earlier:
        peer_token, holders = make_peer_records(installation)
        contenders["DRF + ORM"] = peer()
        contenders["DRF + ORM, pool"] = peer(PEER_POOL="1")
    for measure in contenders.values():  # warm up: caches, prepared statements, connections
        measure(WALLETS)
    scenarios = {
        "between 1,000 wallets": measured(contenders, WALLETS, rounds),
        "between two hot wallets": measured(contenders, 2, rounds),
    }
    if not earlier:
        for figures in scenarios.values():
            figures["bars"] = {"DRF + ORM": _LEAST}
    return scenarios


_MONEY = {"amount": _AMOUNT, "currency": "KES"}


def _pairs(wallets: list[str]) -> list[tuple[str, str]]:
    """Return pairs of payer and payee; the first two are the two directions of one."""
    chosen = random.Random(7)
    some = [tuple(chosen.sample(wallets, 2)) for _ in range(WALLETS - 2)]
    first, second = wallets[:2]
    return [(first, second), (second, first), *((a, b) for a, b in some)]
