"""What files of trades have in their columns."""

from __future__ import annotations

from exchange.exports.sheets import Column
from orders.book.models import Order
from orders.trades.models import Trade


def _owner(order: Order | None, trade: Trade) -> str:
    """Whose order it was; the issuer sells what a raise sells."""
    return str(trade.token.issuer if order is None else order.member or order.organisation)


def _owner_id(order: Order | None, trade: Trade) -> str:
    return str(trade.token.issuer_id if order is None else order.owner_id)


TRADES: tuple[Column, ...] = (
    Column("When (UTC)", lambda t: t.created_at),
    Column("Token", lambda t: t.token.symbol),
    Column("Market", lambda t: "secondary" if t.sell_order_id else "primary"),
    Column("Units", lambda t: t.tokens),
    Column("Price of a unit", lambda t: t.price),
    Column("Currency", lambda t: t.token.currency_id),
    Column("Buyer", lambda t: _owner(t.buy_order, t)),
    Column("Buyer id", lambda t: _owner_id(t.buy_order, t)),
    Column("Value for the buyer", lambda t: t.buyer_value),
    Column("Fee of the buyer", lambda t: t.buyer_fee),
    Column("Seller", lambda t: _owner(t.sell_order, t)),
    Column("Seller id", lambda t: _owner_id(t.sell_order, t)),
    Column("Value for the seller", lambda t: t.seller_value),
    Column("Fee of the seller", lambda t: t.seller_fee),
    Column("Taker's side", lambda t: t.taker),
    Column("Buy order id", lambda t: str(t.buy_order_id or "")),
    Column("Sell order id", lambda t: str(t.sell_order_id or "")),
    Column("Trade id", lambda t: str(t.pk)),
)
