"""The same requests, pages and proofs on a young ledger and on an old one.

Two databases on one server, with as many owners and open withdrawals; only the history differs.
Each measurement alternates between the two. `growth` is how many times as long the old one takes;
all but the full proof should take at most 1.1 times as long.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

import psycopg
import requests

from tests.benchmarks import growth_dataset
from tests.benchmarks.installation import PRESENT, Installation
from tests.benchmarks.withdrawals import BANK

SIZES = (200_000, 2_000_000)
FULL_SIZES = (200_000, 20_000_000)
MOST = 1.1
_EACH_ROUND = 40
_PAGES = 15
_VACUUM = """
VACUUM (ANALYZE) wallets_entry, wallets_transfer, wallets_account, wallets_withdrawal,
    wallets_bankaccount, exchange_event, exchange_eventnumber
"""


@dataclass(frozen=True)
class Ledger:
    """A filled installation: its size, URL, and the token of its organisation."""

    entries: int
    installation: Installation
    base: str
    token: str
    session: requests.Session

    def call(
        self, method: str, path: str, status: int, body: dict[str, Any] | None = None
    ) -> float:
        """Send a request and return the milliseconds until its response was read."""
        headers = {"Authorization": f"Bearer {self.token}"}
        started = perf_counter()
        response = self.session.request(
            method, f"{self.base}{path}", json=body, headers=headers, timeout=60
        )
        took = 1000 * (perf_counter() - started)
        if response.status_code != status:
            raise RuntimeError(f"{path} responded with {response.status_code}: {response.text}")
        return took

    def program(self, *arguments: str) -> dict[str, Any]:
        """Run the program of this benchmark and return what it prints."""
        printed = self.installation.python("tests.benchmarks.growth_program", *arguments)
        result: dict[str, Any] = json.loads(printed)
        return result


def run(
    installation: Installation,
    *,
    seconds: float,
    rounds: int,
    connections: int,
    sizes: Sequence[int] = SIZES,
) -> dict[str, Any]:
    """Fill two databases and measure both; `seconds` and `connections` do not apply."""
    del seconds, connections
    ledgers = []
    for size, one in zip(sizes, (installation, installation.install_version(PRESENT)), strict=True):
        records = json.loads(one.python("tests.benchmarks.dataset", "0", BANK))
        entries = growth_dataset.fill(one.owner_url, records["organisation"], size)
        ledgers.append(Ledger(entries, one, one.serve_ours(), records["token"], requests.Session()))
    return measure(ledgers, rounds)


def measure(ledgers: Sequence[Ledger], rounds: int) -> dict[str, Any]:
    """Return the milliseconds of everything on each ledger, and their growth."""
    times: dict[str, list[list[float]]] = {}

    def add(name: str, ledger: Ledger, *took: float) -> None:
        lists = times.setdefault(name, [[] for _ in ledgers])
        lists[ledgers.index(ledger)].extend(took)

    for ledger in ledgers:
        add("proof of books, full", ledger, ledger.program("full")["milliseconds"])
    for name, request in _requests().items():
        for ledger in ledgers:  # warm up: prepared statements, caches
            _repeat(request, ledger)
        for ledger in [*ledgers] * rounds:
            add(name, ledger, *_repeat(request, ledger))
    for ledger in [*ledgers] * 2:
        pages = ledger.installation.python("tests.benchmarks.back_office_pages", str(_PAGES))
        for name, seen in json.loads(pages).items():
            add(f"back office: {name}", ledger, *seen["milliseconds"])
    for ledger in [*ledgers] * rounds:
        proof = ledger.program("incremental")
        add("proof of books, incremental", ledger, proof["milliseconds"])
    for ledger in ledgers:
        add("vacuum after these requests", ledger, _vacuum(ledger))
    return {
        f"{name}, {ledgers[-1].entries:,} and {ledgers[0].entries:,} entries": {
            "milliseconds_first": round(median(first), 1),
            "milliseconds": round(median(last), 1),
            "growth": round(median(last) / median(first), 2),
            "measurements": len(last),
        }
        for name, (first, last) in times.items()
    }


def _repeat(request: Callable[[Ledger], float], ledger: Ledger) -> list[float]:
    return [request(ledger) for _ in range(_EACH_ROUND)]


def _vacuum(ledger: Ledger) -> float:
    with psycopg.connect(ledger.installation.owner_url, autocommit=True) as connection:
        started = perf_counter()
        connection.execute(_VACUUM.encode())
        return 1000 * (perf_counter() - started)


def _requests() -> dict[str, Callable[[Ledger], float]]:
    numbers = count()

    def wallet() -> str:
        member = next(numbers) % (growth_dataset.MEMBERS - 1) + 1
        return f"/v1/api/members/00000000-0000-7000-9000-{member:012x}/wallet"

    body = {
        "amount": 100,
        "bank_name": BANK,
        "account_name": "Bench",
        "account_number": "0690000031",
        "currency": "KES",
    }
    return {
        "withdrawal request": lambda one: one.call("POST", f"{wallet()}/withdraw", 201, body),
        "wallet": lambda one: one.call("GET", wallet(), 200),
        "statement, first page": lambda one: one.call("GET", f"{wallet()}/transactions", 200),
        "statement, last page": lambda one: one.call(
            "GET", f"{wallet()}/transactions?sort=createdAt", 200
        ),
        "statement, page in the middle": lambda one: one.call(
            "GET", f"{wallet()}/transactions?page={max(1, one.entries // 1_000_000)}", 200
        ),
        "withdrawals of a member": lambda one: one.call(
            "GET", f"/v1/api/withdrawals?owner={wallet().split('/')[4]}", 200
        ),
        "withdrawals of an organisation": lambda one: one.call("GET", "/v1/api/withdrawals", 200),
        "withdrawals of an organisation, Pending": lambda one: one.call(
            "GET", "/v1/api/withdrawals?status=Pending", 200
        ),
        "events of an organisation, 200": lambda one: one.call(
            "GET", "/v1/api/events?limit=200", 200
        ),
        "feed, 200 events": lambda one: one.call(
            "GET", "/v1/api/events?after=start&limit=200", 200
        ),
    }


def report(figures: dict[str, Any]) -> None:
    """Print one line for each measurement, and whether it grows."""
    for name, seen in figures.items():
        grows = "   GROWS" if seen["growth"] > MOST else ""
        print(
            f"  {name:<95}{seen['milliseconds_first']:>10,.1f} ms{seen['milliseconds']:>12,.1f} ms"
            f"   {seen['growth']:g} times{grows}"
        )
