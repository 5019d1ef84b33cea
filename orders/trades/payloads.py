"""Wire format of trades, declared once."""

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


# In lists, rendered on read. `orders.trades.selectors` finds the caller's own orders.
MARKET_TRADE = Document(
    name="MarketTrade",
    table=TRADE.table,
    fields=(
        *TRADE.fields,
        identifier(
            "buy_order",
            "{r}.own_buy_order_id",
            "ID of the buy order if it is yours; otherwise null",
            nullable=True,
        ),
        identifier(
            "sell_order",
            "{r}.own_sell_order_id",
            "ID of the sell order if it is yours; otherwise null, also for the issuer in a raise",
            nullable=True,
        ),
    ),
    example=examples.MARKET_TRADE,
)


# A trade as its order sees it, rendered on read.
FILL = Document(
    name="Fill",
    table="orders_trade",
    fields=(
        identifier("trade_id", "{r}.id", "Trade ID"),
        number("price", "{r}.price", "Price per unit"),
        number("tokens", "{r}.tokens", "Units"),
        number(
            "value",
            "{r}.value",
            "Value without the fee, as in the ledger: what the order's total rose by, rounded "
            "over all its fills",
        ),
        number(
            "fee",
            "{r}.fee",
            "Fee of this fill; its rounding is that of the order, so that a single one may be "
            "negative",
        ),
        text(
            "liquidity",
            "{r}.liquidity",
            "`maker`: the order rested in the book; `taker`: it was incoming; `primary`: bought "
            "from the issuer in a raise",
            enum=["maker", "taker", "primary"],
        ),
        timestamp("createdAt", "{r}.created_at", "When it was executed"),
    ),
    example=examples.FILL,
)
