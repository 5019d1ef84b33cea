"""Wire format of trades, declared once."""

from __future__ import annotations

from exchange.core.documents import Document, identifier, number, text, timestamp
from orders.book.models import OrderType
from orders.trades import examples

TRADE = Document(
    name="Trade",
    table="orders_trade",
    fields=(
        identifier("_id", "{r}.id", "Trade ID"),
        identifier("token", "{r}.token_id", "Token ID"),
        number("price", "{r}.price", "Price per unit"),
        number("tokens", "{r}.tokens", "Units"),
        number(
            "amount",
            "{r}.buyer_value",
            "Value: paid by the buyer without the fee, rounded up over all fills of the order",
        ),
        text("type", "{r}.taker", "Side of the taker", enum=list(OrderType.values)),
        timestamp("createdAt", "{r}.created_at", "When it was executed"),
    ),
    example=examples.TRADE,
)
