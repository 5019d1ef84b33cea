"""Read-only admin pages of trades: sides, price and ledger entries."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import Section
from exchange.admin.display import format_time, record_link
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    day_range,
)
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from exchange.exports.admin import Exportable
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from orders.book.admin.show import list_ledger_legs
from orders.book.models import OrderType
from orders.trades.admin.show import BOTH_SIDES, side_link
from orders.trades.models import Trade


class TradeFilters(ListFilters):
    market = OptionFilter(
        "market",
        ("primary", "Primary raise", lambda rows: rows.filter(sell_order=None)),
        ("secondary", "Secondary", lambda rows: rows.exclude(sell_order=None)),
    )
    taker__exact = ChoiceFilter("taker", OrderType.choices, title="taker")
    token__currency__code__exact = currency_filter("token__currency")
    day_from, day_to = day_range(id_column="")


@admin.register(Trade)
class TradeAdmin(Exportable, OwnedRecordAdmin):
    list_display = (
        "created", "symbol", "tokens_display", "price_display", "amount_display", "buyer", "seller",
        "taker_display",
    )  # fmt: skip
    filters = TradeFilters
    list_select_related = ("token__currency", *BOTH_SIDES)
    search_fields = ("token__symbol",)
    id_fields = ("pk", "token_id", "buy_order_id", "sell_order_id")
    search_help_text = "Symbol, value, email of either side, or ID of the trade, token or order"
    amount_fields = ("buyer_value", "seller_value")
    owner_prefixes = ("buy_order__", "sell_order__")
    long = True
    ordering = ("-seq",)
    fields = (
        ("token_display", "created_display"), ("tokens_display", "price_display"),
        ("buyer", "seller"), ("amount_display", "seller_value_display"),
        ("buyer_fee_display", "seller_fee_display"), ("taker_display", "id"),
    )  # fmt: skip

    def heading(self, obj: Trade) -> str:
        return f"{format_units(obj.tokens)} of {obj.token.symbol} at {self.price_display(obj)}"

    @admin.display(description="time (UTC)", ordering="seq")
    def created(self, trade: Trade) -> str:
        return f"{trade.created_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="time (UTC)")
    def created_display(self, trade: Trade) -> str:
        return format_time(trade.created_at)

    @admin.display(description="token")
    def symbol(self, trade: Trade) -> str:
        return trade.token.symbol

    @admin.display(description="token")
    def token_display(self, trade: Trade) -> str:
        return record_link(trade.token)

    @admin.display(description="units")
    def tokens_display(self, trade: Trade) -> str:
        return format_units(trade.tokens)

    @admin.display(description="price per unit")
    def price_display(self, trade: Trade) -> str:
        return format_money(trade.price, trade.token.currency_id)

    @admin.display(description="value")
    def amount_display(self, trade: Trade) -> str:
        return format_money(trade.buyer_value, trade.token.currency_id)

    @admin.display(description="buyer fee")
    def buyer_fee_display(self, trade: Trade) -> str:
        return format_money(trade.buyer_fee, trade.token.currency_id)

    @admin.display(description="seller value")
    def seller_value_display(self, trade: Trade) -> str:
        return format_money(trade.seller_value, trade.token.currency_id)

    @admin.display(description="seller fee")
    def seller_fee_display(self, trade: Trade) -> str:
        return format_money(trade.seller_fee, trade.token.currency_id)

    @admin.display(description="taker side", ordering="taker")
    def taker_display(self, trade: Trade) -> str:
        return trade.taker

    @admin.display(description="buyer")
    def buyer(self, trade: Trade) -> str:
        return side_link(trade, trade.buy_order)

    @admin.display(description="seller")
    def seller(self, trade: Trade) -> str:
        return side_link(trade, trade.sell_order)

    def sections(self, request: HttpRequest, obj: Trade) -> list[Section]:
        return [list_ledger_legs([obj.pk], obj.token)]
