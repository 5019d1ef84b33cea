"""Traders over HTTP, for contract tests of orders."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.events.models import Event
from exchange.participants.models import Member, Organisation
from exchange.tokens.models import Token
from tests.factories.api_clients import ApiCaller, make_caller, make_member
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, balance_of
from tests.factories.withdrawals import exact_json

ORDERS = "/v1/orders"
ORDER_FIELDS = [
    "_id",
    "price",
    "amount",
    "type",
    "owner_model",
    "status",
    "user",
    "token",
    "customer",
    "api_customer_email",
    "meta",
    "createdAt",
    "updatedAt",
]
# The fields of `meta` of an order without a fill, as JSON.
UNFILLED = (
    '"filled":0,"average_price":null,"filled_value":0,"fee":0,"order_type":"limit"'
    ',"time_in_force":"GTC","post_only":false,"expires_at":null,"requested_amount":null'
)
# What `meta` says of the kind of an order that names none.
LIMIT_KIND: dict[str, Any] = {
    "order_type": "limit",
    "time_in_force": "GTC",
    "post_only": False,
    "expires_at": None,
    "requested_amount": None,
}
NO_CUSTOMER = {"name": "", "email": ""}


@dataclass
class ApiTrader:
    """An organisation with an API key and one member."""

    caller: ApiCaller = field(default_factory=make_caller)
    member: Member = field(init=False)

    def __post_init__(self) -> None:
        self.member = make_member(self.organisation, "Ada Obi")

    @property
    def organisation(self) -> Organisation:
        return self.caller.organisation

    def wallet(self, *, member: bool = False) -> Wallet:
        """Return the wallet of the organisation, or of its member."""
        return Wallet(self.organisation, self.member if member else None)

    def fund(self, amount: str | int, currency: str = "NGN", *, member: bool = False) -> ApiTrader:
        self.wallet(member=member).fund(amount, currency)
        return self

    def send(self, token: Token, **changes: Any) -> Any:
        """Send an order, by default a Buy of 10 units at 100, and return the response."""
        return self.caller.post(ORDERS, body_of(token, **changes))

    def place(self, token: Token, **changes: Any) -> dict[str, Any]:
        """Place an order and return it, with numbers as Decimals."""
        response = self.send(token, **changes)
        assert response.status_code == 201, response.content
        order: dict[str, Any] = exact_json(response)["data"]
        return order

    def fetch(self, order_id: str) -> dict[str, Any]:
        """Return the order as this organisation sees it."""
        response = self.caller.get(f"{ORDERS}/{order_id}")
        assert response.status_code == 200, response.content
        order: dict[str, Any] = exact_json(response)["data"]
        return order

    def amend(self, order_id: str, body: dict[str, Any], **headers: str) -> Any:
        """Send new terms of an order and return the response."""
        return self.caller.patch(f"{ORDERS}/{order_id}", body, **headers)

    def cancel(self, order_id: str, **headers: str) -> Any:
        return self.caller.call("DELETE", f"{ORDERS}/{order_id}", **headers)

    def held(
        self, asset: Token | str, kind: str = "available", *, member: bool = False
    ) -> Decimal | int:
        """Return the balance of a currency or token of the organisation, or its member."""
        return balance_of(self.wallet(member=member).owner_id, asset, kind)


class Market:
    """A token of another issuer, a seller with 100 units and a buyer with 100,000 NGN.

    Their members have the same amounts. `listing` is passed to `make_token`.
    """

    def __init__(self, **listing: Any) -> None:
        self.token = make_token(**listing)
        self.seller, self.buyer = ApiTrader(), ApiTrader()
        for member in (False, True):
            if not listing.get("raise_amount"):
                give_units(self.token, self.seller.wallet(member=member), 100)
            self.buyer.fund(100_000, self.token.currency_id, member=member)

    def sell(self, **changes: Any) -> dict[str, Any]:
        """Place a Sell of the seller."""
        return self.seller.place(self.token, type="Sell", **changes)

    def buy(self, **changes: Any) -> dict[str, Any]:
        """Place a Buy of the buyer."""
        return self.buyer.place(self.token, **changes)

    def path(self, part: str = "") -> str:
        """Return the path of the token's orders, or of `part` of its market."""
        return f"{ORDERS}/token/{self.token.id}{part}"


def body_of(token: Token, **changes: Any) -> dict[str, Any]:
    """Return a valid order body for `token` with `changes`."""
    return {"token_id": str(token.id), "type": "Buy", "price": 100, "tokens": 10, **changes}


def order_meta(
    tokens: int, filled: str | int = 0, value: Decimal | int = 0, *, fee: Decimal | int = 0
) -> dict[str, Any]:
    """Return the `meta` of one's own order whose fills have this value."""
    units = Decimal(filled)
    return {
        "tokens": tokens,
        "filled": units,
        "average_price": round(value / units, 8) if units else None,
        "filled_value": value,
        "fee": fee,
        **LIMIT_KIND,
    }


def events() -> list[tuple[UUID, str, dict[str, Any]]]:
    """Return organisation, type and data of every event, in order."""
    return [
        (event.organisation_id, event.type, json.loads(event.body)["data"])
        for event in Event.objects.order_by("created_at", "id")
    ]
