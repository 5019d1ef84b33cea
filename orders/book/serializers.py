"""What clients send about orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import EmailField, EnumField, NameField, PositiveField, TextField
from exchange.api.serializers import LeanSerializer
from exchange.core.numbers import MAX_NUMBER, TOKEN_DECIMALS
from orders.book.models import OrderType

_POSITIVE = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": int(MAX_NUMBER),
    "multipleOf": 10**-TOKEN_DECIMALS,
}


@extend_schema_field(_POSITIVE)
class PriceField(PositiveField):
    """A price for one unit; the decimals of its currency are checked with the token."""


@extend_schema_field(_POSITIVE)
class UnitsField(PositiveField):
    """A number of units, with at most 8 decimals."""


class CustomerInput(LeanSerializer):
    """An outside customer that an order is for."""

    name = NameField(max_length=200, help_text="The customer's name")
    email = EmailField(help_text="The customer's email address")

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """The checked values; None when there is no customer."""
        if data is serializers.empty:
            return None
        if data is None:
            self.fail("null")
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("must be an object")
        return super().run_validation(data)


class OrderInput(LeanSerializer):
    """A new order."""

    token_id = TextField(help_text="Id of the token")
    type = EnumField(allowed=OrderType.values, help_text="In any case")
    price = PriceField(
        help_text="Limit for one unit, with at most the decimals of the token's currency; a Buy "
        "never pays more, a Sell never gets less"
    )
    tokens = UnitsField(help_text="Units, with at most 8 decimals")
    user_id = TextField(
        required=False,
        default=None,
        help_text="Id of the member who owns the order; without it the organisation does",
    )
    customer = CustomerInput(
        required=False,
        help_text="The outside customer the order is for. Without `user_id` the order's "
        "`owner_model` is `api_key`; with it the member owns the order, and the customer is only "
        "kept with it",
    )
    client_order_id = TextField(
        max_length=64,
        required=False,
        default=None,
        help_text="Your own id of the order, unique among your organisation's orders",
    )
