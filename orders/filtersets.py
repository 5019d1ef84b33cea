"""Filters of orders and trades, by query parameters."""

from __future__ import annotations

import django_filters

from exchange.filtersets import ChoiceFilter, IdFilter, MomentFilter
from orders.models import Order, OrderStatus, OrderType, OwnerModel, Trade

_FROM = "At or after this ISO 8601 date-time, or the first instant of this date in UTC"
_TO = "At or before this ISO 8601 date-time, or the first instant of this date in UTC"


class TokenOrderFilters(django_filters.FilterSet):
    """A token's orders by side and state."""

    type = ChoiceFilter(allowed=OrderType.values)
    status = ChoiceFilter(allowed=OrderStatus.values)

    class Meta:
        model = Order
        fields: tuple[str, ...] = ()


class OrderFilters(TokenOrderFilters):
    """An organisation's orders by token, side, state, owner, own id and time."""

    token_id = IdFilter()
    user_id = IdFilter(field_name="member_id", help_text="Id of the member that owns it")
    owner_model = ChoiceFilter(allowed=OwnerModel.values)
    client_order_id = django_filters.CharFilter(
        lookup_expr="exact", max_length=64, help_text="Your own id of the order"
    )
    created_from = MomentFilter(field_name="created_at", lookup_expr="gte", help_text=_FROM)
    created_to = MomentFilter(field_name="created_at", lookup_expr="lte", help_text=_TO)


class TradeFilters(django_filters.FilterSet):
    """A token's trades by the side that took, and by time."""

    type = ChoiceFilter(field_name="taker", allowed=OrderType.values)
    created_from = MomentFilter(field_name="created_at", lookup_expr="gte", help_text=_FROM)
    created_to = MomentFilter(field_name="created_at", lookup_expr="lte", help_text=_TO)

    class Meta:
        model = Trade
        fields: tuple[str, ...] = ()
