"""Queries of trades, and of the fills of one order and of an organisation."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from exchange.core.database import read_cursor
from orders.book.errors import OrderNotFound
from orders.book.models import Fill, Order, OrderType, Trade
from orders.trades.payloads import FILL, ORDER_FILL


@dataclass(frozen=True, slots=True)
class OrderSide:
    """An order of the caller, as a side of its trades."""

    order_id: UUID
    type: str

    @property
    def column(self) -> str:
        """The trades' column with this order."""
        return "buy_order_id" if self.type == OrderType.BUY else "sell_order_id"


def trades_of(token_id: UUID) -> QuerySet[Trade]:
    """Return all trades of a token."""
    return Trade.objects.filter(token_id=token_id)


def read_trades(organisation_id: UUID, trade_ids: Sequence[UUID]) -> list[str]:
    """Return the documents of trades, in the order of `trade_ids`.

    They name the orders of the organisation, and no others.
    """
    with read_cursor() as cursor:
        cursor.execute(_TRADES, [list(trade_ids), organisation_id, organisation_id])
        return [text for (text,) in cursor.fetchall()]


def get_side(organisation_id: UUID, order_id: UUID) -> OrderSide:
    """Return an order of the organisation as a side of trades. Raises `OrderNotFound`."""
    found = Order.objects.filter(id=order_id, organisation_id=organisation_id)
    side = found.values_list("type", flat=True).first()
    if side is None:
        raise OrderNotFound
    return OrderSide(order_id, side)


def fills_of(side: OrderSide) -> QuerySet[Trade]:
    """Return the trades of an order."""
    return Trade.objects.filter(**{side.column: side.order_id})


def read_fills(side: OrderSide, trade_ids: Sequence[UUID]) -> list[str]:
    """Return the documents of fills of an order, in the order of `trade_ids`."""
    with read_cursor() as cursor:
        cursor.execute(_FILLS[OrderType(side.type)], [side.type, list(trade_ids)])
        return [text for (text,) in cursor.fetchall()]


def fills_of_organisation(organisation_id: UUID) -> QuerySet[Fill]:
    """Return the fills of all orders of an organisation, its API keys and its members."""
    return Fill.objects.filter(organisation_id=organisation_id)


def read_order_fills(fill_ids: Sequence[int]) -> list[str]:
    """Return the documents of fills of any orders, in the order of `fill_ids`."""
    with read_cursor() as cursor:
        cursor.execute(_ORDER_FILLS, [list(fill_ids)])
        return [text for (text,) in cursor.fetchall()]


# A stored document ends with the closing bracket.
_TRADES = """
    SELECT left(t.document, -1)
           || ',"buy_order":' || coalesce('"' || b.id || '"', 'null')
           || ',"sell_order":' || coalesce('"' || s.id || '"', 'null') || '}'
    FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
    JOIN orders_trade t ON t.id = wanted.id
    LEFT JOIN orders_order b ON b.id = t.buy_order_id AND b.organisation_id = %s
    LEFT JOIN orders_order s ON s.id = t.sell_order_id AND s.organisation_id = %s
    ORDER BY wanted.place
"""


def _fills_sql(side: str) -> str:
    return f"""
        SELECT {FILL.expression("r")}
        FROM (
            SELECT t.id, t.price, t.tokens, t.{side}_value AS value, t.{side}_fee AS fee,
                   CASE WHEN t.sell_order_id IS NULL THEN 'primary'
                        WHEN t.taker = %s THEN 'taker' ELSE 'maker' END AS liquidity,
                   t.created_at, wanted.place
            FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
            JOIN orders_trade t ON t.id = wanted.id
        ) r
        ORDER BY r.place
    """  # noqa: S608 - built from the declaration in payloads


_FILLS = {OrderType.BUY: _fills_sql("buyer"), OrderType.SELL: _fills_sql("seller")}
_ORDER_FILLS = f"""
    SELECT {ORDER_FILL.expression("r")}
    FROM (
        SELECT t.id, t.price, t.tokens, side.value, side.fee,
               CASE WHEN t.sell_order_id IS NULL THEN 'primary'
                    WHEN t.taker = o.type THEN 'taker' ELSE 'maker' END AS liquidity,
               t.created_at, o.id AS "order", nullif(o.client_order_id, '') AS client_order_id,
               o.type, t.token_id, wanted.place
        FROM unnest(%s::bigint[]) WITH ORDINALITY AS wanted (id, place)
        JOIN orders_fill f ON f.id = wanted.id
        JOIN orders_trade t ON t.id = f.trade_id
        JOIN orders_order o ON o.id = f.order_id
        CROSS JOIN LATERAL (
            SELECT CASE o.type WHEN 'Buy' THEN t.buyer_value ELSE t.seller_value END AS value,
                   CASE o.type WHEN 'Buy' THEN t.buyer_fee ELSE t.seller_fee END AS fee
        ) side
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
