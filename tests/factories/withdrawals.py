"""The withdrawal API for contract tests: funded wallets and bank lists."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.utils import timezone

from exchange.participants.models import Member
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.wallets import Wallet
from wallets.banks.models import BankList
from wallets.banks.services import bank_directory, clear_bank_cache

PAYOUT_CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS")
BANK = "Guaranty Trust Bank"
BANKS = [
    {"id": 1, "name": BANK, "code": "058"},
    {"id": 2, "name": "Zenith Bank", "code": "057"},
    {"id": 3, "name": "Société Générale", "code": "090"},
    {"id": 4, "name": "Access Bank", "code": "044"},
    {"id": 5, "name": "Access Bank (Diamond)", "code": "063"},
]
OPERATIONS = ("organisation", "member")


@dataclass
class WithdrawalApi:
    """An organisation with an API key and a member, and calls to both withdrawal operations."""

    caller: ApiCaller = field(default_factory=make_caller)
    member: Member = field(init=False)

    def __post_init__(self) -> None:
        self.member = make_member(self.caller.organisation, "Ada Obi", email="ada@example.com")

    def owner_id(self, operation: str) -> Any:
        return self.member.id if operation == "member" else self.caller.organisation.id

    def wallet_path(self, operation: str) -> str:
        owner = f"members/{self.member.id}/" if operation == "member" else ""
        return f"/v1/api/{owner}wallet"

    def path(self, operation: str) -> str:
        return f"{self.wallet_path(operation)}/withdraw"

    def fund(self, operation: str, currency: str, amount: str) -> None:
        member = self.member if operation == "member" else None
        Wallet(self.caller.organisation, member).fund(amount, currency)

    def withdraw(self, operation: str, body: Any, **headers: str) -> Any:
        return self.caller.post(self.path(operation), body, **headers)

    def create_withdrawal(self, operation: str = "organisation", **changes: Any) -> dict[str, Any]:
        """Request a withdrawal with `body_of(**changes)` and return its Pending record."""
        return self._create(operation, changes)["withdrawalRequest"]

    def create_readable(self, operation: str = "organisation", **changes: Any) -> dict[str, Any]:
        """Request a withdrawal as above and return its record as reads show it, with its bank."""
        data = self._create(operation, changes)
        return {**data["withdrawalRequest"], "bank_details": data["bank"]}

    def _create(self, operation: str, changes: dict[str, Any]) -> dict[str, dict[str, Any]]:
        response = self.withdraw(operation, body_of(**changes))
        assert response.status_code == 201, response.content
        data: dict[str, dict[str, Any]] = json.loads(response.content)["data"]
        return data


def body_of(**changes: Any) -> dict[str, Any]:
    """Return a valid body with `changes`."""
    return {
        "amount": 500,
        "bank_name": BANK,
        "account_name": "Forrest Green",
        "account_number": "0690000031",
        "currency": "KES",
        **changes,
    }


def exact_json(response: Any) -> Any:
    """Return the JSON body of a response, with numbers as Decimals."""
    return json.loads(response.content, parse_float=Decimal, parse_int=Decimal)


def store_bank_lists(age_hours: float = 1) -> None:
    """Store a bank list of the given age for each currency and clear this process's cache."""
    fetched_at = timezone.now() - timedelta(hours=age_hours)
    BankList.objects.bulk_create(
        (
            BankList(currency_id=currency, banks=BANKS, fetched_at=fetched_at)
            for currency in PAYOUT_CURRENCIES
        ),
        update_conflicts=True,
        unique_fields=["currency"],
        update_fields=["banks", "fetched_at"],
    )
    clear_bank_cache()


def cache_bank_lists(*currencies: str) -> None:
    """Cache the bank lists in this process, as after an earlier request."""
    for currency in currencies:
        bank_directory(currency)


@contextlib.contextmanager
def round_trips(tmp_path: Any) -> Iterator[list[str]]:
    """Yield the server's responses on this process's connection, one for each round trip."""
    connection.ensure_connection()
    trace = tmp_path / "trace"
    responses: list[str] = []
    with trace.open("w") as file:
        connection.connection.pgconn.trace(file.fileno())
        try:
            yield responses
        finally:
            connection.connection.pgconn.untrace()
    lines = trace.read_text().splitlines()
    responses.extend(line for line in lines if "ReadyForQuery" in line)
