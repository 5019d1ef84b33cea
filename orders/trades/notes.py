"""The contract note of one fill: what was traded, for what, and for whom, as PDF."""

from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from exchange.core.currencies import format_money
from exchange.core.errors import NotFound
from exchange.core.numbers import format_grouped
from exchange.core.querysets import get_or_raise
from exchange.pdf.printer import take_printer
from exchange.pdf.printout import Column, Printout, Row, print_time
from orders.book.models import Order, OrderType, OwnerModel, Trade
from orders.trades.selectors import fills_of, get_side

TITLE = "Contract note"
_COLUMNS = (Column("Details"), Column("Amount", 50, right=True))


class FillNotFound(NotFound):
    """The trade does not exist, or is not one of the order."""

    code = "fill_not_found"
    message = "Fill not found"


def print_note(organisation_id: UUID, order_id: UUID, trade_id: UUID) -> bytes:
    """Return the contract note of a fill of the organisation's order.

    Raises `OrderNotFound`, `FillNotFound`; `PrinterBusy` while others are printed.
    """
    with take_printer() as printer:
        side = get_side(organisation_id, order_id)
        rows = fills_of(side).select_related("token__issuer")
        trade = get_or_raise(rows.filter(id=trade_id), FillNotFound)
        order = Order.objects.select_related("member", "organisation").get(id=order_id)
        return printer.print(_to_printout(order, trade))


def _to_printout(order: Order, trade: Trade) -> Printout:
    bought = order.type == OrderType.BUY
    token, currency = trade.token, trade.token.currency_id
    value = trade.buyer_value if bought else trade.seller_value
    fee = trade.buyer_fee if bought else trade.seller_fee
    paid = value + fee if bought else value - fee
    client = _client(order)
    document = Printout(
        issuer=settings.UNFOLD["SITE_TITLE"],
        title=TITLE,
        subject=f"{client} · {trade.pk}",
        made_at=timezone.now(),
    )

    def money(amount: Decimal) -> str:
        return format_money(amount, currency)

    acting = order.owner_model != OwnerModel.ORGANISATION
    document.add_facts(
        [
            ("Client", client),
            *([("Acting for the client", order.organisation.name)] if acting else []),
            ("Counterparty", _counterparty(trade)),
            ("Investment", f"{token.name} ({token.symbol})"),
        ],
        [
            ("Traded", print_time(trade.created_at)),
            ("Settled", "At the time of the trade"),
            ("Trade", str(trade.pk)),
            ("Order", str(order.pk)),
            *([("Your reference", order.client_order_id)] if order.client_order_id else []),
        ],
    )
    document.add_figures(
        [
            ("You bought" if bought else "You sold", f"{format_grouped(trade.tokens)} units"),
            ("Price per unit", money(trade.price)),
            ("You paid" if bought else "You received", money(paid)),
        ]
    )
    document.add_table(
        _COLUMNS,
        [
            Row((f"{format_grouped(trade.tokens)} units at {money(trade.price)}", money(value))),
            Row(("Fee", money(fee if bought else -fee))),
            Row(("Paid" if bought else "Received", money(paid)), strong=True),
        ],
    )
    document.add_paragraph(
        f"The order was a {order.type} of {format_grouped(order.tokens)} units at"
        f" {money(order.price)} or better; in this trade it was {_role(order, trade)}. Value and"
        " fee are rounded over all fills of an order, so those of one fill may differ from units"
        " times price by the smallest amount of the currency. The amounts are those of the ledger."
    )
    return document


def _client(order: Order) -> str:
    """Return for whom the order was placed."""
    if order.member is not None:
        return str(order.member.name)
    if order.owner_model == OwnerModel.API_KEY:
        return order.customer_name or order.customer_email or order.organisation.name
    return order.organisation.name


def _counterparty(trade: Trade) -> str:
    """Return the other side, as far as the client may know it."""
    if trade.sell_order_id is None:
        return f"{trade.token.issuer.name}, the issuer"
    return "Another participant of the exchange"


def _role(order: Order, trade: Trade) -> str:
    if trade.sell_order_id is None:
        return "filled by the issuer (primary)"
    return "the incoming order (taker)" if trade.taker == order.type else "resting (maker)"
