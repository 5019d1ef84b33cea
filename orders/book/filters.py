"""Filters of orders."""

from exchange.api.filters import ChangingFilters, EnumeratedFilter, IdFilter, OwnIdFilter
from exchange.api.references import client_reference_filter
from orders.book.models import OrderStatus, OrderType, OwnerModel


class TokenOrderFilters(ChangingFilters):
    """Filter a token's orders by side, status and time."""

    type = EnumeratedFilter(allowed=OrderType.values, aliases=("buy", "sell"), help_text="Side")
    status = EnumeratedFilter(allowed=OrderStatus.values, help_text="Status")


class OrderFilters(TokenOrderFilters):
    """Filter an organisation's orders by token, side, status, owner, client id and time."""

    token_id = IdFilter(help_text="ID of the token")
    user_id = IdFilter(field_name="member_id", help_text="ID of the member that owns the order")
    owner_model = EnumeratedFilter(
        allowed=OwnerModel.values,
        help_text="Whether a member, the organisation or an API key owns the order",
    )
    client_order_id = OwnIdFilter(max_length=64, help_text="Your own ID for the order")
    client_reference = client_reference_filter()
