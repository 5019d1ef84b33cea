"""How the admin writes the sides of a trade."""

from __future__ import annotations

from exchange.admin.show import page_of
from orders.book.models import Order
from orders.trades.models import Trade

# What `side_of` reads of a trade.
BOTH_SIDES = (
    "token__issuer",
    "buy_order__member",
    "buy_order__organisation",
    "sell_order__member",
    "sell_order__organisation",
)


def side_of(trade: Trade, order: Order | None) -> str:
    """The order on one side of a trade, by its owner; the issuer where there is none."""
    if order is None:
        return page_of(trade.token.issuer, f"{trade.token.issuer}, the issuer")
    return page_of(order, str(order.member or order.organisation))
