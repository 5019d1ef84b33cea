"""The time of a transfer while 24 clients ask for printed statements of 1,500 movements.

One client sends transfers one after another, alone and next to the 24. Once these wait as
`Retry-After` says, as clients do that follow it; once they repeat at once.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.withdrawals import make_our_records

CLIENTS = 24
MOVEMENTS = 1_500
# The longest time of a transfer next to clients that follow Retry-After, in times of one alone.
_MOST_TIMES = 3


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return medians of the latency in milliseconds, alone and next to the clients."""
    del connections
    token, members = make_our_records(installation)
    base, bearer = installation.serve_ours(), f"Bearer {token}"
    transfers = _Transfers(base, bearer, members)
    transfers.make_movements()
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    path = f"/v1/api/members/{members[0]}/statement?currency=KES&from={today}&to={today}&format=pdf"
    with _asking(base, path, bearer, follows=True, clients=2):  # the printers start
        transfers.latency(2 * seconds)
    figures: dict[str, Any] = {}
    for name, follows in (("clients follow Retry-After", True), ("clients repeat at once", False)):
        alone, loaded = [], []
        statuses: Counter[int] = Counter()
        for _ in range(rounds):
            alone.append(transfers.latency(seconds))
            with _asking(base, path, bearer, follows=follows) as seen:
                time.sleep(0.5)
                loaded.append(transfers.latency(seconds))
            statuses += seen
        figures[name] = {
            "alone_milliseconds": round(median(alone), 2),
            "loaded_milliseconds": round(median(loaded), 2),
            "times": round(median(loaded) / median(alone), 2),
            "rounds": {"alone": alone, "loaded": loaded},
            "documents": statuses[200],
            "refused": statuses[503],
            "limits": {"times": _MOST_TIMES} if follows else {},
        }
    return figures


class _Transfers:
    """Sends transfers: those of the statement, and those that are measured."""

    def __init__(self, base: str, bearer: str, members: list[str]) -> None:
        self._base, self._bearer, self._members = base, bearer, members

    def _request(self, payer: int, payee: int) -> bytes:
        body = {
            "from": {"user_id": self._members[payer]},
            "to": {"user_id": self._members[payee]},
            "amount": 0.01,
            "currency": "KES",
        }
        return load.post(f"{self._base}/v1/api/transfers", json.dumps(body).encode(), self._bearer)

    def make_movements(self) -> None:
        """Make the movements of the statement."""
        request, made = self._request(0, 1), 0
        while made < MOVEMENTS:
            outcome = load.run(self._base, lambda: request, connections=8, seconds=0.25)
            made += outcome.statuses[201]

    def latency(self, seconds: float) -> float:
        """Return the median latency of transfers one after another, in milliseconds."""
        request = self._request(2, 3)
        outcome = load.run(self._base, lambda: request, connections=1, seconds=seconds)
        if set(outcome.statuses) != {201}:
            raise RuntimeError(f"transfers were answered {dict(outcome.statuses)}")
        return round(outcome.percentile(0.5), 2)


@contextmanager
def _asking(
    base: str, path: str, bearer: str, *, follows: bool, clients: int = CLIENTS
) -> Iterator[Counter[int]]:
    """Ask for the document from `clients` threads inside the block; count the statuses."""
    statuses: Counter[int] = Counter()
    stop = threading.Event()
    host = urlsplit(base).netloc

    def ask() -> None:
        connection = http.client.HTTPConnection(host, timeout=60)
        while not stop.is_set():
            connection.request("GET", path, headers={"Authorization": bearer})
            response = connection.getresponse()
            response.read()
            statuses[response.status] += 1
            if follows and response.status == 503:
                stop.wait(float(response.headers["Retry-After"]))

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def report(figures: dict[str, Any]) -> None:
    """Print one line for each behaviour of the clients."""
    for name, seen in figures.items():
        print(
            f"  {name:<28}a transfer alone {seen['alone_milliseconds']:.1f} ms,"
            f" next to {CLIENTS} clients {seen['loaded_milliseconds']:.1f} ms:"
            f" {seen['times']:g} times; {seen['documents']} documents,"
            f" {seen['refused']} refused"
        )
