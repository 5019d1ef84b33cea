"""What an order looks like on the wire, declared once."""

from __future__ import annotations

from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from orders.book import examples
from orders.book.models import OrderStatus, OrderType, OwnerModel

_CUSTOMER = WireField(
    "customer",
    """'{"name":' || to_json({r}.customer_name)::text || ',"email":'"""
    """ || to_json({r}.customer_email)::text || '}'""",
    {
        "type": "object",
        "description": "The outside customer the key trades for; empty strings otherwise, and on "
        "somebody else's order",
        "properties": {
            "name": {"type": "string", "description": "The customer's name"},
            "email": {"type": "string", "description": "The customer's email address"},
        },
        "required": ["name", "email"],
    },
)


_META = WireField(
    "meta",
    """'{"tokens":' || trim_scale({r}.tokens) || ',"filled":' || trim_scale({r}.filled) || '}'""",
    {
        "type": "object",
        "description": "Units of the order",
        "properties": {
            "tokens": {"type": "number", "description": "Units of the order"},
            "filled": {"type": "number", "description": "Units filled so far"},
        },
        "required": ["tokens", "filled"],
    },
)


def _fields(*, hidden: bool) -> tuple[WireField, ...]:
    """The fields; `hidden`: for those who do not own the order."""
    return (
        identifier("_id", "{r}.id", "Order id"),
        number("price", "{r}.price", "Limit for one unit"),
        number(
            "amount",
            "{r}.amount",
            "Value: `price` times `meta.tokens`",
        ),
        text("type", "{r}.type", "The side", enum=list(OrderType.values)),
        text(
            "owner_model",
            "{r}.owner_model",
            "`user`: a member; `organisation`; `api_key`: for an outside customer",
            enum=list(OwnerModel.values),
        ),
        text(
            "status",
            "{r}.status",
            "Partly filled orders stay Active",
            enum=list(OrderStatus.values),
        ),
        identifier(
            "user",
            "NULL" if hidden else "{r}.member_id",
            "The member's id; null on somebody else's order",
            nullable=True,
        ),
        identifier("token", "{r}.token_id", "Token id; in lists of a token's orders the Token"),
        _CUSTOMER if not hidden else WireField("customer", _NO_CUSTOMER, _CUSTOMER.schema),
        text(
            "api_customer_email",
            "NULL"
            if hidden
            else "CASE WHEN {r}.owner_model = 'api_key' THEN {r}.customer_email END",
            "The outside customer's; null on somebody else's order",
            nullable=True,
        ),
        _META,
        timestamp("createdAt", "{r}.created_at", "When it was made"),
        timestamp("updatedAt", "{r}.updated_at", "When it last changed"),
    )


_NO_CUSTOMER = """'{"name":"","email":""}'"""


ORDER = Document(
    name="Order", table="orders_order", fields=_fields(hidden=False), example=examples.ORDER
)


# Made when read, for those who do not own the order.
PUBLIC_ORDER = Document(name="OrderOfOthers", table="orders_order", fields=_fields(hidden=True))
