"""Filters of trades and fills."""

from exchange.api.filters import DatedFilters, EnumeratedFilter
from orders.book.models import OrderType, Trade


class FillFilters(DatedFilters):
    """Filter an order's fills by time."""

    class Meta:
        model = Trade
        fields: tuple[str, ...] = ()


class TradeFilters(FillFilters):
    """Filter a token's trades by taker side and time."""

    type = EnumeratedFilter(
        field_name="taker",
        allowed=OrderType.values,
        aliases=("buy", "sell"),
        help_text="Side of the taker",
    )
