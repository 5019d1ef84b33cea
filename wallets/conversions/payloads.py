"""Documents of quotes and conversions in the API."""

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.documents import Document, identifier, number, text, timestamp
from wallets.conversions import examples
from wallets.conversions.models import ConversionStatus

_TERMS = (
    text(
        "from_currency",
        "{r}.from_currency_id",
        "Currency of `amount`",
        enum=list(WALLET_CURRENCIES),
    ),
    text(
        "to_currency",
        "{r}.to_currency_id",
        "Currency of `converted_amount` and `fee`",
        enum=list(WALLET_CURRENCIES),
    ),
    number("amount", "{r}.amount", "Amount to convert"),
    number(
        "rate",
        "{r}.rate",
        "Units of `to_currency` for one unit of `from_currency`, after the spread; shown rounded "
        "down to 12 decimals",
    ),
    number(
        "converted_amount",
        "{r}.converted_amount",
        "What arrives: `amount` times the unrounded rate, rounded down to the decimals of "
        "`to_currency`",
    ),
    number(
        "fee",
        "{r}.fee",
        "The spread, in `to_currency`: so much more would arrive without it",
    ),
)


CONVERSION_QUOTE = Document(
    name="ConversionQuote",
    table="wallets_conversionquote",
    fields=(
        identifier("quote_id", "{r}.id", "Quote ID, for `POST /v1/api/conversions`"),
        *_TERMS,
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
        timestamp("expires_at", "{r}.expires_at", "The quote can be used before this time, once"),
    ),
    example=examples.QUOTE,
)


CONVERSION = Document(
    name="Conversion",
    table="wallets_conversion",
    fields=(
        identifier("_id", "{r}.id", "Conversion ID"),
        # Not owner_id: generated columns are not set yet when the trigger runs.
        identifier(
            "owner",
            "coalesce({r}.member_id, {r}.organisation_id)",
            "The organisation or the member",
        ),
        text(
            "owner_model",
            "CASE WHEN {r}.member_id IS NULL THEN 'organisation' ELSE 'user' END",
            "`organisation` for the organisation's wallet, `user` for a member's",
            enum=["organisation", "user"],
        ),
        identifier("quote_id", "{r}.quote_id", "The quote that was used"),
        *_TERMS,
        text(
            "status",
            "{r}.status",
            "A conversion is complete at once",
            enum=list(ConversionStatus.values),
        ),
        timestamp("createdAt", "{r}.created_at", "Time of creation"),
    ),
    example=examples.CONVERSION,
)
