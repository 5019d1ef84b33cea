"""Wire format of orders, declared once."""

from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from exchange.core.references import OWN_REFERENCES
from orders.book import examples
from orders.book.models import OrderKind, OrderStatus, OrderType, OwnerModel, TimeInForce

_CUSTOMER = WireField(
    "customer",
    """'{"name":' || to_json({r}.customer_name)::text || ',"email":'"""
    """ || to_json({r}.customer_email)::text || '}'""",
    {
        "type": "object",
        "description": "The external customer the API key trades for; empty strings otherwise, "
        "and on orders of other organisations",
        "properties": {
            "name": {"type": "string", "description": "The customer's name"},
            "email": {"type": "string", "description": "The customer's email address"},
        },
        "required": ["name", "email"],
    },
)


def _meta(*, public: bool) -> WireField:
    """Return what became of an order; `public` hides its money from other organisations."""
    # An order without a fill is the most common case. The value of the fills is that of the ledger,
    # the average price that of the fills before rounding.
    money = (
        """',"average_price":null,"filled_value":null,"fee":null'"""
        if public
        else """CASE {r}.filled WHEN 0 THEN ',"average_price":null,"filled_value":0,"fee":0'
            ELSE ',"average_price":'
                || trim_scale(public.round_half_even({r}.filled_value / {r}.filled, 8))
                || ',"filled_value":' || trim_scale({r}.charged)
                || ',"fee":' || trim_scale({r}.charged_fee) END"""
    )
    # Of the most common kind as well: a constant.
    kind = """CASE WHEN {r}.order_type = 'limit' AND {r}.time_in_force = 'GTC' AND NOT {r}.post_only
            THEN ',"order_type":"limit","time_in_force":"GTC","post_only":false,"expires_at":null'
                || ',"requested_amount":null}'
            ELSE ',"order_type":"' || {r}.order_type || '","time_in_force":"' || {r}.time_in_force
                || '","post_only":' || {r}.post_only
                || ',"expires_at":'
                || coalesce('"' || public.wire_time({r}.expires_at) || '"', 'null')
                || ',"requested_amount":'
                || coalesce(trim_scale({r}.requested_amount)::text, 'null')
                || '}' END"""
    return WireField(
        "meta",
        """'{"tokens":' || trim_scale({r}.tokens) || ',"filled":' || trim_scale({r}.filled) || """
        + money
        + " || "
        + kind,
        _META_SCHEMA,
    )


_META_SCHEMA = {
    "type": "object",
    "description": "Units of the order, and what became of it; money is null on orders of other "
    "organisations",
    "properties": {
        "tokens": {"type": "number", "description": "Units of the order"},
        "filled": {"type": "number", "description": "Units filled so far"},
        "average_price": {
            "type": ["number", "null"],
            "description": "Average price of its fills, to 8 decimals; null without a fill",
        },
        "filled_value": {
            "type": ["number", "null"],
            "description": "Value of its fills without the fee, as in the ledger: paid by a Buy, "
            "received by a Sell",
        },
        "fee": {
            "type": ["number", "null"],
            "description": "Fee of its fills: paid by a Buy on top of `filled_value`, deducted "
            "from it for a Sell",
        },
        "order_type": {
            "type": "string",
            "enum": OrderKind.values,
            "description": "At a limit price, or at the best there was: `price` is then the worst "
            "that it would have taken",
        },
        "time_in_force": {
            "type": "string",
            "enum": TimeInForce.values,
            "description": "How long it stays",
        },
        "post_only": {"type": "boolean", "description": "Whether it was placed only to rest"},
        "expires_at": {
            "type": ["string", "null"],
            "format": "date-time",
            "description": "When a `GTD` order is cancelled",
        },
        "requested_amount": {
            "type": ["number", "null"],
            "description": "The sum to spend, fee included, of a market Buy by `amount`",
        },
    },
    "required": [
        *("tokens", "filled", "average_price", "filled_value", "fee"),
        *("order_type", "time_in_force", "post_only", "expires_at", "requested_amount"),
    ],
}


_CLIENT_ORDER_ID = text(
    "client_order_id",
    "Your own ID for the order, where it was sent",
    "nullif({r}.client_order_id, '')",
    optional=True,
)


def _fields(*, public: bool) -> tuple[WireField, ...]:
    """Return the fields; `public` hides the owner from other organisations."""
    return (
        identifier("_id", "Order ID", "{r}.id"),
        number("price", "Limit for one unit"),
        number("amount", "Value: `price` times `meta.tokens`"),
        text("type", "The side", enum=OrderType.values),
        text(
            "owner_model",
            "`user`: a member; `organisation`; `api_key`: for an external customer",
            enum=OwnerModel.values,
        ),
        text("status", "Partly filled orders stay Active", enum=OrderStatus.values),
        identifier(
            "user",
            "The member's ID; null on orders of other organisations",
            "NULL" if public else "{r}.member_id",
            nullable=True,
        ),
        identifier("token", "Token ID; in lists of a token's orders, the Token", "{r}.token_id"),
        _CUSTOMER if not public else WireField("customer", _NO_CUSTOMER, _CUSTOMER.schema),
        text(
            "api_customer_email",
            "The external customer's email; null on orders of other organisations",
            "NULL"
            if public
            else "CASE WHEN {r}.owner_model = 'api_key' THEN {r}.customer_email END",
            nullable=True,
        ),
        _meta(public=public),
        timestamp("createdAt", "When it was placed", "{r}.created_at"),
        timestamp("updatedAt", "When it last changed", "{r}.updated_at"),
        *(() if public else (_CLIENT_ORDER_ID, *OWN_REFERENCES)),
    )


_NO_CUSTOMER = """'{"name":"","email":""}'"""


ORDER = Document(
    name="Order", table="orders_order", fields=_fields(public=False), example=examples.ORDER
)


# Rendered on read, for other organisations than the owner's.
PUBLIC_ORDER = Document(name="OrderOfOthers", table="orders_order", fields=_fields(public=True))
