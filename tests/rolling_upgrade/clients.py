"""Clients that never repeat a request: every response but a success counts as a failed request."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from typing import Any

import requests

_TIMEOUT_SECONDS = 30.0
_PAUSE_SECONDS = 0.05
# A worker ends once the payouts that it has started are sent: with many due ones that takes long.
_WITHDRAWAL_PAUSE_SECONDS = 0.3
_AMOUNT = 1000

Request = tuple[str, str, dict[str, Any] | None]


@dataclass
class Seeded:
    """What clients need: the key's access token, members and a token to trade."""

    access_token: str
    members: list[str]
    token: str


@dataclass
class Recorded:
    """What the service responded: ids by kind, the longest response, failures."""

    withdrawals: set[str] = field(default_factory=set)
    orders: set[str] = field(default_factory=set)
    reads: int = 0
    slowest_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        """The number of requests that succeeded."""
        return self.reads + len(self.withdrawals) + len(self.orders)


class Clients:
    """Clients that run inside a `with` block; `recorded` tells what was responded."""

    def __init__(
        self, url: str, host: str, certificate: Path, seeded: Seeded, traders: int
    ) -> None:
        self.recorded = Recorded()
        self._url = url
        self._certificate = str(certificate)
        self._headers = {"Authorization": f"Bearer {seeded.access_token}", "Host": host}
        self._seeded = seeded
        self._stopping = threading.Event()
        clients = (
            (self._withdrawals(), _WITHDRAWAL_PAUSE_SECONDS),
            *((self._orders(), _PAUSE_SECONDS) for _ in range(traders)),
            (self._reads(), _PAUSE_SECONDS),
            (self._reads(), _PAUSE_SECONDS),
        )
        self._threads = [
            threading.Thread(target=self._run, args=client, daemon=True) for client in clients
        ]

    def __enter__(self) -> Clients:
        """Start the clients."""
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let the clients finish their open requests."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(2 * _TIMEOUT_SECONDS)

    def _run(self, wanted: Iterator[Request], pause_seconds: float) -> None:
        with requests.Session() as session:
            session.trust_env = False  # a bundle of the environment would replace the certificate
            session.verify = self._certificate
            session.headers.update(self._headers)
            while not self._stopping.is_set():
                self._send(session, *next(wanted))
                time.sleep(pause_seconds)

    def _send(
        self, session: requests.Session, method: str, path: str, body: dict[str, Any] | None
    ) -> None:
        began = time.monotonic()
        key = {"Idempotency-Key": uuid.uuid4().hex} if body else None
        recorded = self.recorded
        try:
            response = session.request(
                method, f"{self._url}{path}", json=body, headers=key, timeout=_TIMEOUT_SECONDS
            )
            data = response.json()["data"] if response.ok else {}
        except (requests.RequestException, ValueError, KeyError) as error:
            recorded.failures.append(f"{_now()} {method} {path}: {type(error).__name__}: {error}")
            return
        recorded.slowest_seconds = max(recorded.slowest_seconds, time.monotonic() - began)
        if not response.ok:
            text = f"{response.status_code} {response.text[:300]}"
            recorded.failures.append(f"{_now()} {method} {path}: {text}")
        elif not body:
            recorded.reads += 1
        elif "withdrawalRequest" in data:
            recorded.withdrawals.add(data["withdrawalRequest"]["_id"])
        else:
            recorded.orders.add(data["_id"])

    def _withdrawals(self) -> Iterator[Request]:
        for number, member in enumerate(cycle(self._seeded.members)):
            body = {
                "amount": _AMOUNT,
                "currency": "NGN",
                "bank_name": "Access Bank",
                "account_name": "Forrest Green",
                "account_number": f"06{number % 100:07d}1",
            }
            yield "POST", f"/v1/api/members/{member}/wallet/withdraw", body

    def _orders(self) -> Iterator[Request]:
        """The organisation offers units; a member buys them."""
        order = {"token_id": self._seeded.token, "price": 100, "tokens": 2}
        for member in cycle(self._seeded.members):
            yield "POST", "/v1/orders", {**order, "type": "Sell"}
            yield "POST", "/v1/orders", {**order, "type": "Buy", "user_id": member}

    def _reads(self) -> Iterator[Request]:
        for number in count():
            member = self._seeded.members[number % len(self._seeded.members)]
            yield "GET", f"/v1/api/members/{member}/wallet", None
            yield "GET", f"/v1/orders?token_id={self._seeded.token}&limit=5", None
            yield "GET", "/v1/api/withdrawals?limit=5", None
            yield "GET", "/v1/api/tokens?limit=5", None


def _now() -> str:
    return time.strftime("%H:%M:%S")
