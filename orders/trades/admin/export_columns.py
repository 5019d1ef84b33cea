"""Columns of trade exports."""

from exchange.exports.sheets import SheetColumn
from orders.book.models import Order, Trade


def _owner(order: Order | None, trade: Trade) -> str:
    """Return the owner of `order`; the issuer for the seller's side of a raise."""
    return str(trade.token.issuer if order is None else order.member or order.organisation)


def _owner_id(order: Order | None, trade: Trade) -> str:
    return str(trade.token.issuer_id if order is None else order.owner_id)


TRADES: tuple[SheetColumn, ...] = (
    SheetColumn("Time (UTC)", lambda t: t.created_at),
    SheetColumn("Token", lambda t: t.token.symbol),
    SheetColumn("Market", lambda t: "secondary" if t.sell_order_id else "primary"),
    SheetColumn("Units", lambda t: t.tokens),
    SheetColumn("Price per unit", lambda t: t.price),
    SheetColumn("Currency", lambda t: t.token.currency_id),
    SheetColumn("Buyer", lambda t: _owner(t.buy_order, t)),
    SheetColumn("Buyer ID", lambda t: _owner_id(t.buy_order, t)),
    SheetColumn("Buyer value", lambda t: t.buyer_value),
    SheetColumn("Buyer fee", lambda t: t.buyer_fee),
    SheetColumn("Seller", lambda t: _owner(t.sell_order, t)),
    SheetColumn("Seller ID", lambda t: _owner_id(t.sell_order, t)),
    SheetColumn("Seller value", lambda t: t.seller_value),
    SheetColumn("Seller fee", lambda t: t.seller_fee),
    SheetColumn("Taker side", lambda t: t.taker),
    SheetColumn("Buy order ID", lambda t: str(t.buy_order_id or "")),
    SheetColumn("Sell order ID", lambda t: str(t.sell_order_id or "")),
    SheetColumn("Trade ID", lambda t: str(t.pk)),
)
