"""Queries of orders and of a token's order book."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Length

from exchange.core.database import fetch_one, read_cursor
from exchange.core.querysets import get_or_raise
from exchange.core.references import same_ids
from exchange.core.text import has_control_characters
from orders.book.errors import OrderNotFound
from orders.book.models import Order, OrderStatus, OrderType
from orders.book.payloads import PUBLIC_ORDER


class PriceLevel(TypedDict):
    """Open units and number of orders at one price."""

    price: Decimal
    tokens: Decimal
    orders: int


class Book(TypedDict):
    """Both sides of an order book, best price first, and the number of this state."""

    seq: int
    bids: list[PriceLevel]
    asks: list[PriceLevel]


def orders_of(organisation_id: UUID) -> QuerySet[Order]:
    """Return all orders of an organisation, its API keys and its members."""
    return Order.objects.filter(organisation_id=organisation_id)


def orders_on_token(organisation_id: UUID, token_id: UUID) -> tuple[QuerySet[Order], ...]:
    """Return all Active orders of a token, and the closed orders of the organisation.

    Two querysets, since each is one index range however many orders the token has had;
    `merge_sorted` combines them.
    """
    orders = Order.objects.filter(token_id=token_id)
    # Listed by name: `<> Active` would not use the index.
    closed = [status for status in OrderStatus.values if status != OrderStatus.ACTIVE]
    return (
        orders.filter(status=OrderStatus.ACTIVE),
        orders.filter(organisation_id=organisation_id, status__in=closed),
    )


def merge_sorted(parts: Sequence[QuerySet[Order]]) -> QuerySet[Order, Any]:
    """Return the union of equally sorted querysets, in their order: sort columns, then the id."""
    order = parts[0].query.order_by
    columns = [str(name).removeprefix("-") for name in order]
    first, *rest = (part.order_by().values_list(*columns) for part in parts)
    return first.union(*rest, all=True).order_by(*order)


def read_orders(organisation_id: UUID, order_ids: Sequence[UUID]) -> list[str]:
    """Return the documents of orders as the organisation sees them, in the order of `order_ids`.

    Leaves out orders of other organisations that have closed since their id was read.
    """
    with read_cursor() as cursor:
        cursor.execute(_ORDERS, [organisation_id, list(order_ids), organisation_id])
        return [text for (text,) in cursor.fetchall()]


def read_order(organisation_id: UUID, order_id: UUID) -> str:
    """Return the document of an order as the organisation sees it. Raises `OrderNotFound`."""
    parameters = [organisation_id, order_id, organisation_id, organisation_id]
    row = fetch_one(_ORDER, parameters, retryable=True)
    if row is None:
        raise OrderNotFound
    text: str = row[0]
    return text


def read_order_by_client_id(organisation_id: UUID, client_order_id: str) -> str:
    """Return the document of the organisation's order with this id. Raises `OrderNotFound`."""
    if has_control_characters(client_order_id):  # PostgreSQL takes no NUL
        raise OrderNotFound
    # Without the blank ones, so that the partial unique index is used.
    named = orders_of(organisation_id).exclude(client_order_id="")
    ids = same_ids(client_order_id)
    # Of two, the one that is spelt like this.
    spelt = named.filter(client_order_id__in=ids).order_by(Length("client_order_id").desc())
    found = spelt.values_list("document", flat=True)[:1]
    return get_or_raise(found, OrderNotFound)


def embed_token(order_text: str, token_id: UUID, token_text: str) -> str:
    """Return an order's document with its token id replaced by the token's document."""
    # Matches the key only: quotation marks inside strings are escaped.
    return order_text.replace(f'"token":"{token_id}"', f'"token":{token_text}', 1)


def read_book(token_id: UUID, levels: int) -> Book:
    """Return the best `levels` prices of both sides of a token's book."""
    sides: dict[str, list[PriceLevel]] = {OrderType.BUY: [], OrderType.SELL: []}
    seq = 0
    with read_cursor() as cursor:
        cursor.execute(_BOOK, [token_id, token_id, levels, token_id, levels])
        for side, price, tokens, orders in cursor.fetchall():
            if side == "seq":
                seq = orders
                continue
            sides[side].append({"price": price, "tokens": tokens, "orders": orders})
    # UNION ALL guarantees no order.
    return {
        "seq": seq,
        "bids": sorted(sides[OrderType.BUY], key=_price, reverse=True),
        "asks": sorted(sides[OrderType.SELL], key=_price),
    }


def _price(level: PriceLevel) -> Decimal:
    return level["price"]


_VISIBLE_DOCUMENT = (
    f"CASE WHEN o.organisation_id = %s THEN o.document ELSE {PUBLIC_ORDER.expression('o')} END"
)


_ORDERS = f"""
    SELECT {_VISIBLE_DOCUMENT}
    FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
    JOIN orders_order o ON o.id = wanted.id
    WHERE o.organisation_id = %s OR o.status = 'Active'
    ORDER BY wanted.place
"""  # noqa: S608 - built from the declaration in payloads


_ORDER = f"""
    SELECT {_VISIBLE_DOCUMENT}
    FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
    WHERE o.id = %s
        AND (o.organisation_id = %s OR o.status = 'Active' AND token_visible(t, %s))
"""  # noqa: S608 - built from the declaration in payloads


# One statement, so that the number is that of these levels.
_BOOK = """
    (SELECT 'seq', 0, 0, seq FROM orders_booksequence WHERE token_id = %s)
    UNION ALL
    (SELECT 'Buy', price, sum(tokens - filled), count(*) FROM orders_order
     WHERE token_id = %s AND status = 'Active' AND type = 'Buy'
     GROUP BY price ORDER BY price DESC LIMIT %s)
    UNION ALL
    (SELECT 'Sell', price, sum(tokens - filled), count(*) FROM orders_order
     WHERE token_id = %s AND status = 'Active' AND type = 'Sell'
     GROUP BY price ORDER BY price LIMIT %s)
"""
