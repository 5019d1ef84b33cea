"""Filters of trades."""

from exchange.api.filters import DatedFilters, EnumeratedFilter
from orders.book.models import OrderType


class TradeFilters(DatedFilters):
    """Filter a token's trades by taker side and time."""

    type = EnumeratedFilter(
        field_name="taker",
        allowed=OrderType.values,
        aliases=("buy", "sell"),
        help_text="Side of the taker",
    )
