"""Request bodies of orders."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from exchange.api.fields import (
    EmailField,
    EnumField,
    FlagField,
    MomentField,
    NumberField,
    OwnIdField,
    PositiveField,
    TextField,
)
from exchange.api.references import OwnReferencesSerializer
from exchange.api.serializers import LeanSerializer
from exchange.core.numbers import TOKEN_DECIMALS
from orders.book.models import OrderKind, OrderType, TimeInForce

_LONGEST_LIFE = timedelta(days=366)


class CustomerInput(LeanSerializer):
    """The external customer of an order."""

    name = TextField(max_length=200, help_text="The customer's name")
    email = EmailField(help_text="The customer's email address")


class OrderInput(OwnReferencesSerializer):
    """A new order."""

    token_id = TextField(help_text="ID of the token")
    type = EnumField(allowed=OrderType.values, help_text="Side, case-insensitive")
    order_type = EnumField(
        allowed=OrderKind.values,
        required=False,
        default=OrderKind.LIMIT.value,
        help_text="`limit`, the default; `market`: at the best price there is",
    )
    price = PositiveField(
        required=False,
        default=None,
        help_text="Limit price per unit, with at most the decimals of the token's currency; "
        "required unless `order_type` is `market`, which has none",
    )
    tokens = PositiveField(
        required=False,
        default=None,
        help_text="Units, with at most 8 decimals; required unless `amount` is given",
    )
    amount = PositiveField(
        required=False,
        default=None,
        help_text="Instead of `tokens`, of a market Buy: the sum to spend, the fee included",
    )
    time_in_force = EnumField(
        allowed=TimeInForce.values,
        required=False,
        default=None,
        help_text="`GTC`, the default: until cancelled; `GTD`: until `expires_at`; `IOC`, the only "
        "one of a market order: what is not filled at once is cancelled; `FOK`: refused unless "
        "all of it is filled at once",
    )
    expires_at = MomentField(
        required=False,
        default=None,
        help_text="Of a `GTD` order: when it is cancelled, within a year",
    )
    post_only = FlagField(
        required=False,
        default=False,
        help_text="Refuse the order if it would be filled at once",
    )
    user_id = TextField(
        required=False,
        default=None,
        help_text="ID of the member who owns the order; by default the organisation",
    )
    customer = CustomerInput(
        required=False,
        default=None,
        help_text="The external customer the order is for. Without `user_id` the order's "
        "`owner_model` is `api_key`; with it the member owns the order, and the customer is "
        "stored for reference only",
    )
    client_order_id = OwnIdField(
        max_length=64,
        required=False,
        default=None,
        help_text="Your own ID for the order, unique within your organisation",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check which fields the kind of order needs, and which it excludes."""
        if {"order_type", "time_in_force", "post_only"} & errors.keys():
            return
        market = values["order_type"] == OrderKind.MARKET
        buys = values.get("type", OrderType.BUY) == OrderType.BUY
        found = {
            **_size_errors(values, market=market, buys=buys),
            **_time_errors(values, market=market),
        }
        for name, problem in found.items():
            errors.setdefault(name, [problem])


class AmendmentInput(LeanSerializer):
    """New terms of an open order."""

    price = PositiveField(
        required=False,
        default=None,
        help_text="New limit price per unit; by default it stays",
    )
    tokens = PositiveField(
        required=False,
        default=None,
        help_text="New total of units, those that are filled included; by default it stays",
    )
    expected_filled = NumberField(
        decimals=TOKEN_DECIMALS,
        required=False,
        default=None,
        help_text="Amend the order only if exactly this is filled: `meta.filled` as you know it",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that something is to change."""
        if not errors and values["price"] is None and values["tokens"] is None:
            errors["price"] = ["or tokens is required"]


def _size_errors(values: Mapping[str, Any], *, market: bool, buys: bool) -> dict[str, str]:
    """Return what is wrong with price, units and amount, by field."""
    wrong = {}
    price, tokens, amount = (values.get(name) for name in ("price", "tokens", "amount"))
    if not market and price is None:
        wrong["price"] = "is required"
    elif market and price is not None:
        wrong["price"] = "must be left out for a market order"
    if amount is not None and not (market and buys):
        wrong["amount"] = "is only for a market Buy"
    elif amount is not None and tokens is not None:
        wrong["amount"] = "and tokens exclude each other"
    if tokens is None and amount is None:
        wrong["tokens"] = "or amount is required" if market and buys else "is required"
    return wrong


def _time_errors(values: Mapping[str, Any], *, market: bool) -> dict[str, str]:
    """Return what is wrong with how long the order is to stay, by field."""
    wrong = {}
    force, expires_at = time_in_force(values), values.get("expires_at")
    if market and force != TimeInForce.IOC:
        wrong["time_in_force"] = "must be IOC for a market order"
    if values["post_only"] and force in {TimeInForce.IOC, TimeInForce.FOK}:
        wrong["post_only"] = "must be left out for an order that does not rest"
    if force == TimeInForce.GTD and expires_at is None:
        wrong["expires_at"] = "is required for GTD"
    elif force != TimeInForce.GTD and expires_at is not None:
        wrong["expires_at"] = "is only for GTD"
    elif expires_at is not None and not timedelta() < expires_at - timezone.now() <= _LONGEST_LIFE:
        wrong["expires_at"] = "must be later than now, by a year at most"
    return wrong


def time_in_force(values: Mapping[str, Any]) -> str:
    """Return the `time_in_force` of an order: the one given, else that of its kind."""
    market = values["order_type"] == OrderKind.MARKET
    usual: str = (TimeInForce.IOC if market else TimeInForce.GTC).value
    return values["time_in_force"] or usual
