"""Fills and ledger entries on the pages of orders."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import record_link
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.core.numbers import format_units
from orders.book.admin.show import list_ledger_legs
from orders.book.models import Order, Trade
from orders.trades.admin.show import BOTH_SIDES, side_link

_MAX_FILLS = 50


class FillsPanel(Panel):
    """The fills of an order and its ledger transfers."""

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the fills, oldest first, and the ledger transfers of the order."""
        trades = list(
            Trade.objects.filter(Q(buy_order=record) | Q(sell_order=record))
            .select_related(*BOTH_SIDES)
            .order_by("seq")[:_MAX_FILLS]
        )
        fills = Section(
            "Fills",
            ("Time (UTC)", "Units", "Price", "Value", "Fee", "Counterparty"),
            [_fill_row(record, trade) for trade in trades],
            right=(1, 2, 3, 4),
            empty="No fills.",
        )
        return [fills, list_ledger_legs([record.pk, *(trade.pk for trade in trades)], record.token)]


def _fill_row(order: Order, trade: Trade) -> tuple[object, ...]:
    bought = trade.buy_order_id == order.pk
    value: Decimal = trade.buyer_value if bought else trade.seller_value
    fee: Decimal = trade.buyer_fee if bought else trade.seller_fee
    other = trade.sell_order if bought else trade.buy_order
    return (
        record_link(trade, f"{trade.created_at:%Y-%m-%d %H:%M:%S}"),
        format_units(trade.tokens),
        format_money(trade.price, order.token.currency_id),
        format_money(value, order.token.currency_id),
        format_money(fee, order.token.currency_id),
        side_link(trade, other),
    )
