"""Clients and a member of staff who use the web processes while these are replaced."""

import threading
import time
import uuid
from collections import Counter
from typing import Any

import requests

_PAUSE_SECONDS = 0.3
_TIMEOUT_SECONDS = 30
_COOKIE = "__Host-sessionid"


class Load:
    """Requests in turn to each of `nodes`, from `start` to `stop`; `failures` lists the failed."""

    def __init__(self, token: str, member: str, session: str) -> None:
        self.nodes: list[str] = []
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []
        self._headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
        self._member = member
        self._session = session
        self._lock = threading.Lock()
        self._turn = 0
        self._open: Counter[str] = Counter()
        self._stopping = threading.Event()
        clients = (self.withdraw, self.read_wallet, self.rotate_secret, self.open_dashboard)
        self._threads = [threading.Thread(target=self._repeat, args=(each,)) for each in clients]

    def start(self) -> None:
        """Start the clients."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the clients once their request has a response."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, client: Any) -> None:
        while not self._stopping.is_set():
            with self._lock:
                self._turn += 1
                node = self.nodes[self._turn % len(self.nodes)]
                self._open[node] += 1
            client(node)
            with self._lock:
                self._open[node] -= 1
            time.sleep(_PAUSE_SECONDS)

    def has_left(self, node: str) -> bool:
        """Return whether no request to `node` waits for its response."""
        with self._lock:
            return self._open[node] == 0

    def withdraw(self, node: str) -> None:
        """Request a withdrawal."""
        body = {
            "amount": 500,
            "currency": "KES",
            "bank_name": "KCB Bank Kenya",
            "account_name": "Forrest Green",
            "account_number": "0690000031",
        }
        headers = {**self._headers, "Idempotency-Key": uuid.uuid4().hex}
        path = f"/v1/api/members/{self._member}/wallet/withdraw"
        self._send(node, "POST", path, 201, json=body, headers=headers)

    def read_wallet(self, node: str) -> None:
        """Read the wallet."""
        path = f"/v1/api/members/{self._member}/wallet"
        self._send(node, "GET", path, 200, headers=self._headers)

    def rotate_secret(self, node: str) -> None:
        """Replace the webhook secret, which decrypts the former and encrypts both."""
        self._send(
            node, "POST", "/v1/api/webhook/rotate-secret", 200, headers=self._headers, json={}
        )

    def open_dashboard(self, node: str) -> None:
        """Open the dashboard as signed-in staff."""
        headers = {"Cookie": f"{_COOKIE}={self._session}", "Connection": "close"}
        response = self._send(node, "GET", "/admin/", 200, headers=headers)
        # A session whose key changed continues under a new id.
        if response is not None and _COOKIE in response.cookies:
            self._session = str(response.cookies[_COOKIE])

    def _send(
        self, node: str, method: str, path: str, expected: int, **more: Any
    ) -> requests.Response | None:
        try:
            response = requests.request(
                method,
                node + path,
                timeout=_TIMEOUT_SECONDS,
                allow_redirects=False,
                **more,
            )
        except requests.RequestException as error:
            self.failures.append(f"{method} {path}: {error}")
            return None
        if response.status_code != expected:
            self.failures.append(f"{method} {path}: {response.status_code} {response.text[:200]}")
        self.done[f"{method} {path.rpartition('/')[2] or 'admin'}"] += 1
        return response
