"""Lists of tokens a second over HTTP: ours, stock DRF, django-ninja, and pgbench.

All read one table, in one interleaved run on a durable database; every response has the exact
total. The peers return the same columns of the same tokens, but ignore private deals of the
caller; their search finds parts of words (`ILIKE`), as stock components do. pgbench runs the check
of our API key, `count(*)` and the page of stored documents, without any caching.
Alternatively ours is compared with an earlier version, each on its own database.
"""

import hashlib
import json
import sys
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

import psycopg

from config.local.embedded.layout import OWNER, database_url
from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.pgbench import SCRIPTS, run_pgbench
from tests.benchmarks.rounds import take_rounds

SIZES = (20_000,)
FULL_SIZES = (100_000, 1_000_000)
_PAGE_SIZE = 20
_PEER_KEY = "f" * 40
# Where a peer needs a second of CPU time for a response, 32 concurrent requests queue up until
# servers drop connections. Fewer keep both cores as busy.
_LARGE = 500_000
_CONNECTIONS_TO_PEERS_OF_LARGE = 8

# Takes connections and seconds; returns the number of responses and the seconds they took.
_Repeated = Callable[[int, float], tuple[int, float]]


@dataclass(frozen=True)
class Scenario:
    """One list: our URL, the peers' URL, and pgbench's script with its values."""

    name: str
    ours: tuple[str, dict[str, str]]
    peers: tuple[str, dict[str, str]]
    script: str
    defines: dict[str, str]


def scenarios(size: int) -> list[Scenario]:
    """Return the scenarios for a table of `size` tokens."""
    # Page 10,000 where it exists; about three in four tokens are active.
    page = min(10_000, size * 3 // 4 // _PAGE_SIZE)
    active, search = ("api/tokens", "tokens"), ("api/token/search", "search")

    def by_name(what: str, text: str) -> Scenario:
        words = text.split()
        query = " & ".join(f"{word}:*" for word in words)
        return Scenario(
            f"search by {what}",
            (search[0], {"name": text}),
            (search[1], {"search": text}),
            "tokens_search",
            {"words": query},
        )

    return [
        Scenario("list, page 1", (active[0], {}), (active[1], {}), "tokens_list", {"skip": "0"}),
        Scenario(
            "filtered list",
            (active[0], {"currency": "KES", "investment_type": "debt", "private": "false"}),
            (
                active[1],
                {"currency_id": "KES", "investment_type": "Debt", "type": "Public"},
            ),
            "tokens_filtered",
            {},
        ),
        by_name("a rare word", "zambezi"),
        by_name("a common word", "fund"),
        by_name("two words", "green energy"),
        Scenario(
            f"list, page {page:,}",
            (active[0], {"page": str(page)}),
            (active[1], {"page": str(page)}),
            "tokens_list",
            {"skip": str((page - 1) * _PAGE_SIZE)},
        ),
    ]


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    sizes: Sequence[int] = SIZES,
    earlier: Installation | None = None,
) -> dict[str, Any]:
    """Return medians, ratios, CPU time of a request and the raw rounds, for each size.

    `ours_growth` is how many times as long ours takes as with the first table, by the clock and by
    CPU time. What a process remembers is used as long as nothing that lists find by changes;
    `ours_after_a_change_milliseconds` is what the first request after a change takes. A comparison
    with an earlier version leaves the peers out.
    """
    peers = {} if earlier else _serve_peers(installation)
    stages = {"ours": installation, **({"before": earlier} if earlier else {})}
    exchanges = {name: one.serve_ours() + "/v1" for name, one in stages.items()}
    figures: dict[str, Any] = {}
    first: dict[int, tuple[float, float]] = {}
    filled = 0
    for size in sizes:
        keys = {
            name: one.python("tests.benchmarks.token_dataset", str(filled + 1), str(size)).strip()
            for name, one in stages.items()
        }
        filled = size
        for one in stages.values():
            _vacuum(one)
        for position, scenario in enumerate(scenarios(size)):
            web = {
                name: _Http(f"{base}/{_target(scenario.ours)}", f"Bearer {keys[name]}")
                for name, base in exchanges.items()
            }
            for name, base in peers.items():
                web[name] = _Http(f"{base}/{_target(scenario.peers)}", f"Token {_PEER_KEY}")
            total = _agreed_total(web)
            contenders: dict[str, _Repeated] = {**web}
            if not earlier:
                contenders["pgbench"] = _Pgbench(installation, scenario, keys["ours"])
            for_peers = min(connections, _CONNECTIONS_TO_PEERS_OF_LARGE)
            at_once = {
                name: for_peers if size >= _LARGE and name not in exchanges else connections
                for name in contenders
            }
            figure = _measured(installation, contenders, seconds, rounds, at_once)
            figure["total"] = total
            figure["ours_after_a_change_milliseconds"] = _after_changes(
                installation, web["ours"], rounds
            )
            # Page 10,000 is another page in a small table, but still the last scenario.
            now = (
                1 / figure["per_second"]["ours"],
                sum(figure["cpu_milliseconds"]["ours"].values()),
            )
            then = first.setdefault(position, now)
            figure["ours_growth"] = [
                round(n / t, 2) if t else 0 for n, t in zip(now, then, strict=True)
            ]
            figures[f"{scenario.name}, {size:,} tokens"] = figure
            sys.stderr.write(f"{scenario.name}, {size:,} tokens: {figure['per_second']}\n")
    return figures


def _measured(
    installation: Installation,
    contenders: Mapping[str, _Repeated],
    seconds: float,
    rounds: int,
    connections: Mapping[str, int],
) -> dict[str, Any]:
    found = take_rounds(
        installation,
        {name: partial(each, connections[name]) for name, each in contenders.items()},
        seconds,
        rounds,
    )
    cpu = {name: sum(values.values()) for name, values in found.cpu.items()}
    return {
        **found.figures(),
        "ours_cpu_times": {
            name: round(total / cpu["ours"], 2)
            for name, total in cpu.items()
            if name != "ours" and cpu["ours"]
        },
    }


@dataclass(frozen=True)
class _Http:
    """Repeats one GET; returns the number of responses and the seconds they took."""

    url: str
    authorization: str

    def __call__(self, connections: int, seconds: float) -> tuple[int, float]:
        request = load.get(self.url, self.authorization)
        outcome = load.run(self.url, lambda: request, connections=connections, seconds=seconds)
        if set(outcome.statuses) != {200}:
            raise RuntimeError(f"{self.url} responded with {dict(outcome.statuses)}")
        return outcome.statuses[200], outcome.seconds

    def total(self) -> int:
        """Return the total in the response; a page holds 20 records, or all."""
        request = urllib.request.Request(self.url, headers={"Authorization": self.authorization})
        with urllib.request.urlopen(request, timeout=120) as response:
            body = json.load(response)
        found = body.get("data", body)
        total = int(found["total"] if "total" in found else found["count"])
        shown = found.get("tokens") or found.get("results") or found.get("items")
        if len(shown) != min(total, _PAGE_SIZE):
            raise RuntimeError(f"{self.url} shows {len(shown)} of {total}")
        return total


@dataclass(frozen=True)
class _Pgbench:
    """The statements of one scenario, prepared."""

    installation: Installation
    scenario: Scenario
    key: str

    def __call__(self, connections: int, seconds: float) -> tuple[int, float]:
        checksum = hashlib.sha256(self.key.encode()).hexdigest()
        return run_pgbench(
            self.installation,
            SCRIPTS / f"{self.scenario.script}.sql",
            {"checksum": checksum, **self.scenario.defines},
            connections=connections,
            seconds=seconds,
            # A generic plan would not use the index for rare words.
            options="-c plan_cache_mode=force_custom_plan",
        )


def _agreed_total(contenders: dict[str, _Http]) -> int:
    """Return the total that all contenders report for the scenario."""
    totals = {name: contender.total() for name, contender in contenders.items()}
    if len(set(totals.values())) != 1:
        raise RuntimeError(f"totals differ: {totals}")
    return totals["ours"]


def _after_changes(installation: Installation, ours: _Http, rounds: int) -> float:
    """Return the time of the first request after a change that invalidates the cached lists."""
    took = []
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        for _ in range(rounds):
            connection.execute(
                "UPDATE exchange_token SET name = name WHERE symbol = 'T1'"  # raises the version
            )
            began = perf_counter()
            ours.total()
            took.append(perf_counter() - began)
    return round(median(took) * 1000, 1)


def _target(address: tuple[str, dict[str, str]]) -> str:
    path, query = address
    return f"{path}?{urlencode(query)}" if query else path


def _vacuum(installation: Installation) -> None:
    """Vacuum as autovacuum would have done by the time the table is that large."""
    with psycopg.connect(installation.owner_url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


def _serve_peers(installation: Installation) -> dict[str, str]:
    """Serve the peers and return their base URLs."""
    environment = _make_peer_users(installation)
    peers = "tests.benchmarks.peers"
    return {
        "stock DRF": installation.serve(f"{peers}.stock_drf.wsgi:application", environment),
        "django-ninja": installation.serve(
            f"{peers}.ninja.wsgi:application",
            {**environment, "DJANGO_SETTINGS_MODULE": f"{peers}.ninja.settings"},
        ),
    }


def _make_peer_users(installation: Installation) -> dict[str, str]:
    """Make the peers' users and keys; return the environment of their servers."""
    environment = {
        "DJANGO_SETTINGS_MODULE": "tests.benchmarks.peers.stock_drf.settings",
        "PEER_DATABASE_URL": database_url(installation.folder, OWNER),
    }
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA peer_tokens")
    installation.manage_peer(environment, "migrate", "--verbosity", "0")
    with psycopg.connect(database_url(installation.folder, OWNER), autocommit=True) as connection:
        connection.execute("SET search_path = peer_tokens")
        connection.execute(
            "INSERT INTO auth_user (id, username, password, is_superuser, first_name, last_name,"
            " email, is_staff, is_active, date_joined)"
            " VALUES (1, 'acme', '', false, '', '', '', false, true, now())"
        )
        connection.execute(
            "INSERT INTO authtoken_token (key, created, user_id) VALUES (%s, now(), 1)",
            [_PEER_KEY],
        )
    return environment
