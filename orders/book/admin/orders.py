"""Read-only admin pages of orders. `orders.trades` adds a panel with their fills."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import Tool
from exchange.admin.columns import column, link_column, money_column, status_column, time_column
from exchange.admin.display import percent, record_link
from exchange.admin.references import format_metadata
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units, round_half_even
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from exchange.participants.selectors import describe_actors
from orders.book.admin.show import list_link
from orders.book.models import Order, OrderType


def orders_link(owner: Any) -> Tool:
    """Link to the orders of a member, or of an organisation and its members."""
    return list_link("orders_order", owner.pk, "Orders")


def tokens_link(organisation: Any) -> Tool:
    """Link to the tokens that an organisation issued."""
    return list_link("exchange_token", organisation.pk, "Issued tokens")


def _filled_percent(order: Order) -> str:
    """Return how much is filled, rounded down: an open order has not filled 100 %."""
    return f"{int(order.filled * 100 / order.tokens)} %"


@admin.register(Order)
class OrderAdmin(OwnedRecordAdmin):
    reads_replica = True
    list_display = (
        "created", "type", "symbol", "state_display", "tokens_display", "filled_percent",
        "price_display", "amount_display", "owned_by",
    )  # fmt: skip
    list_display_links = ("created", "type")
    list_filter = ("status", "type", "owner_model", "token__currency", "created_at")
    list_select_related = ("token__currency", "organisation", "member")
    search_fields = (
        "token__symbol", "organisation__name", "member__name", "=client_order_id",
        "=customer_email",
    )  # fmt: skip
    id_fields = ("pk", "token_id", "organisation_id", "member_id")
    text_fields = ("client_reference",)
    search_help_text = "Symbol, owner, client order ID, client reference, value, email or any ID"
    amount_fields = ("amount",)
    long = True
    # Ids are in the order of arrival and indexed. An amendment changes `seq`.
    ordering = ("-id",)
    fields = (
        ("state_display", "reason"), ("type", "token_display"), ("owner", "organisation"),
        ("placed", "key_display"), ("client_order_id", "id"),
        ("client_reference", "metadata_display"),
        ("customer_name", "customer_email"), ("tokens_display", "price_display"),
        ("amount_display", "reserved_display"), ("filled_display", "average"),
        ("kind_display", "expires_display"),
        ("charged_display", "fee_display"), ("created_display", "closed_display"),
    )  # fmt: skip

    def heading(self, obj: Order) -> str:
        units = format_units(obj.tokens)
        return f"{obj.type} {units} of {obj.token.symbol} at {self.price_display(obj)}"

    created = column(
        "placed (UTC)", lambda order: f"{order.created_at:%Y-%m-%d %H:%M:%S}", ordering="id"
    )
    symbol = column("token", lambda order: record_link(order.token, order.token.symbol))
    token_display = link_column("token", "token")
    state_display = status_column()

    tokens_display = column("units", lambda order: format_units(order.tokens))
    price_display = money_column("price per unit", "price", "token.currency_id")
    amount_display = money_column("value", "amount", "token.currency_id")
    filled_display = column(
        "filled",
        lambda order: f"{format_units(order.filled)} ({_filled_percent(order)})",
    )
    filled_percent = column("filled", _filled_percent, ordering="filled")
    key_display = column(
        "API key",
        lambda order: record_link(order.api_key, order.api_key.name) if order.api_key else "-",
    )

    @admin.display(description="average price")
    def average(self, order: Order) -> str:
        if not order.filled:
            return "-"
        return format_money(
            round_half_even(order.filled_value / order.filled, 8), order.token.currency_id
        )

    metadata_display = column("metadata", lambda order: format_metadata(order.metadata) or "-")
    charged_display = money_column("value charged to date", "charged", "token.currency_id")

    @admin.display(description="fee")
    def fee_display(self, order: Order) -> str:
        fee = format_money(order.charged_fee, order.token.currency_id)
        return f"{fee} to date ({percent(order.fee_percent)} at placement)"

    @admin.display(description="reserved")
    def reserved_display(self, order: Order) -> str:
        if order.type == OrderType.BUY:
            return format_money(order.reserved, order.token.currency_id)
        return format_units(order.reserved)

    @admin.display(description="kind")
    def kind_display(self, order: Order) -> str:
        words = [order.get_order_type_display(), order.time_in_force]
        if order.post_only:
            words.append("post-only")
        if order.requested_amount is not None:
            words.append(f"for {format_money(order.requested_amount, order.token.currency_id)}")
        return ", ".join(words)

    expires_display = time_column("expires (UTC)", "expires_at")
    placed = column("placed by", lambda order: describe_actors([order.placed_by])[0])
    created_display = time_column("placed (UTC)", "created_at")
    closed_display = time_column("closed (UTC)", "closed_at")

    def tools(self, request: HttpRequest, obj: Order) -> list[Tool]:
        return [list_link("orders_trade", obj.pk, "All fills")]
