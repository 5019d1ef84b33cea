"""An owner who trades through the proxy during a fault, and a follower of the book by streams."""

import threading
import time
from contextlib import suppress
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import requests

from tests.orders.streams.follower import Follower, events_of, levels_of

_TIMEOUT_SECONDS = 15.0
_PAUSE_SECONDS = 0.1
_ARRIVAL_SECONDS = 30.0


class BookClients:
    """Both run from `start` to `stop`, which compares the follower's book with the API's."""

    def __init__(self, url: str, certificate: Path, token: str, traded: str) -> None:
        self._url = url
        self._traded = traded
        self._stopping = threading.Event()
        self._stopped = threading.Event()
        self._follower = Follower()
        self._faults: list[Exception] = []
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.verify = str(certificate)
        self._session.headers["Authorization"] = f"Bearer {token}"
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._trade, self._follow)
        ]

    def start(self) -> None:
        """Start both."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> int:
        """Stop both, and return how many states the follower had.

        Raises AssertionError if its book is not that of the API, or a change was missing.
        """
        self._stopping.set()
        self._threads[0].join(_TIMEOUT_SECONDS * 2)
        deadline = time.monotonic() + _ARRIVAL_SECONDS
        while True:
            assert not self._faults, self._faults
            response = self._session.get(
                f"{self._url}/v1/orders/token/{self._traded}/book?levels=200",
                timeout=_TIMEOUT_SECONDS,
            )
            book = response.json(parse_float=Decimal, parse_int=Decimal)["data"]
            followed = self._follower.books.get(self._traded)
            if followed is not None and followed.seq == book["seq"]:
                self._stopped.set()
                assert (followed.bids, followed.asks) == levels_of(book)
                return len(followed.states)
            assert time.monotonic() < deadline, "The follower never had the last state"
            time.sleep(_PAUSE_SECONDS)

    def _trade(self) -> None:
        """Place and cancel orders; those without an answer stay in the book."""
        placed: list[str] = []
        for number in count():
            if self._stopping.wait(_PAUSE_SECONDS):
                return
            body = {
                "token_id": self._traded,
                "type": "Buy",
                "price": 50 + number % 40,
                "tokens": 1 + number % 7,
            }
            with suppress(requests.RequestException, KeyError, ValueError):
                if len(placed) > 30:
                    self._session.delete(
                        f"{self._url}/v1/orders/{placed.pop(0)}", timeout=_TIMEOUT_SECONDS
                    )
                answer: Any = self._session.post(
                    f"{self._url}/v1/orders", json=body, timeout=_TIMEOUT_SECONDS
                ).json()
                placed.append(answer["data"]["_id"])

    def _follow(self) -> None:
        while not (self._faults or self._stopped.is_set()):
            try:
                with self._session.get(
                    f"{self._url}/v1/stream",
                    params={"channels": f"book:{self._traded}"},
                    headers={"Last-Event-ID": self._follower.last_id},
                    stream=True,
                    timeout=_TIMEOUT_SECONDS * 2,
                ) as response:
                    if response.ok:
                        lines = response.iter_lines(chunk_size=1024, decode_unicode=True)
                        for event in events_of(lines):
                            self._follower.take(*event)
                            if self._stopped.is_set():
                                return
            except requests.RequestException:
                pass
            except Exception as error:  # noqa: BLE001 - `stop` raises it
                self._faults.append(error)
            time.sleep(_PAUSE_SECONDS)
