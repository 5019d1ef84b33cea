"""Wire format of candles, declared once. Computed on read."""

from exchange.core.documents import Document, boolean, integer, number, timestamp
from orders.market import examples

CANDLE = Document(
    name="Candle",
    table="orders_candle",
    fields=(
        timestamp("starts_at", "Start of the interval; of days 00:00 UTC"),
        number("open", "Price of the first trade"),
        number("high", "Highest price"),
        number("low", "Lowest price"),
        number("close", "Price of the last trade"),
        number("volume", "Units traded"),
        number("value", "Their value: the sum of price times units, not rounded"),
        integer("trades", "Number of trades; 0 where `fill` added the interval"),
        boolean(
            "final",
            "`false`: trades may still be added, as the interval has not been over for 10 seconds",
        ),
    ),
    example=examples.CANDLE,
)
