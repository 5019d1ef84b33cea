"""Wire format of trades, declared once."""

from exchange.core.documents import Document, identifier, number, text, timestamp
from orders.book.models import OrderType
from orders.trades import examples

TRADE = Document(
    name="Trade",
    table="orders_trade",
    fields=(
        identifier("_id", "Trade ID", "{r}.id"),
        identifier("token", "Token ID", "{r}.token_id"),
        number("price", "Price per unit"),
        number("tokens", "Units"),
        number(
            "amount",
            "Value: paid by the buyer without the fee, rounded up over all fills of the order",
            "{r}.buyer_value",
        ),
        text("type", "Side of the taker", "{r}.taker", enum=OrderType.values),
        timestamp("createdAt", "When it was executed", "{r}.created_at"),
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
            "ID of the buy order if it is yours; otherwise null",
            "{r}.own_buy_order_id",
            nullable=True,
        ),
        identifier(
            "sell_order",
            "ID of the sell order if it is yours; otherwise null, also for the issuer in a raise",
            "{r}.own_sell_order_id",
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
        identifier("trade_id", "Trade ID", "{r}.id"),
        number("price", "Price per unit"),
        number("tokens", "Units"),
        number(
            "value",
            "Value without the fee, as in the ledger: what the order's total rose by, rounded "
            "over all its fills",
        ),
        number(
            "fee",
            "Fee of this fill; its rounding is that of the order, so that a single one may be "
            "negative",
        ),
        text(
            "liquidity",
            "`maker`: the order rested in the book; `taker`: it was incoming; `primary`: bought "
            "from the issuer in a raise",
            enum=["maker", "taker", "primary"],
        ),
        timestamp("createdAt", "When it was executed", "{r}.created_at"),
    ),
    example=examples.FILL,
)


# In the list over all orders of an organisation.
ORDER_FILL = Document(
    name="OrderFill",
    table=FILL.table,
    fields=(
        *FILL.fields,
        identifier("order", "Your order"),
        text("client_order_id", "Your own ID for the order", nullable=True),
        text("type", "Side of your order", enum=OrderType.values),
        identifier("token", "Token ID", "{r}.token_id"),
    ),
    example=examples.ORDER_FILL,
)
