"""Clients that request withdrawals and read wallets through the proxy, and what was acknowledged.

Each client is a thread that repeats a request with the same key until it is acknowledged, as the
documentation tells API clients to do.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import requests

_TIMEOUT_SECONDS = 15.0
_RETRY_SECONDS = 0.2
_WRITERS = 3
_READERS = 2
_AMOUNT = 1000
# Every withdrawal is paid before the next fault: with shorter pauses a run would mostly be payouts.
_WRITE_PAUSE_SECONDS = 0.2
_READ_PAUSE_SECONDS = 0.05


@dataclass
class Acknowledged:
    """What the service acknowledged: withdrawal ids by idempotency key, and when it responded."""

    withdrawals: dict[str, str] = field(default_factory=dict)
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    rejections: list[str] = field(default_factory=list)


def longest_pause(times: list[float], since: float, until: float) -> float:
    """Return the longest time in seconds without a success between two moments."""
    inside = sorted(each for each in times if since <= each <= until)
    edges = [since, *inside, until]
    return max(later - earlier for earlier, later in pairwise(edges))


class Load:
    """Clients that run from `start` to `stop`."""

    def __init__(self, url: str, certificate: Path, token: str, members: list[str]) -> None:
        self.acknowledged = Acknowledged()
        self._url = url
        self._certificate = str(certificate)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._members = members
        self._stopping = threading.Event()
        self._abandoned = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the clients."""
        for number in range(_WRITERS):
            self._start(self._write, number)
        for number in range(_READERS):
            self._start(self._read, number)

    def _start(self, client: Callable[[int], None], number: int) -> None:
        thread = threading.Thread(target=client, args=(number,), daemon=True)
        thread.start()
        self._threads.append(thread)

    def abandon(self) -> None:
        """Let the clients end after their next attempt, acknowledged or not."""
        self._abandoned = True
        self._stopping.set()

    def stop(self) -> None:
        """Stop the clients once their open request is acknowledged.

        Raises AssertionError if a valid request was rejected.
        """
        self._stopping.set()
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                raise TimeoutError("A client's request was never acknowledged")
        assert not self.acknowledged.rejections, self.acknowledged.rejections[:3]

    def _write(self, client: int) -> None:
        session = self._session()
        turn = client
        while not self._stopping.is_set():
            member = self._members[turn % len(self._members)]
            self._withdraw(session, member, turn % len(self._members))
            turn += _WRITERS
            time.sleep(_WRITE_PAUSE_SECONDS)

    def _withdraw(self, session: requests.Session, member: str, number: int) -> None:
        key = uuid.uuid4().hex
        body = {
            "amount": _AMOUNT,
            "currency": "NGN",
            "bank_name": "Access Bank",
            "account_name": "Forrest Green",
            "account_number": f"06{number:07d}1",
        }
        url = f"{self._url}/v1/api/members/{member}/wallet/withdraw"
        send = partial(
            session.post,
            url,
            json=body,
            headers={"Idempotency-Key": key},
            timeout=_TIMEOUT_SECONDS,
        )
        while not self._abandoned:
            response = self._try(send, "write")
            if response is not None and response.status_code == 201:
                record = response.json()["data"]["withdrawalRequest"]
                self.acknowledged.withdrawals[key] = record["_id"]
                self.acknowledged.writes.append(time.monotonic())
                return
            if response is not None and response.status_code not in {409, 429, 502, 503, 504}:
                # Not an answer that a client may repeat: the test fails when it stops the load.
                self.acknowledged.rejections.append(f"{response.status_code} {response.text[:300]}")
                return
            time.sleep(_RETRY_SECONDS)

    def _read(self, client: int) -> None:
        session = self._session()
        turn = client
        while not self._stopping.is_set():
            member = self._members[turn % len(self._members)]
            url = f"{self._url}/v1/api/members/{member}/wallet"
            read = partial(session.get, url, timeout=_TIMEOUT_SECONDS)
            response = self._try(read, "read")
            if response is not None and response.ok:
                self.acknowledged.reads.append(time.monotonic())
            turn += 1
            time.sleep(_READ_PAUSE_SECONDS)

    def _session(self) -> requests.Session:
        session = requests.Session()
        session.trust_env = False  # a bundle of the environment would replace the certificate
        session.verify = self._certificate
        session.headers.update(self._headers)
        return session

    def _try(self, send: Callable[[], requests.Response], what: str) -> requests.Response | None:
        try:
            response = send()
        except requests.RequestException as error:
            self.acknowledged.failures[f"{what}: {type(error).__name__}"] += 1
            return None
        if not response.ok:
            self.acknowledged.failures[f"{what}: {response.status_code}"] += 1
        return response
