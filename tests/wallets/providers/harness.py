"""Test harness of the sandbox: server, clients and requests."""

from decimal import Decimal
from typing import Any

import requests

from config.local.sandbox import SandboxServer
from wallets.providers.base import TransferRecord, TransferRequest
from wallets.providers.flutterwave import FlutterwaveClient

SECRET_KEY = "FLWSECK_TEST-0123456789abcdef-X"
WEBHOOK_HASH = "webhook-hash-of-the-tests"


class Sandbox:
    """A running sandbox with shortcuts to its control endpoints."""

    def __init__(self, server: SandboxServer) -> None:
        self.server = server
        self.base_url = server.base_url

    def control(self, method: str, path: str, **body: Any) -> Any:
        response = requests.request(
            method, f"{self.server.url}/sandbox/{path}", json=body or None, timeout=10
        )
        assert response.status_code == 200, response.text
        return response.json(parse_float=Decimal)

    def fault(self, kind: str, match: dict[str, str] | None = None, **options: Any) -> None:
        self.control("POST", "faults", fault=kind, match=match or {}, **options)

    def asked(self, method: str, path: str) -> int:
        """Return the number of requests with this method and path."""
        return sum(
            entry["method"] == method and entry["path"] == path
            for entry in self.control("GET", "requests")
        )

    def references(self) -> list[str]:
        return [record["reference"] for record in self.control("GET", "transfers")]


def client_of(sandbox: Sandbox, **parameters: Any) -> FlutterwaveClient:
    values: dict[str, Any] = {
        "base_url": sandbox.base_url,
        "secret_key": SECRET_KEY,
        "webhook_hash": WEBHOOK_HASH,
        "connect_timeout": 2,
        "read_timeout": 0.5,
        "total_timeout": 3,
        "read_backoff": 0.01,
    } | parameters
    return FlutterwaveClient(**values)


def request_of(reference: str = "payout_a", **changes: Any) -> TransferRequest:
    values: dict[str, Any] = {
        "reference": reference,
        "amount": Decimal("90.02"),
        "currency": "NGN",
        "bank_code": "044",
        "account_number": "0690000031",
        "beneficiary_name": "Forrest Green",
        "narration": "Withdrawal",
    } | changes
    return TransferRequest(**values)


def record_of(client: FlutterwaveClient, reference: str = "payout_a") -> TransferRecord:
    """Return the transfer with this reference, which must exist."""
    record = client.find_transfer(reference)
    assert record is not None
    return record
