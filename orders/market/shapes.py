"""OpenAPI shapes and query parameters of market data."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from exchange.api.filters import MOMENT
from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from orders.market import examples
from orders.market.payloads import CANDLE
from orders.market.query import DEFAULT_INTERVAL, INTERVALS, MAX_CANDLES

_COUNT = {"type": "integer", "minimum": 0}


def _or_null(description: str) -> dict[str, Any]:
    return number_schema(f"{description}; null where nothing traded", "null")


def _best_price(description: str) -> dict[str, Any]:
    best = closed_object(
        {
            "price": number_schema("Price per unit"),
            "tokens": number_schema("Units open at this price"),
        },
        description=description,
    )
    return {**best, "type": ["object", "null"]}


TICKER = NamedSchema(
    "Ticker",
    closed_object(
        {
            "token": text_schema("Token ID", format="uuid"),
            "last": number_schema("Price of the last trade, however old; null without any", "null"),
            "last_at": text_schema(
                "When that was; null without any", type=["string", "null"], format="date-time"
            ),
            "open": _or_null("Price of the first trade of the last 24 hours"),
            "high": _or_null("Highest price of the 24 hours"),
            "low": _or_null("Lowest price of the 24 hours"),
            "vwap": _or_null("Average price of the 24 hours by units: `value` / `volume`, rounded"
                             " half-even to 8 decimals"),
            "change": _or_null("`last` - `open`"),
            "percentage": _or_null("`change` in percent of `open`, rounded half-even to 8"
                                   " decimals"),
            "volume": number_schema("Units traded in the 24 hours"),
            "value": number_schema("Their value: the sum of price times units, not rounded"),
            "trades": {**_COUNT, "description": "Number of trades in the 24 hours"},
            "bid": _best_price("Best price of the buy orders in the book; null without any"),
            "ask": _best_price("Best price of the sell orders in the book; null without any"),
        }
    ),
    examples.TICKER,
)  # fmt: skip


# Not named after its field: generators make a variable of the field and one of the record.
CANDLES = NamedSchema(
    "CandleSeries",
    closed_object(
        {
            "interval": text_schema("Length of the intervals", enum=list(INTERVALS)),
            "candles": {
                "type": "array",
                "maxItems": MAX_CANDLES,
                "description": "Candles of secondary trades, oldest first",
                "items": CANDLE,
            },
        }
    ),
    {"interval": "1h", "candles": [CANDLE.example]},
)


CANDLE_PARAMETERS = [
    OpenApiParameter(
        "interval",
        {"type": "string", "enum": list(INTERVALS), "default": DEFAULT_INTERVAL},
        description="Length of an interval: minutes, hours, or days in UTC",
    ),
    OpenApiParameter(
        "from",
        MOMENT,
        description="From the interval that contains this time: an ISO 8601 date-time with its"
        f" offset, or a date (the start of its day in UTC). Without it, {MAX_CANDLES:,} intervals",
    ),
    OpenApiParameter(
        "to",
        MOMENT,
        description="To the interval that contains this time, inclusive: an ISO 8601 date-time"
        " with its offset, or a date (the end of its day in UTC); at most"
        f" {MAX_CANDLES:,} intervals. Without it, the present one, or as many as are allowed"
        " after `from`",
    ),
    OpenApiParameter(
        "fill",
        {"type": "boolean", "default": False},
        description="`true`: also the intervals without a trade, at the close before them;"
        " none before the first trade of the token",
    ),
]
