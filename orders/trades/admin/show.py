"""Admin links to the sides of a trade."""

from exchange.admin.display import record_link
from orders.book.models import Order, Trade

# Relations that `side_link` reads of a trade.
BOTH_SIDES = (
    "token__issuer",
    "buy_order__member",
    "buy_order__organisation",
    "sell_order__member",
    "sell_order__organisation",
)


def side_link(trade: Trade, order: Order | None) -> str:
    """Link to the order on one side of a trade, or to the issuer where there is none."""
    if order is None:
        return record_link(trade.token.issuer, f"{trade.token.issuer} (issuer)")
    return record_link(order, str(order.member or order.organisation))
