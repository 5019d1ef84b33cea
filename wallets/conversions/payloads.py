"""Documents of quotes and conversions in the API."""

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.documents import Document, identifier, number, text, timestamp
from wallets.conversions import examples
from wallets.conversions.models import ConversionStatus
from wallets.ledger.payloads import WALLET_OWNER

_TERMS = (
    text(
        "from_currency",
        "Currency of `amount`",
        "{r}.from_currency_id",
        enum=list(WALLET_CURRENCIES),
    ),
    text(
        "to_currency",
        "Currency of `converted_amount` and `fee`",
        "{r}.to_currency_id",
        enum=list(WALLET_CURRENCIES),
    ),
    number("amount", "Amount to convert"),
    number(
        "rate",
        "Units of `to_currency` for one unit of `from_currency`, after the spread; shown rounded "
        "down to 12 decimals",
    ),
    number(
        "converted_amount",
        "What arrives: `amount` times the unrounded rate, rounded down to the decimals of "
        "`to_currency`",
    ),
    number("fee", "The spread, in `to_currency`: so much more would arrive without it"),
)


CONVERSION_QUOTE = Document(
    name="ConversionQuote",
    table="wallets_conversionquote",
    fields=(
        identifier("quote_id", "Quote ID, for `POST /v1/api/conversions`", "{r}.id"),
        *_TERMS,
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        timestamp("expires_at", "The quote can be used before this time, once"),
    ),
    example=examples.QUOTE,
)


CONVERSION = Document(
    name="Conversion",
    table="wallets_conversion",
    fields=(
        identifier("_id", "Conversion ID", "{r}.id"),
        *WALLET_OWNER,
        identifier("quote_id", "The quote that was used"),
        *_TERMS,
        text("status", "A conversion is complete at once", enum=ConversionStatus.values),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
    ),
    example=examples.CONVERSION,
)
