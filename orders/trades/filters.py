"""Filters of trades."""

from exchange.api.filters import DatedFilters, EnumeratedFilter, IdFilter
from orders.book.models import OrderType


class TradeFilters(DatedFilters):
    """Filter a token's trades by taker side and time."""

    type = EnumeratedFilter(
        field_name="taker",
        allowed=OrderType.values,
        aliases=("buy", "sell"),
        help_text="Side of the taker",
    )


class FillFilters(DatedFilters):
    """Filter an organisation's fills by token, member and time."""

    token_id = IdFilter(help_text="ID of the token")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member that owns the order")
