"""Filters of trades."""

from __future__ import annotations

from exchange.api.filters import ChoiceFilter, DatedFilters
from orders.book.models import OrderType
from orders.trades.models import Trade


class TradeFilters(DatedFilters):
    """A token's trades by the side that took, and by time."""

    type = ChoiceFilter(
        field_name="taker",
        allowed=OrderType.values,
        aliases=("buy", "sell"),
        help_text="The side that took",
    )

    class Meta:
        model = Trade
        fields: tuple[str, ...] = ()
