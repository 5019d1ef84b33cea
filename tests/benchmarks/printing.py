"""The time of a transfer while 24 clients ask for printed statements of 1,500 movements.

One client sends transfers one after another, alone and next to the 24. Once these wait as
`Retry-After` says, as clients do that follow it; once they repeat at once. For comparison, 24
clients ask for a page that does not exist: what any requests without pause take of the processor.
At last they do both with a token of their own through the proxy, which limits them.
"""

import http.client
import json
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.benchmarks import load
from tests.benchmarks.installation import Installation
from tests.benchmarks.withdrawals import BANK, WALLETS
from tests.cluster.front import running_front

CLIENTS = 24
MOVEMENTS = 1_500


@dataclass(frozen=True)
class _Behaviour:
    """What the clients ask for, and the longest time of a transfer, in times of one alone."""

    name: str
    path: str = "/v1/api/missing"
    follows_retry_after: bool = False
    through_proxy: bool = False
    most_times: float | None = None


_STATEMENT = "/v1/api/members/{member}/statement?currency=KES&from={today}&to={today}&format=pdf"
_BEHAVIOURS = (
    _Behaviour("clients follow Retry-After", _STATEMENT, follows_retry_after=True, most_times=3),
    _Behaviour("clients repeat at once", _STATEMENT),
    _Behaviour("clients of a missing page"),
    _Behaviour("missing, through the proxy", through_proxy=True, most_times=3),
    _Behaviour("at once, through the proxy", _STATEMENT, through_proxy=True, most_times=3),
)


def run(
    installation: Installation, *, seconds: float, rounds: int, connections: int
) -> dict[str, Any]:
    """Return medians of the latency in milliseconds, alone and next to the clients."""
    del connections
    made = json.loads(installation.python("tests.benchmarks.dataset", str(WALLETS), BANK))
    members, bearer, other = made["members"], f"Bearer {made['token']}", made["other_token"]
    web = installation.serve_ours()
    _Transfers(web, bearer, members).make_movements()
    values = {"member": members[0], "today": f"{datetime.now(UTC):%Y-%m-%d}"}
    with _asking(web, _STATEMENT.format(**values), bearer, follows=True, clients=2):
        _Transfers(web, bearer, members).latency(2 * seconds)  # the printers start
    figures: dict[str, Any] = {}
    with running_front(installation.folder, urlsplit(web).port or 0, tls=False) as front:
        for behaviour in _BEHAVIOURS:
            base, asker = (
                (front.url, f"Bearer {other}") if behaviour.through_proxy else (web, bearer)
            )
            transfers, path = _Transfers(base, bearer, members), behaviour.path.format(**values)
            alone, loaded = [], []
            statuses: Counter[int] = Counter()
            for _ in range(rounds):
                alone.append(transfers.latency(seconds))
                with _asking(base, path, asker, follows=behaviour.follows_retry_after) as seen:
                    time.sleep(0.5)
                    loaded.append(transfers.latency(seconds))
                statuses += seen
            figures[behaviour.name] = {
                "alone_milliseconds": round(median(alone), 2),
                "loaded_milliseconds": round(median(loaded), 2),
                "times": round(median(loaded) / median(alone), 2),
                "rounds": {"alone": alone, "loaded": loaded},
                "documents": statuses[200],
                "refused": statuses.total() - statuses[200],
                "limits": {"times": behaviour.most_times} if behaviour.most_times else {},
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
    """Ask for the document from `clients` threads inside the block; count the statuses.

    The threads run in a process of their own: in ours they would take the interpreter from the
    client whose latency is measured.
    """
    statuses: Counter[int] = Counter()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_ask, args=(theirs, base, path, bearer, follows, clients))
    process.start()
    try:
        yield statuses
    finally:
        ours.send("stop")
        statuses += ours.recv()
        process.join()


def _ask(pipe: Connection, base: str, path: str, bearer: str, follows: bool, clients: int) -> None:
    """Ask until `pipe` says something, then send the statuses through it."""
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
    pipe.recv()
    stop.set()
    for thread in threads:
        thread.join()
    pipe.send(statuses)


def report(figures: dict[str, Any]) -> None:
    """Print one line for each behaviour of the clients."""
    for name, seen in figures.items():
        print(
            f"  {name:<28}a transfer alone {seen['alone_milliseconds']:.1f} ms,"
            f" next to {CLIENTS} clients {seen['loaded_milliseconds']:.1f} ms:"
            f" {seen['times']:g} times; {seen['documents']} documents,"
            f" {seen['refused']} refused"
        )
