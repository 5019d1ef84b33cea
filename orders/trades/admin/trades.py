"""Read-only admin pages of trades: sides, price and ledger entries."""

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import Section
from exchange.admin.columns import column, link_column, money_column, time_column
from exchange.admin.list_filters import (
    ChoiceFilter,
    ListFilters,
    OptionFilter,
    currency_filter,
    day_range,
)
from exchange.core.numbers import format_units
from exchange.exports.admin import Exportable
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from orders.book.admin.show import list_ledger_legs
from orders.book.models import OrderType, Trade
from orders.trades.admin.show import BOTH_SIDES, side_link


class TradeListFilters(ListFilters):
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
    filters = TradeListFilters
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

    created = column(
        "time (UTC)", lambda trade: f"{trade.created_at:%Y-%m-%d %H:%M:%S}", ordering="seq"
    )
    created_display = time_column("time (UTC)", "created_at")
    symbol = column("token", lambda trade: trade.token.symbol)
    token_display = link_column("token", "token")
    tokens_display = column("units", lambda trade: format_units(trade.tokens))
    price_display = money_column("price per unit", "price", "token.currency_id")
    amount_display = money_column("value", "buyer_value", "token.currency_id")
    buyer_fee_display = money_column("buyer fee", "buyer_fee", "token.currency_id")
    seller_value_display = money_column("seller value", "seller_value", "token.currency_id")
    seller_fee_display = money_column("seller fee", "seller_fee", "token.currency_id")
    taker_display = column("taker side", lambda trade: trade.taker, ordering="taker")
    buyer = column("buyer", lambda trade: side_link(trade, trade.buy_order))
    seller = column("seller", lambda trade: side_link(trade, trade.sell_order))

    def sections(self, request: HttpRequest, obj: Trade) -> list[Section]:
        return [list_ledger_legs([obj.pk], obj.token)]
