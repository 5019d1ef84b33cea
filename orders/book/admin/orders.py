"""Orders in the admin, to read only: what was asked for, filled and reserved, and what moved."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import flatten
from django.http import HttpRequest
from django.utils.html import format_html

from exchange.admin.base import Tool
from exchange.admin.show import moment, page_of, percent, state
from exchange.core.currencies import money
from exchange.core.numbers import round_to, units
from exchange.participants.admin.searching import OwnedRecords
from exchange.participants.selectors import actor_names
from orders.book.admin.show import list_of, wallet_of
from orders.book.models import Order, OrderType


def orders_of(owner: Any) -> Tool:
    """The orders of an organisation (its members' too), or of a member."""
    return list_of("orders_order", owner.pk, "Orders")


def tokens_of(organisation: Any) -> Tool:
    """The tokens that an organisation issued."""
    return list_of("exchange_token", organisation.pk, "Issued tokens")


class OrderPages(OwnedRecords):
    """Orders. `orders.trades.admin.orders` adds their fills and registers the pages."""

    list_display = (
        "created", "type", "symbol", "shown_state", "shown_tokens", "filled_percent", "shown_price",
        "shown_amount", "owned_by",
    )  # fmt: skip
    list_display_links = ("created", "type")
    list_filter = ("status", "type", "owner_model", "token__currency", "created_at")
    list_select_related = ("token__currency", "organisation", "member")
    search_fields = (
        "token__symbol", "organisation__name", "member__name", "=client_order_id",
        "=customer_email",
    )  # fmt: skip
    id_fields = ("pk", "token_id", "organisation_id", "member_id")
    search_help_text = "Symbol, owner, client's own order id, value, email, any id"
    amount_fields = ("amount",)
    long = True
    # `seq` is the order in which they came, and has an index.
    ordering = ("-seq",)
    fields = (
        ("shown_state", "reason"), ("type", "shown_token"), ("owner", "organisation"),
        ("placed", "shown_key"), ("client_order_id", "id"),
        ("customer_name", "customer_email"), ("shown_tokens", "shown_price"),
        ("shown_amount", "shown_reserved"), ("shown_filled", "average"),
        ("shown_charged", "shown_fee"), ("shown_created", "shown_closed"),
    )  # fmt: skip
    readonly_fields = flatten(fields)

    def heading(self, obj: Order) -> str:
        return f"{obj.type} {units(obj.tokens)} of {obj.token.symbol} at {self.shown_price(obj)}"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related(*self.list_select_related)

    @admin.display(description="placed (UTC)", ordering="seq")
    def created(self, order: Order) -> str:
        return f"{order.created_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="token")
    def symbol(self, order: Order) -> str:
        return page_of(order.token, order.token.symbol)

    @admin.display(description="token")
    def shown_token(self, order: Order) -> str:
        return page_of(order.token)

    @admin.display(description="state", ordering="status")
    def shown_state(self, order: Order) -> str:
        return state(order.status)

    @admin.display(description="owner")
    def owned_by(self, order: Order) -> str:
        if order.member is None:
            return wallet_of(order)
        return format_html("{}<br>{}", wallet_of(order), order.organisation)

    @admin.display(description="owner")
    def owner(self, order: Order) -> str:
        return wallet_of(order)

    @admin.display(description="units")
    def shown_tokens(self, order: Order) -> str:
        return units(order.tokens)

    @admin.display(description="price of a unit")
    def shown_price(self, order: Order) -> str:
        return money(order.price, order.token.currency_id)

    @admin.display(description="value")
    def shown_amount(self, order: Order) -> str:
        return money(order.amount, order.token.currency_id)

    @admin.display(description="filled")
    def shown_filled(self, order: Order) -> str:
        return f"{units(order.filled)} ({order.filled / order.tokens * 100:.0f} %)"

    @admin.display(description="filled", ordering="filled")
    def filled_percent(self, order: Order) -> str:
        return f"{order.filled / order.tokens * 100:.0f} %"

    @admin.display(description="API key")
    def shown_key(self, order: Order) -> str:
        return page_of(order.api_key, order.api_key.name) if order.api_key else "-"

    @admin.display(description="average price")
    def average(self, order: Order) -> str:
        if not order.filled:
            return "-"
        return money(round_to(order.filled_value / order.filled, 8), order.token.currency_id)

    @admin.display(description="value charged so far")
    def shown_charged(self, order: Order) -> str:
        return money(order.charged, order.token.currency_id)

    @admin.display(description="fee")
    def shown_fee(self, order: Order) -> str:
        fee = money(order.charged_fee, order.token.currency_id)
        return f"{fee} so far, {percent(order.fee_percent)} when it was placed"

    @admin.display(description="reserved")
    def shown_reserved(self, order: Order) -> str:
        if order.type == OrderType.BUY:
            return money(order.reserved, order.token.currency_id)
        return units(order.reserved)

    @admin.display(description="placed by")
    def placed(self, order: Order) -> str:
        return actor_names([order.placed_by])[0]

    @admin.display(description="placed (UTC)")
    def shown_created(self, order: Order) -> str:
        return moment(order.created_at)

    @admin.display(description="over since (UTC)")
    def shown_closed(self, order: Order) -> str:
        return moment(order.closed_at) if order.closed_at else "-"

    def tools(self, request: HttpRequest, obj: Order) -> list[Tool]:
        return [list_of("orders_trade", obj.pk, "All fills")]
