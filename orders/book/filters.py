"""Filters of orders."""

from __future__ import annotations

from exchange.api.filters import ChangingFilters, ChoiceFilter, IdFilter, TextFilter
from orders.book.models import Order, OrderStatus, OrderType, OwnerModel


class TokenOrderFilters(ChangingFilters):
    """A token's orders by side, state and time."""

    type = ChoiceFilter(
        allowed=OrderType.values, aliases=("buy", "sell"), help_text="Side, in any case"
    )
    status = ChoiceFilter(allowed=OrderStatus.values, help_text="State, in any case")

    class Meta:
        model = Order
        fields: tuple[str, ...] = ()


class OrderFilters(TokenOrderFilters):
    """An organisation's orders by token, side, state, owner, own id and time."""

    token_id = IdFilter(help_text="Id of the token")
    user_id = IdFilter(field_name="member_id", help_text="Id of the member that owns it")
    owner_model = ChoiceFilter(
        allowed=OwnerModel.values, help_text="Whether a member, the organisation or a key owns it"
    )
    client_order_id = TextFilter(max_length=64, help_text="Your own id of the order")
