"""Columns of trade exports."""

from __future__ import annotations

from exchange.exports.sheets import Column
from orders.book.models import Order, Trade


def _owner(order: Order | None, trade: Trade) -> str:
    """Return the owner of `order`; the issuer for the seller's side of a raise."""
    return str(trade.token.issuer if order is None else order.member or order.organisation)


def _owner_id(order: Order | None, trade: Trade) -> str:
    return str(trade.token.issuer_id if order is None else order.owner_id)


TRADES: tuple[Column, ...] = (
    Column("Time (UTC)", lambda t: t.created_at),
    Column("Token", lambda t: t.token.symbol),
    Column("Market", lambda t: "secondary" if t.sell_order_id else "primary"),
    Column("Units", lambda t: t.tokens),
    Column("Price per unit", lambda t: t.price),
    Column("Currency", lambda t: t.token.currency_id),
    Column("Buyer", lambda t: _owner(t.buy_order, t)),
    Column("Buyer ID", lambda t: _owner_id(t.buy_order, t)),
    Column("Buyer value", lambda t: t.buyer_value),
    Column("Buyer fee", lambda t: t.buyer_fee),
    Column("Seller", lambda t: _owner(t.sell_order, t)),
    Column("Seller ID", lambda t: _owner_id(t.sell_order, t)),
    Column("Seller value", lambda t: t.seller_value),
    Column("Seller fee", lambda t: t.seller_fee),
    Column("Taker side", lambda t: t.taker),
    Column("Buy order ID", lambda t: str(t.buy_order_id or "")),
    Column("Sell order ID", lambda t: str(t.sell_order_id or "")),
    Column("Trade ID", lambda t: str(t.pk)),
)
