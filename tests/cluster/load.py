"""Clients that request withdrawals and read wallets through the proxy, and what was acknowledged.

Each client is a thread that repeats a request with the same key until it is acknowledged, as the
documentation tells API clients to do. Another one follows the feed of events.
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
_FEED_LIMIT = 200
_FEED_SECONDS = 60.0
# The order of a withdrawal's events.
_STEPS = ("created", "approved", "processing", "completed")


@dataclass
class Acknowledged:
    """What the service acknowledged: withdrawal ids by idempotency key, and when it responded."""

    withdrawals: dict[str, str] = field(default_factory=dict)
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    # Of the feed: id, type and record of each event.
    events: list[tuple[str, str, str]] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    rejections: list[str] = field(default_factory=list)


def find_feed_faults(acknowledged: Acknowledged) -> list[str]:
    """Return what the feed repeated, what it lacks of acknowledged withdrawals, and disorder."""
    found = [f"{event} twice" for event, n in Counter(acknowledged.events).items() if n > 1]
    steps: dict[str, list[int]] = {record: [] for record in acknowledged.withdrawals.values()}
    for _, event_type, record in acknowledged.events:
        action = event_type.removeprefix("withdrawal.")
        if record in steps and action in _STEPS:
            steps[record].append(_STEPS.index(action))
    for record, seen in steps.items():
        if seen[:1] != [0] or seen != sorted(seen):
            found.append(f"{record}: {[_STEPS[step] for step in seen]}")
    return found


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
        self._cursor = "start"
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the clients."""
        for number in range(_WRITERS):
            self._start(self._write, number)
        for number in range(_READERS):
            self._start(self._read, number)
        self._start(self._follow, 0)

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

        Raises AssertionError if a valid request was rejected, or the feed was not true.
        """
        self._stopping.set()
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                raise TimeoutError("A client's request was never acknowledged")
        assert not self.acknowledged.rejections, self.acknowledged.rejections[:3]
        session, deadline = self._session(), time.monotonic() + _FEED_SECONDS
        while not self._read_feed(session):
            if time.monotonic() > deadline:
                raise TimeoutError("The end of the feed was never reached")
            time.sleep(_RETRY_SECONDS)
        faults = find_feed_faults(self.acknowledged)
        assert not faults, faults[:3]

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

    def _follow(self, _client: int) -> None:
        session = self._session()
        while not self._stopping.is_set():
            self._read_feed(session)
            time.sleep(_READ_PAUSE_SECONDS)

    def _read_feed(self, session: requests.Session) -> bool:
        """Read the next page of the feed; return whether it was the last one."""
        read = partial(
            session.get,
            f"{self._url}/v1/api/events",
            params={"after": self._cursor, "limit": str(_FEED_LIMIT)},
            timeout=_TIMEOUT_SECONDS,
        )
        response = self._try(read, "feed")
        if response is None or not response.ok:
            return False
        data = response.json()["data"]
        self.acknowledged.events += [
            (event["id"], event["type"], event["subject_id"]) for event in data["events"]
        ]
        self._cursor = data["next_cursor"]
        return bool(data["count"] < _FEED_LIMIT)

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
