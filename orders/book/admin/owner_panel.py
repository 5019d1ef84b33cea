"""Open orders on the page of their owner."""

from collections.abc import Mapping

from django.db.models import CharField, Q, Value
from django.db.models.functions import Concat

from exchange.admin.display import format_time, record_link
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped
from exchange.participants.admin.owner_records import Owner, OwnerRecords, TimelineColumns
from orders.book.models import Order, OrderStatus, OrderType


class OpenOrdersPanel(OwnerRecords):
    """The newest open orders of an owner; the timeline has all."""

    tab = "Orders"
    model = Order
    title = "Open orders"
    headings = ("Placed (UTC)", "Order", "Token", "Units", "Filled", "Price", "Value", "Reserved")
    right = (3, 4, 5, 6, 7)
    related = ("token",)
    shown = Q(status=OrderStatus.ACTIVE)
    owner_column = "member"
    timeline = TimelineColumns(
        "Order",
        text=Concat("type", Value(" "), "token__symbol", output_field=CharField()),
        amount="amount",
        currency="token__currency_id",
        state="status",
    )

    def cells(self, record: Order, owner: Owner) -> tuple[object, ...]:
        currency = record.token.currency_id
        reserved = (
            format_money(record.reserved, currency)
            if record.type == OrderType.BUY
            else f"{format_grouped(record.reserved)} {record.token.symbol}"
        )
        return (
            format_time(record.created_at),
            record_link(record, record.type),
            record.token.symbol,
            format_grouped(record.tokens),
            format_grouped(record.filled),
            format_money(record.price, currency),
            format_money(record.amount, currency),
            reserved,
        )

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        return {"q": str(owner.pk), "status__exact": OrderStatus.ACTIVE.value}
