"""Request bodies of orders."""

from drf_spectacular.utils import extend_schema_field

from exchange.api.fields import EmailField, EnumField, OwnIdField, PositiveField, TextField
from exchange.api.references import OwnReferencesSerializer
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
    """A price per unit. Its decimals are checked later, with the token's currency."""


@extend_schema_field(_POSITIVE)
class UnitsField(PositiveField):
    """A number of units with at most 8 decimals."""


class CustomerInput(LeanSerializer):
    """The external customer of an order."""

    name = TextField(max_length=200, help_text="The customer's name")
    email = EmailField(help_text="The customer's email address")


class OrderInput(OwnReferencesSerializer):
    """A new order."""

    token_id = TextField(help_text="ID of the token")
    type = EnumField(allowed=OrderType.values, help_text="Side, case-insensitive")
    price = PriceField(
        help_text="Limit price per unit, with at most the decimals of the token's currency"
    )
    tokens = UnitsField(help_text="Units, with at most 8 decimals")
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
